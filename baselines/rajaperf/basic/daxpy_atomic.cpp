// DAXPY_ATOMIC: y <- a x + y, each update atomic.
#include "daxpy_atomic.abi.h"

KP_ARGUMENTS { double *y; const double *x; double a; int64_t n; };

KP_KERNEL daxpy_atomic(KP_ATOMIC(double) y, KP_REF(double) x, double a, int64_t n) {
  KP_FOR(i, 0, n) { kp_atomic_add(&y[i], a * x[i]); }
}

KP_REPETITION(args, run) { run.launch(daxpy_atomic, kp_grid(args.n), args.y, args.x, args.a, args.n); }
