// HYDRO_1D: x[i] <- q + y[i] (r z[i] + t z[i+1]).
#include "hydro_1d.abi.h"

KP_ARGUMENTS { double *x; const double *y, *z; double q, r, t; int64_t n; };

KP_KERNEL hydro_1d(KP_MUT(double) x, KP_REF(double) y, KP_REF(double) z, double q, double r, double t, int64_t n) {
  KP_FOR(i, 0, n) { x[i] = q + y[i] * (r * z[i] + t * z[i + 1]); }
}

KP_REPETITION(args, run) {
  run.launch(hydro_1d, kp_grid(args.n), args.x, args.y, args.z, args.q, args.r, args.t, args.n);
}
