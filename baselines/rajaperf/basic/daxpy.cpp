// DAXPY: y <- a x + y.
#include "daxpy.abi.h"

KP_ARGUMENTS { double *y; const double *x; double a; int64_t n; };

KP_KERNEL daxpy(KP_MUT(double) y, KP_REF(double) x, double a, int64_t n) {
  KP_FOR(i, 0, n) { y[i] += a * x[i]; }
}

KP_REPETITION(args, run) { run.launch(daxpy, kp_grid(args.n), args.y, args.x, args.a, args.n); }
