// MEMCPY: y <- x.
#include "memcpy.abi.h"

KP_ARGUMENTS { const double *x; double *y; int64_t n; };

KP_KERNEL copy(KP_REF(double) x, KP_MUT(double) y, int64_t n) {
  KP_FOR(i, 0, n) { y[i] = x[i]; }
}

KP_TUNINGS(KP_TUNING library)

KP_TUNED_REPETITION(KP_TUNING, args, run) { run.launch(copy, kp_grid(args.n), args.x, args.y, args.n); }

KP_TUNED_REPETITION(library, args, run) { run.copy(args.y, args.x, args.n * sizeof(double)); }
