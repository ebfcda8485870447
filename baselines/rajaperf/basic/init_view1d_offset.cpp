// INIT_VIEW1D_OFFSET: a[i - 1] <- i v, 1 <= i <= n.
#include "init_view1d_offset.abi.h"

KP_ARGUMENTS { double *a; double v; int64_t n; };

KP_KERNEL init_view1d_offset(KP_MUT(double) a, double v, int64_t n) {
  KP_FOR(i, 1, n + 1) { a[i - 1] = kp_real(i) * v; }
}

KP_REPETITION(args, run) { run.launch(init_view1d_offset, kp_grid(args.n), args.a, args.v, args.n); }
