// 3MM: e <- a b, f <- c d, g <- e f.
#include "mm3.abi.h"

KP_ARGUMENTS {
  const double *a, *b, *c, *d;
  double *e, *f, *g;
  int64_t ni, nk, nj, nm, nl;
};

KP_KERNEL multiply(KP_MUT(double) product, KP_REF(double) left, KP_REF(double) right, int64_t rows, int64_t m,
                   int64_t columns) {
  KP_FOR_2D(i, 0, rows, j, 0, columns) {
    double dot = 0.0;
    for (int64_t k = 0; k < m; ++k) dot += left[i * m + k] * right[k * columns + j];
    product[i * columns + j] = dot;
  }
}

KP_REPETITION(args, run) {
  run.launch(multiply, kp_grid(args.ni, args.nj), args.e, args.a, args.b, args.ni, args.nk, args.nj);
  run.launch(multiply, kp_grid(args.nj, args.nl), args.f, args.c, args.d, args.nj, args.nm, args.nl);
  run.launch(multiply, kp_grid(args.ni, args.nl), args.g, args.e, args.f, args.ni, args.nj, args.nl);
}
