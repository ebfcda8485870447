// PI_ATOMIC: pi <- 4 sum dx / (1 + x^2), x = (i + 1/2) dx, each term added atomically; brought back to the host.
#include "pi_atomic.abi.h"

KP_ARGUMENTS { double dx; int64_t n; double *pi; kp_results *results; };

KP_KERNEL begin(double *pi) {
  KP_FOR(i, 0, 1) { pi[i] = 0.0; }
}

KP_KERNEL integrate(double dx, int64_t n, KP_ATOMIC(double) pi, kp_ticket ticket) {
  KP_FOR(i, 0, n) {
    const double x = (kp_real(i) + 0.5) * dx;
    kp_atomic_add(pi, 4.0 * (dx / (1.0 + x * x)));
  }
  kp_return(ticket, pi);
}

KP_REPETITION(args, run) {
  run.launch(begin, kp_grid(1), args.pi);
  run.launch(integrate, kp_grid(args.n), args.dx, args.n, args.pi, run.issue(args.results));
}
