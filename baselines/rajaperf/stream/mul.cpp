// MUL: b <- alpha c.
#include "mul.abi.h"

KP_ARGUMENTS { double *b; const double *c; double alpha; int64_t n; };

KP_KERNEL mul(KP_MUT(double) b, KP_REF(double) c, double alpha, int64_t n) {
  KP_FOR(i, 0, n) { b[i] = alpha * c[i]; }
}

KP_REPETITION(args, run) { run.launch(mul, kp_grid(args.n), args.b, args.c, args.alpha, args.n); }
