// INDEXLIST: the i with x[i] < 0, ascending, to the front of list; length <- how many, brought back to the host.
#include "indexlist.abi.h"

#include "kparity/select.h"

KP_ARGUMENTS { const double *x; int32_t *list; int32_t *length; int64_t n; kp_results *results; };

struct is_negative {
  const double *x;
  KP_BOTH bool operator()(int32_t i) const { return x[i] < 0.0; }
};

KP_TUNINGS(KP_LIBRARY_TUNING)

KP_TUNED_REPETITION(KP_LIBRARY_TUNING, args, run) {
  kp_select_indices(run, args.list, args.length, args.n, is_negative{args.x});
  kp_bring_back(run, args.length, args.results);
}
