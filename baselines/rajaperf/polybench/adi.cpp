// ADI: the columns of v from u, then the rows of u from v; a thread solves one tridiagonal system.
#include "adi.abi.h"

KP_ARGUMENTS { double *u, *v, *p, *q; double a, b, c, d, e, f; int64_t n; };

KP_KERNEL solve_columns(KP_REF(double) u, KP_MUT(double) v, KP_MUT(double) p, KP_MUT(double) q, double a, double b,
                        double c, double d, double f, int64_t n) {
  KP_FOR(i, 1, n - 1) {
    v[i] = 1.0;
    p[i * n] = 0.0;
    q[i * n] = v[i];
    for (int64_t j = 1; j < n - 1; ++j) {
      p[i * n + j] = -c / (a * p[i * n + j - 1] + b);
      q[i * n + j] = (-d * u[j * n + i - 1] + (1.0 + 2.0 * d) * u[j * n + i] - f * u[j * n + i + 1] -
                      a * q[i * n + j - 1]) /
                     (a * p[i * n + j - 1] + b);
    }
    v[(n - 1) * n + i] = 1.0;
    for (int64_t k = n - 2; k > 0; --k) v[k * n + i] = p[i * n + k] * v[(k + 1) * n + i] + q[i * n + k];
  }
}

KP_KERNEL solve_rows(KP_MUT(double) u, KP_REF(double) v, KP_MUT(double) p, KP_MUT(double) q, double a, double c,
                     double d, double e, double f, int64_t n) {
  KP_FOR(i, 1, n - 1) {
    u[i * n] = 1.0;
    p[i * n] = 0.0;
    q[i * n] = u[i * n];
    for (int64_t j = 1; j < n - 1; ++j) {
      p[i * n + j] = -f / (d * p[i * n + j - 1] + e);
      q[i * n + j] = (-a * v[(i - 1) * n + j] + (1.0 + 2.0 * a) * v[i * n + j] - c * v[(i + 1) * n + j] -
                      d * q[i * n + j - 1]) /
                     (d * p[i * n + j - 1] + e);
    }
    u[i * n + n - 1] = 1.0;
    for (int64_t k = n - 2; k > 0; --k) u[i * n + k] = p[i * n + k] * u[i * n + k + 1] + q[i * n + k];
  }
}

KP_REPETITION(args, run) {
  const kp_grid lines(args.n - 2);
  run.launch(solve_columns, lines, args.u, args.v, args.p, args.q, args.a, args.b, args.c, args.d, args.f, args.n);
  run.launch(solve_rows, lines, args.u, args.v, args.p, args.q, args.a, args.c, args.d, args.e, args.f, args.n);
}
