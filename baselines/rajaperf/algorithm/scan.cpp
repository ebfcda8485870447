// SCAN: y[i] <- x[0] + ... + x[i - 1].
#include "scan.abi.h"

#include "kparity/scan.h"

KP_ARGUMENTS { const double *x; double *y; int64_t n; };

KP_TUNINGS(KP_LIBRARY_TUNING)

KP_TUNED_REPETITION(KP_LIBRARY_TUNING, args, run) { kp_exclusive_scan(run, args.x, args.y, args.n); }
