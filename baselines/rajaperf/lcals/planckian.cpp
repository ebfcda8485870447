// PLANCKIAN: y <- u / v, w <- x / (exp(y) - 1).
#include <cmath>

#include "planckian.abi.h"

#if defined(__GLIBC__) && defined(__x86_64__) && !defined(KP_GPU)
// A vector at a time: the C library declares its vector form under -ffast-math alone, of which nothing else is wanted.
#pragma omp declare simd notinbranch
extern "C" double exp(double) noexcept;
#endif

KP_ARGUMENTS { const double *x; double *y; const double *u, *v; double *w; int64_t n; };

KP_KERNEL planckian(KP_REF(double) x, KP_MUT(double) y, KP_REF(double) u, KP_REF(double) v, KP_MUT(double) w,
                    int64_t n) {
  KP_FOR(i, 0, n) {
    y[i] = u[i] / v[i];
    w[i] = x[i] / (exp(y[i]) - 1.0);
  }
}

KP_REPETITION(args, run) {
  run.launch(planckian, kp_grid(args.n), args.x, args.y, args.u, args.v, args.w, args.n);
}
