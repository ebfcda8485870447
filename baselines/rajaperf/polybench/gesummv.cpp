// GESUMMV: y <- alpha a x + beta b x, a thread a row.
#include "gesummv.abi.h"

KP_ARGUMENTS { const double *x; double *y; const double *a, *b; double alpha, beta; int64_t n; };

KP_KERNEL gesummv(KP_REF(double) x, KP_MUT(double) y, KP_REF(double) a, KP_REF(double) b, double alpha, double beta,
                  int64_t n) {
  KP_FOR(i, 0, n) {
    double ax = 0.0, bx = 0.0;
    for (int64_t j = 0; j < n; ++j) {
      ax += a[i * n + j] * x[j];
      bx += b[i * n + j] * x[j];
    }
    y[i] = alpha * ax + beta * bx;
  }
}

KP_REPETITION(args, run) {
  run.launch(gesummv, kp_grid(args.n), args.x, args.y, args.a, args.b, args.alpha, args.beta, args.n);
}
