// MASS3DEA: the mass matrices of elements, 64 x 64 each, an entry by the sum over 5 x 5 x 5 points. A block does an
// element; a thread has a basis function, and one row of the matrix after the other.
#define KP_BLOCK 64
#include "mass3dea.abi.h"

#include "kparity/teams.h"

KP_ARGUMENTS { double *m; const double *dq, *b; int64_t elements; };

constexpr int D = 4, Q = 5;  // coefficients and points in each direction
constexpr int ENTRIES = D * D * D * D * D * D, POINTS = Q * Q * Q, TEAM = D * D * D;

KP_KERNEL mass3dea(KP_MUT(double) m, KP_REF(double) dq, KP_REF(double) b, int64_t elements) {
  KP_TEAMS(e, elements) {
    KP_SHARED double basis[Q][D], weight[Q][Q][Q];
    KP_THREADS_3D(i3, D, i2, D, i1, D) {
      const int own = (i3 * D + i2) * D + i1;
      if (own < Q * D) basis[own / D][own % D] = b[own / D + Q * (own % D)];
      for (int point = own; point < POINTS; point += TEAM)
        weight[point / (Q * Q)][point / Q % Q][point % Q] = dq[point + POINTS * e];
    }
    KP_BARRIER();
    KP_THREADS_3D(i3, D, i2, D, i1, D)
      for (int j3 = 0; j3 < D; ++j3)
        for (int j2 = 0; j2 < D; ++j2) {
          double total[D] = {};  // of the rows along j1: they share all but one factor
          for (int k3 = 0; k3 < Q; ++k3) {
            const double b3 = basis[k3][i3] * basis[k3][j3];
            for (int k2 = 0; k2 < Q; ++k2) {
              const double b2 = b3 * (basis[k2][i2] * basis[k2][j2]);
              for (int k1 = 0; k1 < Q; ++k1) {
                const double common = b2 * basis[k1][i1] * weight[k3][k2][k1];
                for (int j1 = 0; j1 < D; ++j1) total[j1] += common * basis[k1][j1];
              }
            }
          }
          for (int j1 = 0; j1 < D; ++j1)
            m[i1 + D * (i2 + D * (i3 + D * (j1 + D * (j2 + D * j3)))) + ENTRIES * e] = total[j1];
        }
  }
}

KP_REPETITION(args, run) {
  run.launch(mass3dea, kp_team_grid<D, D, D>(args.elements), args.m, args.dq, args.b, args.elements);
}
