// PRESSURE: bvc <- cls (compression + 1), then p_new <- bvc e_old with its cut-offs.
#include <cmath>

#include "pressure.abi.h"

KP_ARGUMENTS {
  const double *compression; double *bvc, *p_new; const double *e_old, *vnewc;
  double cls, p_cut, pmin, eosvmax; int64_t n;
};

KP_KERNEL bulk_coefficient(KP_REF(double) compression, KP_MUT(double) bvc, double cls, int64_t n) {
  KP_FOR(i, 0, n) { bvc[i] = cls * (compression[i] + 1.0); }
}

KP_KERNEL pressure(KP_REF(double) bvc, KP_MUT(double) p_new, KP_REF(double) e_old, KP_REF(double) vnewc, double p_cut,
                   double pmin, double eosvmax, int64_t n) {
  KP_FOR(i, 0, n) {
    double p = bvc[i] * e_old[i];
    if (fabs(p) < p_cut) p = 0.0;
    if (vnewc[i] >= eosvmax) p = 0.0;
    if (p < pmin) p = pmin;
    p_new[i] = p;
  }
}

KP_REPETITION(args, run) {
  const kp_grid grid(args.n);
  run.launch(bulk_coefficient, grid, args.compression, args.bvc, args.cls, args.n);
  run.launch(pressure, grid, args.bvc, args.p_new, args.e_old, args.vnewc, args.p_cut, args.pmin, args.eosvmax, args.n);
}
