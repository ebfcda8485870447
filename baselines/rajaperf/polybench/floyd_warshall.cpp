// FLOYD_WARSHALL: pout[i, j] <- min(pin[i, j], pin[i, k] + pin[k, j]), a launch for each k.
#include "floyd_warshall.abi.h"

KP_ARGUMENTS { const double *pin; double *pout; int64_t n; };

KP_KERNEL relax(KP_REF(double) pin, KP_MUT(double) pout, int64_t k, int64_t n) {
  KP_FOR_2D(i, 0, n, j, 0, n) {
    const double through = pin[i * n + k] + pin[k * n + j];
    pout[i * n + j] = pin[i * n + j] < through ? pin[i * n + j] : through;
  }
}

KP_REPETITION(args, run) {
  for (int64_t k = 0; k < args.n; ++k) run.launch(relax, kp_grid(args.n, args.n), args.pin, args.pout, k, args.n);
}
