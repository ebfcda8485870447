// ADD: c <- a + b.
#include "add.abi.h"

KP_ARGUMENTS { const double *a, *b; double *c; int64_t n; };

KP_KERNEL add(KP_REF(double) a, KP_REF(double) b, KP_MUT(double) c, int64_t n) {
  KP_FOR(i, 0, n) { c[i] = a[i] + b[i]; }
}

KP_REPETITION(args, run) { run.launch(add, kp_grid(args.n), args.a, args.b, args.c, args.n); }
