// COPY: c <- a.
#include "copy.abi.h"

KP_ARGUMENTS { const double *a; double *c; int64_t n; };

KP_KERNEL copy(KP_REF(double) a, KP_MUT(double) c, int64_t n) {
  KP_FOR(i, 0, n) { c[i] = a[i]; }
}

KP_REPETITION(args, run) { run.launch(copy, kp_grid(args.n), args.a, args.c, args.n); }
