// INDEXLIST_3LOOP: the i with x[i] < 0, ascending, to the front of list, in three loops; length <- how many, brought back
// to the host. The counts and their prefix sums lie in one piece of memory of the library's own.
#include "indexlist_3loop.abi.h"

#include "kparity/scan.h"

KP_ARGUMENTS { const double *x; int32_t *list; int32_t *length; int64_t n; kp_results *results; };

KP_KERNEL count(KP_REF(double) x, KP_MUT(int32_t) counts, int64_t n) {
  KP_FOR(i, 0, n + 1) { counts[i] = i < n && x[i] < 0.0 ? 1 : 0; }
}

KP_KERNEL collect(KP_REF(int32_t) before, KP_MUT(int32_t) list, int32_t *length, int64_t n, kp_ticket ticket) {
  KP_FOR(i, 0, n + 1) {
    if (i == n) *length = before[n];
    else if (before[i] != before[i + 1]) list[before[i]] = i;
  }
  kp_return(ticket, length);
}

KP_TUNINGS(KP_TUNING)

KP_TUNED_REPETITION(KP_TUNING, args, run) {
  static kp_memory<int32_t> counts, before;
  int32_t *const c = counts.of(run, args.n + 1), *const b = before.of(run, args.n + 1);
  run.launch(count, kp_grid(args.n + 1), args.x, c, args.n);
  kp_exclusive_scan(run, static_cast<const int32_t *>(c), b, args.n + 1);
  run.launch(collect, kp_grid(args.n + 1), b, args.list, args.length, args.n, run.issue(args.results));
}
