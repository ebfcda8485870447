// ATAX: tmp <- a x, then y <- a^T tmp, a thread a row and a thread a column.
#include "atax.abi.h"

KP_ARGUMENTS { double *tmp; const double *x, *a; double *y; int64_t n; };

KP_KERNEL multiply(KP_MUT(double) y, KP_MUT(double) tmp, KP_REF(double) a, KP_REF(double) x, int64_t n) {
  KP_FOR(i, 0, n) {
    y[i] = 0.0;
    double dot = 0.0;
    for (int64_t j = 0; j < n; ++j) dot += a[i * n + j] * x[j];
    tmp[i] = dot;
  }
}

KP_KERNEL add_transposed(KP_MUT(double) y, KP_REF(double) a, KP_REF(double) tmp, int64_t n) {
  KP_FOR(j, 0, n) {
    double dot = y[j];
    for (int64_t i = 0; i < n; ++i) dot += a[i * n + j] * tmp[i];
    y[j] = dot;
  }
}

KP_REPETITION(args, run) {
  run.launch(multiply, kp_grid(args.n), args.y, args.tmp, args.a, args.x, args.n);
  run.launch(add_transposed, kp_grid(args.n), args.y, args.a, args.tmp, args.n);
}
