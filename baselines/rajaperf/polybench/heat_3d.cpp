// HEAT_3D: two explicit steps of the heat equation, a to b, then b to a.
#include "heat_3d.abi.h"

KP_ARGUMENTS { double *a, *b; int64_t n; };

KP_KERNEL step(KP_MUT(double) to, KP_REF(double) from, int64_t n) {
  const int64_t row = n, plane = n * n;
  KP_FOR_3D(i, 1, n - 1, j, 1, n - 1, k, 1, n - 1) {
    const int64_t here = i * plane + j * row + k;
    to[here] = 0.125 * (from[here + plane] - 2.0 * from[here] + from[here - plane]) +
               0.125 * (from[here + row] - 2.0 * from[here] + from[here - row]) +
               0.125 * (from[here + 1] - 2.0 * from[here] + from[here - 1]) + from[here];
  }
}

KP_REPETITION(args, run) {
  const kp_grid interior(args.n - 2, args.n - 2, args.n - 2);
  run.launch(step, interior, args.b, args.a, args.n);
  run.launch(step, interior, args.a, args.b, args.n);
}
