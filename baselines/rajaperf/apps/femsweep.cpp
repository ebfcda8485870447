// FEMSWEEP: a transport sweep, eight coefficients an element. A block does a direction and a group, plane by plane; a
// thread solves for an element, whose right side takes what flows in from upwind. The factor of that is zero.
#define KP_BLOCK 128
#include "femsweep.abi.h"

#include <cmath>

#include "kparity/teams.h"

KP_ARGUMENTS {
  double *x;
  const double *b, *a, *coupling, *sigma, *mass;
  const int32_t *planes, *start, *order, *inflow, *faces, *dofs;
  int64_t angles, groups, elements, interior, most;
};

constexpr int N = 8;  // coefficients of an element
constexpr int FACES = 6, CORNERS = 4;

// Solves m x = right in place, L U with a unit diagonal of U, without pivoting.
KP_BOTH static inline void solve(double (&m)[N][N], double (&right)[N]) {
  for (int k = 0; k < N; ++k) {
    for (int i = k; i < N; ++i)
      for (int s = 0; s < k; ++s) m[i][k] -= m[i][s] * m[s][k];
    for (int j = k + 1; j < N; ++j) {
      for (int s = 0; s < k; ++s) m[k][j] -= m[k][s] * m[s][j];
      m[k][j] /= m[k][k];
    }
  }
  for (int i = 0; i < N; ++i) {
    for (int s = 0; s < i; ++s) right[i] -= m[i][s] * right[s];
    right[i] /= m[i][i];
  }
  for (int i = N - 1; i >= 0; --i)
    for (int s = i + 1; s < N; ++s) right[i] -= m[i][s] * right[s];
}

// No `restrict` for x: what one phase writes, the next one reads.
KP_KERNEL femsweep(double *x, KP_REF(double) b, KP_REF(double) a, KP_REF(double) coupling, KP_REF(double) sigma,
                   KP_REF(double) mass, KP_REF(int32_t) planes, KP_REF(int32_t) start, KP_REF(int32_t) order,
                   KP_REF(int32_t) inflow, KP_REF(int32_t) faces, KP_REF(int32_t) dofs, int64_t angles, int64_t groups,
                   int64_t elements, int64_t interior, int64_t most) {
  KP_TEAMS_2D(angle, angles, group, groups) {
    double *const own = x + N * elements * (group + groups * angle);
    for (int plane = 0; plane < planes[angle]; ++plane) {
      KP_THREADS(t, start[plane + most * angle], start[plane + 1 + most * angle]) {
        const int64_t e = order[t + elements * angle], at = e + elements * angle;
        double right[N], m[N][N];
        for (int i = 0; i < N; ++i) right[i] = b[i + N * at];
        const double first = std::sin(a[N * N * at]) - 2.0, factor = first > 0.0 ? first : 0.0;
        for (int face = 0; face < FACES; ++face) {
          const int side = inflow[face + FACES * at];
          if (side == 0) continue;
          const int64_t f = faces[face + FACES * e], part = side - 1 + 2 * (f + interior * angle);
          double upwind[CORNERS];
          for (int j = 0; j < CORNERS; ++j) upwind[j] = own[dofs[j + CORNERS * (2 - side + 2 * f)]];
          for (int i = 0; i < CORNERS; ++i) {
            double total = 0.0;
            for (int j = 0; j < CORNERS; ++j) total += coupling[j + CORNERS * (i + CORNERS * part)] * upwind[j];
            right[dofs[i + CORNERS * (side - 1 + 2 * f)] - N * e] -= factor * total;
          }
        }
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j)
            m[i][j] = a[j + N * (i + N * at)] + sigma[e + elements * group] * mass[j + N * (i + N * e)];
        solve(m, right);
        for (int i = 0; i < N; ++i) own[i + N * e] = right[i];
      }
      KP_BARRIER();
    }
  }
}

KP_REPETITION(args, run) {
  run.launch(femsweep, kp_team_grid<1, KP_BLOCK>(args.angles, args.groups), args.x, args.b, args.a, args.coupling,
             args.sigma, args.mass, args.planes, args.start, args.order, args.inflow, args.faces, args.dofs,
             args.angles, args.groups, args.elements, args.interior, args.most);
}
