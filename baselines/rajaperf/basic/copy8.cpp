// COPY8: y_k <- x_k, k < 8, in one loop.
#include "copy8.abi.h"

KP_ARGUMENTS {
  double *y0, *y1, *y2, *y3, *y4, *y5, *y6, *y7;
  const double *x0, *x1, *x2, *x3, *x4, *x5, *x6, *x7;
  int64_t n;
};

KP_KERNEL copy8(KP_MUT(double) y0, KP_MUT(double) y1, KP_MUT(double) y2, KP_MUT(double) y3, KP_MUT(double) y4,
                KP_MUT(double) y5, KP_MUT(double) y6, KP_MUT(double) y7, KP_REF(double) x0, KP_REF(double) x1,
                KP_REF(double) x2, KP_REF(double) x3, KP_REF(double) x4, KP_REF(double) x5, KP_REF(double) x6,
                KP_REF(double) x7, int64_t n) {
  KP_FOR(i, 0, n) {
    y0[i] = x0[i];
    y1[i] = x1[i];
    y2[i] = x2[i];
    y3[i] = x3[i];
    y4[i] = x4[i];
    y5[i] = x5[i];
    y6[i] = x6[i];
    y7[i] = x7[i];
  }
}

KP_REPETITION(args, run) {
  run.launch(copy8, kp_grid(args.n), args.y0, args.y1, args.y2, args.y3, args.y4, args.y5, args.y6, args.y7, args.x0,
             args.x1, args.x2, args.x3, args.x4, args.x5, args.x6, args.x7, args.n);
}
