// PI_REDUCE: pi <- 4 sum dx / (1 + x^2), x = (i + 1/2) dx, brought back to the host.
#include "pi_reduce.abi.h"

KP_ARGUMENTS { double dx; int64_t n; double *pi; kp_results *results; };

KP_REDUCTION pi_reduce(double dx, int64_t n, double *pi, kp_ticket ticket) {
  double sum = 0.0;
  KP_REDUCE(i, 0, n, reduction(+ : sum)) {
    const double x = (kp_real(i) + 0.5) * dx;
    sum += dx / (1.0 + x * x);
  }
  kp_combine(ticket, kp_sum(pi, 4.0 * sum, 0.0));
}

KP_REDUCTION_REPETITION(args, run) {
  const kp_grid grid = run.reduction_grid<MAPPING>(pi_reduce<MAPPING>, args.n);
  run.launch(pi_reduce<MAPPING>, grid, args.dx, args.n, args.pi, run.issue(args.results));
}
