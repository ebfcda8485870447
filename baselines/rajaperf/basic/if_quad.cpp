// IF_QUAD: real roots of a x^2 + b x + c, zero where there are none.
#include <cmath>

#include "if_quad.abi.h"

KP_ARGUMENTS { const double *a, *b, *c; double *x1, *x2; int64_t n; };

KP_KERNEL if_quad(KP_REF(double) a, KP_REF(double) b, KP_REF(double) c, KP_MUT(double) x1, KP_MUT(double) x2, int64_t n) {
  KP_FOR(i, 0, n) {
    const double discriminant = b[i] * b[i] - 4.0 * a[i] * c[i];
    if (discriminant >= 0.0) {
      const double root = sqrt(discriminant);
      x2[i] = (-b[i] + root) / (2.0 * a[i]);
      x1[i] = (-b[i] - root) / (2.0 * a[i]);
    } else {
      x2[i] = 0.0;
      x1[i] = 0.0;
    }
  }
}

KP_REPETITION(args, run) {
  run.launch(if_quad, kp_grid(args.n), args.a, args.b, args.c, args.x1, args.x2, args.n);
}
