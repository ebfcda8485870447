// MATVEC_3D_STENCIL: product of a symmetric 27-point stencil matrix, of which one half is stored, and a vector.
#include "matvec_3d_stencil.abi.h"

KP_ARGUMENTS {
  double *b;
  const double *x, *dbl, *dbc, *dbr, *dcl, *dcc, *dcr, *dfl, *dfc, *dfr, *cbl, *cbc, *cbr, *ccl, *ccc;
  const int64_t *real_zones;
  int64_t jp, kp, m, zones;
};

KP_KERNEL matvec_3d_stencil(KP_MUT(double) b, KP_REF(double) x, KP_REF(double) dbl, KP_REF(double) dbc,
                            KP_REF(double) dbr, KP_REF(double) dcl, KP_REF(double) dcc, KP_REF(double) dcr,
                            KP_REF(double) dfl, KP_REF(double) dfc, KP_REF(double) dfr, KP_REF(double) cbl,
                            KP_REF(double) cbc, KP_REF(double) cbr, KP_REF(double) ccl, KP_REF(double) ccc,
                            KP_REF(int64_t) real_zones, int64_t jp, int64_t kp, int64_t zones) {
  KP_FOR(ii, 0, zones) {
    const int64_t i = real_zones[ii];
    b[i] = dbl[i] * x[i - kp - jp - 1] + dbc[i] * x[i - kp - jp] + dbr[i] * x[i - kp - jp + 1] +
           dcl[i] * x[i - kp - 1] + dcc[i] * x[i - kp] + dcr[i] * x[i - kp + 1] +
           dfl[i] * x[i - kp + jp - 1] + dfc[i] * x[i - kp + jp] + dfr[i] * x[i - kp + jp + 1] +
           cbl[i] * x[i - jp - 1] + cbc[i] * x[i - jp] + cbr[i] * x[i - jp + 1] +
           ccl[i] * x[i - 1] + ccc[i] * x[i] + ccl[i + 1] * x[i + 1] +
           cbr[i + jp - 1] * x[i + jp - 1] + cbc[i + jp] * x[i + jp] + cbl[i + jp + 1] * x[i + jp + 1] +
           dfr[i + kp - jp - 1] * x[i + kp - jp - 1] + dfc[i + kp - jp] * x[i + kp - jp] +
           dfl[i + kp - jp + 1] * x[i + kp - jp + 1] +
           dcr[i + kp - 1] * x[i + kp - 1] + dcc[i + kp] * x[i + kp] + dcl[i + kp + 1] * x[i + kp + 1] +
           dbr[i + kp + jp - 1] * x[i + kp + jp - 1] + dbc[i + kp + jp] * x[i + kp + jp] +
           dbl[i + kp + jp + 1] * x[i + kp + jp + 1];
  }
}

KP_REPETITION(args, run) {
  run.launch(matvec_3d_stencil, kp_grid(args.zones), args.b, args.x, args.dbl, args.dbc, args.dbr, args.dcl, args.dcc,
             args.dcr, args.dfl, args.dfc, args.dfr, args.cbl, args.cbc, args.cbr, args.ccl, args.ccc,
             args.real_zones, args.jp, args.kp, args.zones);
}
