// MEMSET: x <- value.
#include "memset.abi.h"

KP_ARGUMENTS { double *x; double value; int64_t n; };

KP_KERNEL set(KP_MUT(double) x, double value, int64_t n) {
  KP_FOR(i, 0, n) { x[i] = value; }
}

KP_TUNINGS(KP_TUNING library)

KP_TUNED_REPETITION(KP_TUNING, args, run) { run.launch(set, kp_grid(args.n), args.x, args.value, args.n); }

// The runtime fills bytes: it can do this for values such as 0, whose bytes are all the same.
KP_TUNED_REPETITION(library, args, run) {
  unsigned char bytes[sizeof(double)];
  std::memcpy(bytes, &args.value, sizeof bytes);
  if (std::memcmp(bytes, bytes + 1, sizeof bytes - 1) == 0) run.fill(args.x, bytes[0], args.n * sizeof(double));
  else run.launch(set, kp_grid(args.n), args.x, args.value, args.n);
}
