// INT_PREDICT: px[0, i] <- dm28 px[12, i] + ... + dm22 px[6, i] + c0 (px[4, i] + px[5, i]) + px[2, i].
#include "int_predict.abi.h"

KP_ARGUMENTS { double *px; double dm22, dm23, dm24, dm25, dm26, dm27, dm28, c0; int64_t n; };

KP_KERNEL int_predict(KP_MUT(double) px, double dm22, double dm23, double dm24, double dm25, double dm26, double dm27,
                      double dm28, double c0, int64_t n) {
  KP_FOR(i, 0, n) {
    px[i] = dm28 * px[i + n * 12] + dm27 * px[i + n * 11] + dm26 * px[i + n * 10] + dm25 * px[i + n * 9] +
            dm24 * px[i + n * 8] + dm23 * px[i + n * 7] + dm22 * px[i + n * 6] +
            c0 * (px[i + n * 4] + px[i + n * 5]) + px[i + n * 2];
  }
}

KP_REPETITION(args, run) {
  run.launch(int_predict, kp_grid(args.n), args.px, args.dm22, args.dm23, args.dm24, args.dm25, args.dm26, args.dm27,
             args.dm28, args.c0, args.n);
}
