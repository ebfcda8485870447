// SORT: numbers in ascending order; each repetition has a part of its own.
#include "sort.abi.h"

#include "kparity/sort.h"

enum { PARTS = 20 };

KP_ARGUMENTS { double *x[PARTS]; int64_t n; };

KP_TUNINGS(KP_LIBRARY_TUNING)

KP_TUNED_REPETITION(KP_LIBRARY_TUNING, args, run) { kp_sort(run, args.x[run.number % PARTS], args.n); }
