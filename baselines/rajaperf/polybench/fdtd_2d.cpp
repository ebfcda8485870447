// FDTD_2D: one time step: the driven edge, ey, ex, hz.
#include "fdtd_2d.abi.h"

KP_ARGUMENTS { double *hz, *ex, *ey; const double *fict; int64_t nx, ny; };

constexpr int64_t steps = 40;  // of the table

KP_KERNEL drive(KP_MUT(double) ey, KP_REF(double) fict, int64_t t, int64_t ny) {
  KP_FOR(j, 0, ny) { ey[j] = fict[t]; }
}

KP_KERNEL advance_ey(KP_MUT(double) ey, KP_REF(double) hz, int64_t nx, int64_t ny) {
  KP_FOR_2D(i, 1, nx, j, 0, ny) { ey[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]); }
}

KP_KERNEL advance_ex(KP_MUT(double) ex, KP_REF(double) hz, int64_t nx, int64_t ny) {
  KP_FOR_2D(i, 0, nx, j, 1, ny) { ex[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]); }
}

KP_KERNEL advance_hz(KP_MUT(double) hz, KP_REF(double) ex, KP_REF(double) ey, int64_t nx, int64_t ny) {
  KP_FOR_2D(i, 0, nx - 1, j, 0, ny - 1) {
    const int64_t here = i * ny + j;
    hz[here] -= 0.7 * (ex[here + 1] - ex[here] + ey[here + ny] - ey[here]);
  }
}

KP_REPETITION(args, run) {
  const int64_t nx = args.nx, ny = args.ny;
  run.launch(drive, kp_grid(ny), args.ey, args.fict, run.number % steps, ny);
  run.launch(advance_ey, kp_grid(nx - 1, ny), args.ey, args.hz, nx, ny);
  run.launch(advance_ex, kp_grid(nx, ny - 1), args.ex, args.hz, nx, ny);
  run.launch(advance_hz, kp_grid(nx - 1, ny - 1), args.hz, args.ex, args.ey, nx, ny);
}
