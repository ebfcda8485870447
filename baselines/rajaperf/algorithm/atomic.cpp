// ATOMIC: counters[i % q] <- counters[i % q] + 1, each update atomic.
#include "atomic.abi.h"

KP_ARGUMENTS { double *counters; int64_t n, q; };

KP_KERNEL count(KP_ATOMIC(double) counters, int64_t n, int64_t q) {
  KP_FOR(i, 0, n) { kp_atomic_add(&counters[i % q], 1.0); }
}

KP_REPETITION(args, run) { run.launch(count, kp_grid(args.n), args.counters, args.n, args.q); }
