// DIFF_PREDICT: px[k, i] <- e_k, e_0 = cx[i], e_{k+1} = e_k - px[k, i], k < 10.
#include "diff_predict.abi.h"

KP_ARGUMENTS { double *px; const double *cx; int64_t n; };

KP_KERNEL diff_predict(KP_MUT(double) px, KP_REF(double) cx, int64_t n) {
  KP_FOR(i, 0, n) {
    const double e0 = cx[i];
    const double e1 = e0 - px[i];
    px[i] = e0;
    const double e2 = e1 - px[i + n];
    px[i + n] = e1;
    const double e3 = e2 - px[i + n * 2];
    px[i + n * 2] = e2;
    const double e4 = e3 - px[i + n * 3];
    px[i + n * 3] = e3;
    const double e5 = e4 - px[i + n * 4];
    px[i + n * 4] = e4;
    const double e6 = e5 - px[i + n * 5];
    px[i + n * 5] = e5;
    const double e7 = e6 - px[i + n * 6];
    px[i + n * 6] = e6;
    const double e8 = e7 - px[i + n * 7];
    px[i + n * 7] = e7;
    const double e9 = e8 - px[i + n * 8];
    px[i + n * 8] = e8;
    px[i + n * 9] = e9;
  }
}

KP_REPETITION(args, run) { run.launch(diff_predict, kp_grid(args.n), args.px, args.cx, args.n); }
