// DEL_DOT_VEC_2D: divergence of a nodal vector field; corners 1 to 4 of a zone are at i + 1, i + 1 + jp, i + jp and i.
#include "del_dot_vec_2d.abi.h"

KP_ARGUMENTS { const double *x, *y, *xdot, *ydot; double *div; const int64_t *real_zones; int64_t jp, nn, zones; };

KP_KERNEL del_dot_vec_2d(KP_REF(double) x, KP_REF(double) y, KP_REF(double) xdot, KP_REF(double) ydot,
                         KP_MUT(double) div, KP_REF(int64_t) real_zones, int64_t jp, int64_t zones) {
  KP_FOR(ii, 0, zones) {
    const int64_t i4 = real_zones[ii], i1 = i4 + 1, i3 = i4 + jp, i2 = i3 + 1;

    const double xi = 0.5 * (x[i1] + x[i2] - x[i3] - x[i4]);
    const double xj = 0.5 * (x[i2] + x[i3] - x[i4] - x[i1]);
    const double yi = 0.5 * (y[i1] + y[i2] - y[i3] - y[i4]);
    const double yj = 0.5 * (y[i2] + y[i3] - y[i4] - y[i1]);
    const double fxi = 0.5 * (xdot[i1] + xdot[i2] - xdot[i3] - xdot[i4]);
    const double fxj = 0.5 * (xdot[i2] + xdot[i3] - xdot[i4] - xdot[i1]);
    const double fyi = 0.5 * (ydot[i1] + ydot[i2] - ydot[i3] - ydot[i4]);
    const double fyj = 0.5 * (ydot[i2] + ydot[i3] - ydot[i4] - ydot[i1]);

    const double rarea = 1.0 / (xi * yj - xj * yi + 1e-20);
    const double dfxdx = rarea * (fxi * yj - fxj * yi);
    const double dfydy = rarea * (fyj * xi - fyi * xj);
    const double affine = (ydot[i1] + ydot[i2] + ydot[i3] + ydot[i4]) / (y[i1] + y[i2] + y[i3] + y[i4]);
    div[i4] = dfxdx + dfydy + affine;
  }
}

KP_REPETITION(args, run) {
  run.launch(del_dot_vec_2d, kp_grid(args.zones), args.x, args.y, args.xdot, args.ydot, args.div, args.real_zones,
             args.jp, args.zones);
}
