// HISTOGRAM: counts[b] <- number of elements whose bin is b.
#include "histogram.abi.h"

KP_ARGUMENTS { uint64_t *counts; const int64_t *bins; int64_t m, n; };

KP_KERNEL begin(uint64_t *counts, int64_t m) {
  KP_FOR(b, 0, m) { counts[b] = 0; }
}

KP_REDUCTION count(uint64_t *counts, KP_REF(int64_t) bins, int64_t m, int64_t n) {
  KP_BINNED(i, 0, n, counts, m) { KP_ADD_TO_BIN(counts, bins[i], uint64_t(1)); }
  KP_SETTLE_BINS(counts, m);
}

KP_BINNED_REPETITION(args, run) {
  run.launch(begin, kp_grid(args.m), args.counts, args.m);
  const kp_grid grid = run.reduction_grid<MAPPING>(count<MAPPING>, args.n);
  run.launch(count<MAPPING>, grid, args.counts, args.bins, args.m, args.n);
}
