// FIRST_MIN: the least element and the first place where it stands, from x[0] at 0, brought back to the host.
#include <cmath>

#include "first_min.abi.h"

KP_ARGUMENTS { const double *x; kp_located<double> *best; int64_t n; kp_results *results; };

using element = kp_located<double>;
#if !defined(KP_GPU)
#pragma omp declare reduction(first : element : omp_out = kp_first_minimum::apply(omp_out, omp_in)) \
    initializer(omp_priv = kp_first_minimum::identity<element>())
#endif

KP_REDUCTION first_min(KP_REF(double) x, element *best, int64_t n, kp_ticket ticket) {
  element mine = kp_first_minimum::identity<element>();
  KP_REDUCE(i, 0, n, reduction(first : mine)) {
    if (x[i] < mine.value) mine = {x[i], i};
  }
  kp_combine(ticket, kp_min_location(best, mine, HUGE_VAL));
}

KP_REDUCTION_REPETITION(args, run) {
  const kp_grid grid = run.reduction_grid<MAPPING>(first_min<MAPPING>, args.n);
  run.launch(first_min<MAPPING>, grid, args.x, args.best, args.n, run.issue(args.results));
}
