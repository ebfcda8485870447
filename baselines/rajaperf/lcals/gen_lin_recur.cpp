// GEN_LIN_RECUR: b5[k] <- sa[k] + stb5[k] sb[k], stb5[k] <- b5[k] - stb5[k], for k upwards, then for k downwards.
#include "gen_lin_recur.abi.h"

KP_ARGUMENTS { double *b5, *stb5; const double *sa, *sb; int64_t n; };

KP_KERNEL upwards(KP_MUT(double) b5, KP_MUT(double) stb5, KP_REF(double) sa, KP_REF(double) sb, int64_t n) {
  KP_FOR(k, 0, n) {
    b5[k] = sa[k] + stb5[k] * sb[k];
    stb5[k] = b5[k] - stb5[k];
  }
}

KP_KERNEL downwards(KP_MUT(double) b5, KP_MUT(double) stb5, KP_REF(double) sa, KP_REF(double) sb, int64_t n) {
  KP_FOR(i, 1, n + 1) {
    const int64_t k = n - i;
    b5[k] = sa[k] + stb5[k] * sb[k];
    stb5[k] = b5[k] - stb5[k];
  }
}

KP_REPETITION(args, run) {
  run.launch(upwards, kp_grid(args.n), args.b5, args.stb5, args.sa, args.sb, args.n);
  run.launch(downwards, kp_grid(args.n), args.b5, args.stb5, args.sa, args.sb, args.n);
}
