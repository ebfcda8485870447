// MASS3DPA_ATOMIC: y += B' D B x for elements that share coefficients: gathered and added to through a list of their
// numbers. A block does an element, a thread one value of each of the six contractions; they alternate between two arrays
// of shared memory.
#define KP_BLOCK 64
#include "mass3dpa_atomic.abi.h"

#include "kparity/teams.h"

KP_ARGUMENTS { double *y; const double *x, *dq, *b; const int64_t *numbers; int64_t dofs, elements; };

constexpr int D = 3, Q = 4;  // coefficients and points in each direction

KP_KERNEL mass3dpa_atomic(KP_ATOMIC(double) y, KP_REF(double) x, KP_REF(double) dq, KP_REF(double) b,
                          KP_REF(int64_t) numbers, int64_t elements) {
  KP_TEAMS(e, elements) {
    KP_SHARED double basis[Q][D], even[Q * Q * Q], odd[Q * Q * Q];
    auto xd = reinterpret_cast<double (*)[D][D]>(even);
    auto ddq = reinterpret_cast<double (*)[D][Q]>(odd);
    auto dqq = reinterpret_cast<double (*)[Q][Q]>(even);
    auto qqq = reinterpret_cast<double (*)[Q][Q]>(odd);
    auto qqd = reinterpret_cast<double (*)[Q][D]>(even);
    auto qdd = reinterpret_cast<double (*)[D][D]>(odd);
    KP_SOME_THREADS_3D(z, 1, dx, D, qx, Q) basis[qx][dx] = b[qx + Q * dx];
    KP_SOME_THREADS_3D(dz, D, dy, D, dx, D) xd[dz][dy][dx] = x[numbers[dx + D * (dy + D * (dz + D * e))]];
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, dy, D, qx, Q) {
      double u = 0.0;
      for (int dx = 0; dx < D; ++dx) u += xd[dz][dy][dx] * basis[qx][dx];
      ddq[dz][dy][qx] = u;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, qy, Q, qx, Q) {
      double u = 0.0;
      for (int dy = 0; dy < D; ++dy) u += ddq[dz][dy][qx] * basis[qy][dy];
      dqq[dz][qy][qx] = u;
    }
    KP_BARRIER();
    KP_THREADS_3D(qz, Q, qy, Q, qx, Q) {
      double u = 0.0;
      for (int dz = 0; dz < D; ++dz) u += dqq[dz][qy][qx] * basis[qz][dz];
      qqq[qz][qy][qx] = u * dq[qx + Q * (qy + Q * (qz + Q * e))];
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(qz, Q, qy, Q, dx, D) {
      double u = 0.0;
      for (int qx = 0; qx < Q; ++qx) u += qqq[qz][qy][qx] * basis[qx][dx];
      qqd[qz][qy][dx] = u;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(qz, Q, dy, D, dx, D) {
      double u = 0.0;
      for (int qy = 0; qy < Q; ++qy) u += qqd[qz][qy][dx] * basis[qy][dy];
      qdd[qz][dy][dx] = u;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, dy, D, dx, D) {
      double u = 0.0;
      for (int qz = 0; qz < Q; ++qz) u += qdd[qz][dy][dx] * basis[qz][dz];
      kp_atomic_add(&y[numbers[dx + D * (dy + D * (dz + D * e))]], u);
    }
  }
}

KP_REPETITION(args, run) {
  run.launch(mass3dpa_atomic, kp_team_grid<Q, Q, Q>(args.elements), args.y, args.x, args.dq, args.b, args.numbers,
             args.elements);
}
