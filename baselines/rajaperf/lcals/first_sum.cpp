// FIRST_SUM: x[i] <- y[i-1] + y[i], i >= 1.
#include "first_sum.abi.h"

KP_ARGUMENTS { double *x; const double *y; int64_t n; };

KP_KERNEL first_sum(KP_MUT(double) x, KP_REF(double) y, int64_t n) {
  KP_FOR_ALIGNED(i, 1, n) { x[i] = y[i - 1] + y[i]; }
}

KP_REPETITION(args, run) { run.launch(first_sum, kp_grid(args.n), args.x, args.y, args.n); }
