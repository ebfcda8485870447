// GEMVER: a <- a + u1 v1^T + u2 v2^T, x <- beta a^T y, x <- x + z, w <- w + alpha a x.
#include "gemver.abi.h"

KP_ARGUMENTS {
  double *a;
  const double *u1, *v1, *u2, *v2;
  double *w, *x;
  const double *y, *z;
  double alpha, beta;
  int64_t n;
};

KP_KERNEL update(KP_MUT(double) a, KP_REF(double) u1, KP_REF(double) v1, KP_REF(double) u2, KP_REF(double) v2,
                 int64_t n) {
  KP_FOR_2D(i, 0, n, j, 0, n) { a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j]; }
}

KP_KERNEL multiply_transposed(KP_MUT(double) x, KP_REF(double) a, KP_REF(double) y, double beta, int64_t n) {
  KP_FOR(i, 0, n) {
    double dot = 0.0;
    for (int64_t j = 0; j < n; ++j) dot += beta * a[j * n + i] * y[j];
    x[i] = dot;
  }
}

KP_KERNEL add(KP_MUT(double) x, KP_REF(double) z, int64_t n) {
  KP_FOR(i, 0, n) { x[i] += z[i]; }
}

KP_KERNEL multiply_onto(KP_MUT(double) w, KP_REF(double) a, KP_REF(double) x, double alpha, int64_t n) {
  KP_FOR(i, 0, n) {
    double dot = w[i];
    for (int64_t j = 0; j < n; ++j) dot += alpha * a[i * n + j] * x[j];
    w[i] = dot;
  }
}

KP_REPETITION(args, run) {
  run.launch(update, kp_grid(args.n, args.n), args.a, args.u1, args.v1, args.u2, args.v2, args.n);
  run.launch(multiply_transposed, kp_grid(args.n), args.x, args.a, args.y, args.beta, args.n);
  run.launch(add, kp_grid(args.n), args.x, args.z, args.n);
  run.launch(multiply_onto, kp_grid(args.n), args.w, args.a, args.x, args.alpha, args.n);
}
