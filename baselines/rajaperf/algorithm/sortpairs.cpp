// SORTPAIRS: numbers in ascending order, and values along with them; each repetition has a part of its own.
#include "sortpairs.abi.h"

#include "kparity/sort.h"

enum { PARTS = 20 };

KP_ARGUMENTS { double *x[PARTS], *i[PARTS]; int64_t n; };

KP_TUNINGS(KP_LIBRARY_TUNING)

KP_TUNED_REPETITION(KP_LIBRARY_TUNING, args, run) {
  const int64_t part = run.number % PARTS;
  kp_sort_pairs(run, args.x[part], args.i[part], args.n);
}
