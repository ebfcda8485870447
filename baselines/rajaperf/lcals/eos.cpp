// EOS: x[i] <- u[i] + r (z[i] + r y[i]) + t (u[i+3] + r (u[i+2] + r u[i+1]) + t (u[i+6] + q (u[i+5] + q u[i+4]))).
#include "eos.abi.h"

KP_ARGUMENTS { double *x; const double *y, *z, *u; double q, r, t; int64_t n; };

KP_KERNEL eos(KP_MUT(double) x, KP_REF(double) y, KP_REF(double) z, KP_REF(double) u, double q, double r, double t,
              int64_t n) {
  KP_FOR(i, 0, n) {
    x[i] = u[i] + r * (z[i] + r * y[i]) +
           t * (u[i + 3] + r * (u[i + 2] + r * u[i + 1]) + t * (u[i + 6] + q * (u[i + 5] + q * u[i + 4])));
  }
}

KP_REPETITION(args, run) {
  run.launch(eos, kp_grid(args.n), args.x, args.y, args.z, args.u, args.q, args.r, args.t, args.n);
}
