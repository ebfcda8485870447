// FIR: output[i] <- sum over the taps j of coefficient[j] input[i + j].
#include "fir.abi.h"

KP_ARGUMENTS { const double *input; double *output; int64_t n; };

constexpr int TAPS = 16;

KP_KERNEL fir(KP_REF(double) input, KP_MUT(double) output, int64_t n) {
  KP_FOR(i, 0, n) {
    constexpr double coefficient[TAPS] = {3, -1, -1, -1, -1, 3, -1, -1, -1, -1, 3, -1, -1, -1, -1, 3};
    double sum = 0.0;
    for (int j = 0; j < TAPS; ++j) sum += coefficient[j] * input[i + j];
    output[i] = sum;
  }
}

KP_REPETITION(args, run) { run.launch(fir, kp_grid(args.n), args.input, args.output, args.n); }
