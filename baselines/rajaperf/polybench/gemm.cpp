// GEMM: c <- alpha a b. The scaling of c that precedes is RAJAPerf's; its result is overwritten.
#include "gemm.abi.h"

KP_ARGUMENTS { const double *a, *b; double *c; double alpha, beta; int64_t ni, nk, nj; };

KP_KERNEL gemm(KP_REF(double) a, KP_REF(double) b, KP_MUT(double) c, double alpha, double beta, int64_t ni, int64_t nk,
               int64_t nj) {
  KP_FOR_2D(i, 0, ni, j, 0, nj) {
    c[i * nj + j] *= beta;
    double dot = 0.0;
    for (int64_t k = 0; k < nk; ++k) dot += alpha * a[i * nk + k] * b[k * nj + j];
    c[i * nj + j] = dot;
  }
}

KP_REPETITION(args, run) {
  run.launch(gemm, kp_grid(args.ni, args.nj), args.a, args.b, args.c, args.alpha, args.beta, args.ni, args.nk, args.nj);
}
