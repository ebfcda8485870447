// NODAL_ACCUMULATION_3D: each real zone adds an eighth of its value to its corners, atomically.
#include "nodal_accumulation_3d.abi.h"

KP_ARGUMENTS { double *x; const double *vol; const int64_t *real_zones; int64_t jp, kp, nn, m, zones; };

KP_KERNEL nodal_accumulation_3d(KP_ATOMIC(double) x, KP_REF(double) vol, KP_REF(int64_t) real_zones, int64_t jp,
                                int64_t kp, int64_t zones) {
  KP_FOR(ii, 0, zones) {
    const int64_t i = real_zones[ii];
    const double eighth = 0.125 * vol[i];
    kp_atomic_add(&x[i], eighth);
    kp_atomic_add(&x[i + 1], eighth);
    kp_atomic_add(&x[i + jp], eighth);
    kp_atomic_add(&x[i + jp + 1], eighth);
    kp_atomic_add(&x[i + kp], eighth);
    kp_atomic_add(&x[i + kp + 1], eighth);
    kp_atomic_add(&x[i + kp + jp], eighth);
    kp_atomic_add(&x[i + kp + jp + 1], eighth);
  }
}

KP_REPETITION(args, run) {
  run.launch(nodal_accumulation_3d, kp_grid(args.zones), args.x, args.vol, args.real_zones, args.jp, args.kp,
             args.zones);
}
