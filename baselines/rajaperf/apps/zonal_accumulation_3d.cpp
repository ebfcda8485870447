// ZONAL_ACCUMULATION_3D: each real zone gets the mean of its eight corners.
#include "zonal_accumulation_3d.abi.h"

KP_ARGUMENTS { const double *x; double *vol; const int64_t *real_zones; int64_t jp, kp, nn, m, zones; };

KP_KERNEL zonal_accumulation_3d(KP_REF(double) x, KP_MUT(double) vol, KP_REF(int64_t) real_zones, int64_t jp,
                                int64_t kp, int64_t zones) {
  KP_FOR(ii, 0, zones) {
    const int64_t i = real_zones[ii];
    vol[i] = 0.125 * (x[i] + x[i + 1] + x[i + jp] + x[i + jp + 1] + x[i + kp] + x[i + kp + 1] + x[i + kp + jp] +
                      x[i + kp + jp + 1]);
  }
}

KP_REPETITION(args, run) {
  run.launch(zonal_accumulation_3d, kp_grid(args.zones), args.x, args.vol, args.real_zones, args.jp, args.kp,
             args.zones);
}
