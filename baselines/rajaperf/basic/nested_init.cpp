// NESTED_INIT: a[k, j, i] <- 1e-8 i j k.
#include "nested_init.abi.h"

KP_ARGUMENTS { double *a; int64_t n; };

KP_KERNEL nested_init(KP_MUT(double) a, int64_t n) {
  KP_FOR_3D(k, 0, n, j, 0, n, i, 0, n) { a[i + n * (j + n * k)] = 0.00000001 * kp_real(i) * kp_real(j) * kp_real(k); }
}

KP_REPETITION(args, run) { run.launch(nested_init, kp_grid(args.n, args.n, args.n), args.a, args.n); }
