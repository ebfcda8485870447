// FIRST_DIFF: x[i] <- y[i+1] - y[i].
#include "first_diff.abi.h"

KP_ARGUMENTS { double *x; const double *y; int64_t n; };

KP_KERNEL first_diff(KP_MUT(double) x, KP_REF(double) y, int64_t n) {
  KP_FOR(i, 0, n) { x[i] = y[i + 1] - y[i]; }
}

KP_REPETITION(args, run) { run.launch(first_diff, kp_grid(args.n), args.x, args.y, args.n); }
