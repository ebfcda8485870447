// HYDRO_2D: fluxes from pressures, velocities from fluxes, positions from velocities; three sweeps over the interior.
#include "hydro_2d.abi.h"

KP_ARGUMENTS {
  double *zrout, *zzout, *za, *zb;
  const double *zm, *zp, *zq, *zr;
  double *zu, *zv;
  const double *zz;
  double s, t;
  int64_t n;
};

KP_KERNEL fluxes(KP_MUT(double) za, KP_MUT(double) zb, KP_REF(double) zm, KP_REF(double) zp, KP_REF(double) zq,
                 KP_REF(double) zr, int64_t n) {
  KP_FOR_2D(k, 1, n - 1, j, 1, n - 1) {
    const int64_t here = k * n + j, left = here - 1, above = here + n, below = here - n;
    za[here] = (zp[above - 1] + zq[above - 1] - zp[left] - zq[left]) * (zr[here] + zr[left]) /
               (zm[left] + zm[above - 1]);
    zb[here] = (zp[left] + zq[left] - zp[here] - zq[here]) * (zr[here] + zr[below]) / (zm[here] + zm[left]);
  }
}

KP_KERNEL accelerate(KP_MUT(double) zu, KP_MUT(double) zv, KP_REF(double) za, KP_REF(double) zb, KP_REF(double) zr,
                     KP_REF(double) zz, double s, int64_t n) {
  KP_FOR_2D(k, 1, n - 1, j, 1, n - 1) {
    const int64_t here = k * n + j, left = here - 1, right = here + 1, above = here + n, below = here - n;
    zu[here] += s * (za[here] * (zz[here] - zz[right]) - za[left] * (zz[here] - zz[left]) -
                     zb[here] * (zz[here] - zz[below]) + zb[above] * (zz[here] - zz[above]));
    zv[here] += s * (za[here] * (zr[here] - zr[right]) - za[left] * (zr[here] - zr[left]) -
                     zb[here] * (zr[here] - zr[below]) + zb[above] * (zr[here] - zr[above]));
  }
}

KP_KERNEL move(KP_MUT(double) zrout, KP_MUT(double) zzout, KP_REF(double) zr, KP_REF(double) zu, KP_REF(double) zz,
               KP_REF(double) zv, double t, int64_t n) {
  KP_FOR_2D(k, 1, n - 1, j, 1, n - 1) {
    const int64_t here = k * n + j;
    zrout[here] = zr[here] + t * zu[here];
    zzout[here] = zz[here] + t * zv[here];
  }
}

KP_REPETITION(args, run) {
  const kp_grid interior(args.n - 2, args.n - 2);
  run.launch(fluxes, interior, args.za, args.zb, args.zm, args.zp, args.zq, args.zr, args.n);
  run.launch(accelerate, interior, args.zu, args.zv, args.za, args.zb, args.zr, args.zz, args.s, args.n);
  run.launch(move, interior, args.zrout, args.zzout, args.zr, args.zu, args.zz, args.zv, args.t, args.n);
}
