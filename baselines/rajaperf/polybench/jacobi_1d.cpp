// JACOBI_1D: two sweeps of the three-point average, a to b, then b to a.
#include "jacobi_1d.abi.h"

KP_ARGUMENTS { double *a, *b; int64_t n; };

KP_KERNEL sweep(KP_MUT(double) to, KP_REF(double) from, int64_t n) {
  KP_FOR_ALIGNED(i, 1, n - 1) { to[i] = 0.33333 * (from[i - 1] + from[i] + from[i + 1]); }
}

KP_REPETITION(args, run) {
  run.launch(sweep, kp_grid(args.n - 1), args.b, args.a, args.n);
  run.launch(sweep, kp_grid(args.n - 1), args.a, args.b, args.n);
}
