// INIT_VIEW1D: a[i] <- (i + 1) v.
#include "init_view1d.abi.h"

KP_ARGUMENTS { double *a; double v; int64_t n; };

KP_KERNEL init_view1d(KP_MUT(double) a, double v, int64_t n) {
  KP_FOR(i, 0, n) { a[i] = kp_real(i + 1) * v; }
}

KP_REPETITION(args, run) { run.launch(init_view1d, kp_grid(args.n), args.a, args.v, args.n); }
