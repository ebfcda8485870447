// VOL3D: volume of each hexahedral zone from its corners; corner m is at i + (m & 1) + (m & 2 ? jp : 0) + (m & 4 ? kp : 0).
#include "vol3d.abi.h"

KP_ARGUMENTS { const double *x, *y, *z; double *vol; int64_t jp, kp, fpz, lpz, nn; };

KP_KERNEL vol3d(KP_REF(double) x, KP_REF(double) y, KP_REF(double) z, KP_MUT(double) vol, int64_t jp, int64_t kp,
                int64_t fpz, int64_t lpz) {
  KP_FOR(i, fpz, lpz + 1) {
    const int64_t i1 = i + 1, i2 = i + jp, i3 = i + jp + 1, i4 = i + kp, i5 = i + kp + 1, i6 = i + kp + jp,
                  i7 = i + kp + jp + 1;

    const double x71 = x[i7] - x[i1], x72 = x[i7] - x[i2], x74 = x[i7] - x[i4];
    const double x30 = x[i3] - x[i], x50 = x[i5] - x[i], x60 = x[i6] - x[i];

    const double y71 = y[i7] - y[i1], y72 = y[i7] - y[i2], y74 = y[i7] - y[i4];
    const double y30 = y[i3] - y[i], y50 = y[i5] - y[i], y60 = y[i6] - y[i];

    const double z71 = z[i7] - z[i1], z72 = z[i7] - z[i2], z74 = z[i7] - z[i4];
    const double z30 = z[i3] - z[i], z50 = z[i5] - z[i], z60 = z[i6] - z[i];

    double volume = (x71 + x60) * (y72 * z30 - z72 * y30) + (y71 + y60) * (z72 * x30 - x72 * z30) +
                    (z71 + z60) * (x72 * y30 - y72 * x30);
    volume += (x72 + x50) * (y74 * z60 - z74 * y60) + (y72 + y50) * (z74 * x60 - x74 * z60) +
              (z72 + z50) * (x74 * y60 - y74 * x60);
    volume += (x74 + x30) * (y71 * z50 - z71 * y50) + (y74 + y30) * (z71 * x50 - x71 * z50) +
              (z74 + z30) * (x71 * y50 - y71 * x50);
    vol[i] = volume * 0.083333333333333333;
  }
}

KP_REPETITION(args, run) {
  run.launch(vol3d, kp_grid(args.lpz + 1 - args.fpz), args.x, args.y, args.z, args.vol, args.jp, args.kp, args.fpz,
             args.lpz);
}
