// ATOMIC: counters[i % q] <- counters[i % q] + 1, each update atomic. On a GPU a warp or a block may count what is its own
// first, and its number is then that of the counter: the sum of all counters is the same.
#include "atomic.abi.h"

KP_ARGUMENTS { double *counters; int64_t n, q; };

KP_KERNEL count(KP_ATOMIC(double) counters, int64_t n, int64_t q) {
  KP_FOR(i, 0, n) { kp_atomic_add(&counters[i % q], 1.0); }
}

#ifdef KP_GPU
KP_KERNEL count_by_warps(KP_ATOMIC(double) counters, int64_t n, int64_t q) {
  const int64_t i = kp_thread();
  const double sum = kp_warp_combine(kp_add(), i < n ? 1.0 : 0.0, KP_WARP);
  if (i < n && threadIdx.x % KP_WARP == 0) kp_atomic_add(&counters[i / KP_WARP % q], sum);
}

KP_KERNEL count_by_blocks(KP_ATOMIC(double) counters, int64_t n, int64_t q) {
  const int64_t i = kp_thread();
  const double sum = kp_block_sum(i < n ? 1.0 : 0.0);
  if (threadIdx.x == 0) kp_atomic_add(&counters[blockIdx.x % q], sum);
}

#define KP_REPLICATED(by) KP_JOIN(replicate_4096_##by##_, KP_BLOCK)
KP_TUNINGS(KP_REPLICATED(global) KP_REPLICATED(warp) KP_REPLICATED(block))
KP_TUNED_REPETITION(KP_REPLICATED(warp), args, run) {
  run.launch(count_by_warps, kp_grid(args.n), args.counters, args.n, args.q);
}
KP_TUNED_REPETITION(KP_REPLICATED(block), args, run) {
  run.launch(count_by_blocks, kp_grid(args.n), args.counters, args.n, args.q);
}
#else
#define KP_REPLICATED(by) KP_TUNING
KP_TUNINGS(KP_TUNING)
#endif

KP_TUNED_REPETITION(KP_REPLICATED(global), args, run) {
  run.launch(count, kp_grid(args.n), args.counters, args.n, args.q);
}
