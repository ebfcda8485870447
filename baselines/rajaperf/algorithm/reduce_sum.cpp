// REDUCE_SUM: total <- sum of x, brought back to the host.
#include "reduce_sum.abi.h"

KP_ARGUMENTS { const double *x; double *total; int64_t n; kp_results *results; };

KP_REDUCTION reduce_sum(KP_REF(double) x, double *total, int64_t n, kp_ticket ticket) {
  double sum = 0.0;
  KP_REDUCE(i, 0, n, reduction(+ : sum)) { sum += x[i]; }
  kp_combine(ticket, kp_sum(total, sum, 0.0));
}

KP_REDUCTION_REPETITION(args, run) {
  const kp_grid grid = run.reduction_grid<MAPPING>(reduce_sum<MAPPING>, args.n);
  run.launch(reduce_sum<MAPPING>, grid, args.x, args.total, args.n, run.issue(args.results));
}
