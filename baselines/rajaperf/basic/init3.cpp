// INIT3: out1, out2, out3 <- -in1 - in2.
#include "init3.abi.h"

KP_ARGUMENTS { double *out1, *out2, *out3; const double *in1, *in2; int64_t n; };

KP_KERNEL init3(KP_MUT(double) out1, KP_MUT(double) out2, KP_MUT(double) out3, KP_REF(double) in1, KP_REF(double) in2,
                int64_t n) {
  KP_FOR(i, 0, n) { out1[i] = out2[i] = out3[i] = -in1[i] - in2[i]; }
}

KP_REPETITION(args, run) {
  run.launch(init3, kp_grid(args.n), args.out1, args.out2, args.out3, args.in1, args.in2, args.n);
}
