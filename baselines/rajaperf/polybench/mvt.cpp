// MVT: x1 <- a y1, and x2[i] <- sum of column i of a, times y2[i]; a thread a row and a thread a column.
#include "mvt.abi.h"

KP_ARGUMENTS { const double *y1, *y2, *a; double *x1, *x2; int64_t n; };

KP_KERNEL multiply(KP_MUT(double) x1, KP_REF(double) a, KP_REF(double) y1, int64_t n) {
  KP_FOR(i, 0, n) {
    double dot = 0.0;
    for (int64_t j = 0; j < n; ++j) dot += a[i * n + j] * y1[j];
    x1[i] = dot;
  }
}

KP_KERNEL add_columns(KP_MUT(double) x2, KP_REF(double) a, KP_REF(double) y2, int64_t n) {
  KP_FOR(i, 0, n) {
    double dot = 0.0;
    for (int64_t j = 0; j < n; ++j) dot += a[j * n + i] * y2[i];
    x2[i] = dot;
  }
}

KP_REPETITION(args, run) {
  run.launch(multiply, kp_grid(args.n), args.x1, args.a, args.y1, args.n);
  run.launch(add_columns, kp_grid(args.n), args.x2, args.a, args.y2, args.n);
}
