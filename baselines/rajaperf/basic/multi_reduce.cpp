// MULTI_REDUCE: values[b] <- sum of the data whose bin is b.
#include "multi_reduce.abi.h"

KP_ARGUMENTS { double *values; const int64_t *bins; const double *data; int64_t m, n; };

KP_KERNEL begin(double *values, int64_t m) {
  KP_FOR(b, 0, m) { values[b] = 0.0; }
}

KP_REDUCTION add(double *values, KP_REF(int64_t) bins, KP_REF(double) data, int64_t m, int64_t n) {
  KP_BINNED(i, 0, n, values, m) { KP_ADD_TO_BIN(values, bins[i], data[i]); }
  KP_SETTLE_BINS(values, m);
}

KP_BINNED_REPETITION(args, run) {
  run.launch(begin, kp_grid(args.m), args.values, args.m);
  const kp_grid grid = run.reduction_grid<MAPPING>(add<MAPPING>, args.n);
  run.launch(add<MAPPING>, grid, args.values, args.bins, args.data, args.m, args.n);
}
