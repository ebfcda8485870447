// 2MM: tmp <- alpha a b, then d <- beta + tmp c.
#include "mm2.abi.h"

KP_ARGUMENTS {
  double *tmp;
  const double *a, *b, *c;
  double *d;
  double alpha, beta;
  int64_t ni, nj, nk, nl;
};

KP_KERNEL multiply(KP_MUT(double) tmp, KP_REF(double) a, KP_REF(double) b, double alpha, int64_t ni, int64_t nj,
                   int64_t nk) {
  KP_FOR_2D(i, 0, ni, j, 0, nj) {
    double dot = 0.0;
    for (int64_t k = 0; k < nk; ++k) dot += alpha * a[i * nk + k] * b[k * nj + j];
    tmp[i * nj + j] = dot;
  }
}

KP_KERNEL multiply_onto(KP_MUT(double) d, KP_REF(double) tmp, KP_REF(double) c, double beta, int64_t ni, int64_t nj,
                        int64_t nl) {
  KP_FOR_2D(i, 0, ni, j, 0, nl) {
    double dot = beta;
    for (int64_t k = 0; k < nj; ++k) dot += tmp[i * nj + k] * c[k * nl + j];
    d[i * nl + j] = dot;
  }
}

KP_REPETITION(args, run) {
  run.launch(multiply, kp_grid(args.ni, args.nj), args.tmp, args.a, args.b, args.alpha, args.ni, args.nj, args.nk);
  run.launch(multiply_onto, kp_grid(args.ni, args.nl), args.d, args.tmp, args.c, args.beta, args.ni, args.nj, args.nl);
}
