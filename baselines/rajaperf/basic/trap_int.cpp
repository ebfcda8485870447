// TRAP_INT: sumx <- sumx + h sum 1 / |(x0 + i h, y) - (xp, yp)|, brought back to the host.
#include <cmath>

#include "trap_int.abi.h"

KP_ARGUMENTS { double x0, xp, y, yp, h; int64_t n; double *sumx; kp_results *results; };

KP_REDUCTION trap_int(double x0, double xp, double y, double yp, double h, int64_t n, double *sumx, kp_ticket ticket) {
  double sum = 0.0;
  KP_REDUCE(i, 0, n, reduction(+ : sum)) {
    const double dx = x0 + kp_real(i) * h - xp, dy = y - yp;
    sum += 1.0 / sqrt(dx * dx + dy * dy);
  }
  kp_combine(ticket, kp_sum(sumx, sum * h));
}

KP_REDUCTION_REPETITION(args, run) {
  const kp_grid grid = run.reduction_grid<MAPPING>(trap_int<MAPPING>, args.n);
  run.launch(trap_int<MAPPING>, grid, args.x0, args.xp, args.y, args.yp, args.h, args.n, args.sumx,
             run.issue(args.results));
}
