// MASS3DPA: y += B' D B x an element, six contractions of one direction each. A block does an element, a thread a column
// along z; what is contracted alternates between two arrays of shared memory.
#define KP_BLOCK 25
#include "mass3dpa.abi.h"

#include "kparity/teams.h"

KP_ARGUMENTS { double *y; const double *x, *dq, *b, *bt; int64_t elements; };

constexpr int D = 4, Q = 5;  // coefficients and points in each direction

KP_KERNEL mass3dpa(KP_MUT(double) y, KP_REF(double) x, KP_REF(double) dq, KP_REF(double) b, KP_REF(double) bt,
                   int64_t elements) {
  KP_TEAMS(e, elements) {
    KP_SHARED double basis[Q * D], even[Q * Q * Q], odd[Q * Q * Q];
    auto forward = reinterpret_cast<double (*)[D]>(basis);
    auto back = reinterpret_cast<double (*)[Q]>(basis);
    auto xd = reinterpret_cast<double (*)[D][D]>(even);
    auto ddq = reinterpret_cast<double (*)[D][Q]>(odd);
    auto dqq = reinterpret_cast<double (*)[Q][Q]>(even);
    auto qqq = reinterpret_cast<double (*)[Q][Q]>(odd);
    auto qqd = reinterpret_cast<double (*)[Q][D]>(even);
    auto qdd = reinterpret_cast<double (*)[D][D]>(odd);
    KP_SOME_THREADS_2D(dy, D, qx, Q) {
      if (qx < D)
        for (int dz = 0; dz < D; ++dz) xd[dz][dy][qx] = x[qx + D * (dy + D * (dz + D * e))];
      forward[qx][dy] = b[qx + Q * dy];
    }
    KP_BARRIER();
    KP_SOME_THREADS_2D(dy, D, qx, Q) {
      double u[D] = {};
      for (int dx = 0; dx < D; ++dx)
        for (int dz = 0; dz < D; ++dz) u[dz] += xd[dz][dy][dx] * forward[qx][dx];
      for (int dz = 0; dz < D; ++dz) ddq[dz][dy][qx] = u[dz];
    }
    KP_BARRIER();
    KP_THREADS_2D(qy, Q, qx, Q) {
      double u[D] = {};
      for (int dy = 0; dy < D; ++dy)
        for (int dz = 0; dz < D; ++dz) u[dz] += ddq[dz][dy][qx] * forward[qy][dy];
      for (int dz = 0; dz < D; ++dz) dqq[dz][qy][qx] = u[dz];
    }
    KP_BARRIER();
    KP_THREADS_2D(qy, Q, qx, Q) {
      double u[Q] = {};
      for (int dz = 0; dz < D; ++dz)
        for (int qz = 0; qz < Q; ++qz) u[qz] += dqq[dz][qy][qx] * forward[qz][dz];
      for (int qz = 0; qz < Q; ++qz) qqq[qz][qy][qx] = u[qz] * dq[qx + Q * (qy + Q * (qz + Q * e))];
    }
    KP_BARRIER();
    KP_SOME_THREADS_2D(dy, D, qx, Q) back[dy][qx] = bt[dy + D * qx];
    KP_BARRIER();
    KP_SOME_THREADS_2D(qy, Q, dx, D) {
      double u[Q] = {};
      for (int qx = 0; qx < Q; ++qx)
        for (int qz = 0; qz < Q; ++qz) u[qz] += qqq[qz][qy][qx] * back[dx][qx];
      for (int qz = 0; qz < Q; ++qz) qqd[qz][qy][dx] = u[qz];
    }
    KP_BARRIER();
    KP_SOME_THREADS_2D(dy, D, dx, D) {
      double u[Q] = {};
      for (int qy = 0; qy < Q; ++qy)
        for (int qz = 0; qz < Q; ++qz) u[qz] += qqd[qz][qy][dx] * back[dy][qy];
      for (int qz = 0; qz < Q; ++qz) qdd[qz][dy][dx] = u[qz];
    }
    // Each thread reads its own column: no barrier.
    KP_SOME_THREADS_2D(dy, D, dx, D) {
      double u[D] = {};
      for (int qz = 0; qz < Q; ++qz)
        for (int dz = 0; dz < D; ++dz) u[dz] += qdd[qz][dy][dx] * back[dz][qz];
      for (int dz = 0; dz < D; ++dz) y[dx + D * (dy + D * (dz + D * e))] += u[dz];
    }
  }
}

KP_REPETITION(args, run) {
  run.launch(mass3dpa, kp_team_grid<1, Q, Q>(args.elements), args.y, args.x, args.dq, args.b, args.bt, args.elements);
}
