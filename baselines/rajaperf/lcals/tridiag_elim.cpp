// TRIDIAG_ELIM: xout[i] <- z[i] (y[i] - xin[i-1]), i >= 1.
#include "tridiag_elim.abi.h"

KP_ARGUMENTS { double *xout; const double *xin, *y, *z; int64_t n; };

KP_KERNEL tridiag_elim(KP_MUT(double) xout, KP_REF(double) xin, KP_REF(double) y, KP_REF(double) z, int64_t n) {
  KP_FOR_ALIGNED(i, 1, n) { xout[i] = z[i] * (y[i] - xin[i - 1]); }
}

KP_REPETITION(args, run) {
  run.launch(tridiag_elim, kp_grid(args.n), args.xout, args.xin, args.y, args.z, args.n);
}
