// TRIAD: a <- b + alpha c.
#include "triad.abi.h"

KP_ARGUMENTS { double *a; const double *b, *c; double alpha; int64_t n; };

KP_KERNEL triad(KP_MUT(double) a, KP_REF(double) b, KP_REF(double) c, double alpha, int64_t n) {
  KP_FOR(i, 0, n) { a[i] = b[i] + alpha * c[i]; }
}

KP_REPETITION(args, run) { run.launch(triad, kp_grid(args.n), args.a, args.b, args.c, args.alpha, args.n); }
