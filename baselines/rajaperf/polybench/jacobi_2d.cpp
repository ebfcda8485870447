// JACOBI_2D: two sweeps of the five-point average, a to b, then b to a.
#include "jacobi_2d.abi.h"

KP_ARGUMENTS { double *a, *b; int64_t n; };

KP_KERNEL sweep(KP_MUT(double) to, KP_REF(double) from, int64_t n) {
  KP_FOR_2D(i, 1, n - 1, j, 1, n - 1) {
    const int64_t here = i * n + j;
    to[here] = 0.2 * (from[here] + from[here - 1] + from[here + 1] + from[here + n] + from[here - n]);
  }
}

KP_REPETITION(args, run) {
  const kp_grid interior(args.n - 2, args.n - 2);
  run.launch(sweep, interior, args.b, args.a, args.n);
  run.launch(sweep, interior, args.a, args.b, args.n);
}
