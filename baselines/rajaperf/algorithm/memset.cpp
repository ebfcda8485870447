// MEMSET: x <- value.
#include "memset.abi.h"

KP_ARGUMENTS { double *x; double value; int64_t n; };

KP_KERNEL set(KP_MUT(double) x, double value, int64_t n) {
  KP_FOR(i, 0, n) { x[i] = value; }
}

KP_REPETITION(args, run) { run.launch(set, kp_grid(args.n), args.x, args.value, args.n); }
