// DOT: total <- total + a . b, brought back to the host.
#include "dot.abi.h"

KP_ARGUMENTS { const double *a, *b; double *total; int64_t n; kp_results *results; };

KP_REDUCTION dot(KP_REF(double) a, KP_REF(double) b, double *total, int64_t n, kp_ticket ticket) {
  double sum = 0.0;
  KP_REDUCE(i, 0, n, reduction(+ : sum)) { sum += a[i] * b[i]; }
  kp_combine(ticket, kp_sum(total, sum));
}

KP_REDUCTION_REPETITION(args, run) {
  const kp_grid grid = run.reduction_grid<MAPPING>(dot<MAPPING>, args.n);
  run.launch(dot<MAPPING>, grid, args.a, args.b, args.total, args.n, run.issue(args.results));
}
