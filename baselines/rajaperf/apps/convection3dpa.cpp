// CONVECTION3DPA: y += B' v . G x an element, G the gradient at the points, v the velocity there. A block does an
// element, a thread one point or coefficient; contractions alternate between two arrays of shared memory.
#define KP_BLOCK 64
#include "convection3dpa.abi.h"

#include "kparity/teams.h"

KP_ARGUMENTS { double *y; const double *x, *dq, *b, *bt, *g; int64_t elements; };

constexpr int D = 3, Q = 4;  // coefficients and points in each direction
constexpr int POINTS = Q * Q * Q;

KP_KERNEL convection3dpa(KP_MUT(double) y, KP_REF(double) x, KP_REF(double) dq, KP_REF(double) b, KP_REF(double) bt,
                         KP_REF(double) g, int64_t elements) {
  KP_TEAMS(e, elements) {
    KP_SHARED double even[2 * D * D * Q], odd[3 * D * Q * Q];
    auto xd = reinterpret_cast<double (*)[D][D]>(odd);
    auto ddq = reinterpret_cast<double (*)[D][D][Q]>(even);
    auto dqq = reinterpret_cast<double (*)[D][Q][Q]>(odd);
    auto qqq = reinterpret_cast<double (*)[Q][Q]>(even);
    auto qqd = reinterpret_cast<double (*)[Q][Q]>(odd);
    auto qdd = reinterpret_cast<double (*)[D][Q]>(even);
    KP_SOME_THREADS_3D(dz, D, dy, D, dx, D) xd[dz][dy][dx] = x[dx + D * (dy + D * (dz + D * e))];
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, dy, D, qx, Q) {
      double u = 0.0, v = 0.0;
      for (int dx = 0; dx < D; ++dx) {
        u += xd[dz][dy][dx] * b[qx + Q * dx];
        v += xd[dz][dy][dx] * g[qx + Q * dx];
      }
      ddq[0][dz][dy][qx] = u;
      ddq[1][dz][dy][qx] = v;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, qy, Q, qx, Q) {
      double u = 0.0, v = 0.0, w = 0.0;
      for (int dy = 0; dy < D; ++dy) {
        u += ddq[1][dz][dy][qx] * b[qy + Q * dy];
        v += ddq[0][dz][dy][qx] * g[qy + Q * dy];
        w += ddq[0][dz][dy][qx] * b[qy + Q * dy];
      }
      dqq[0][dz][qy][qx] = u;
      dqq[1][dz][qy][qx] = v;
      dqq[2][dz][qy][qx] = w;
    }
    KP_BARRIER();
    KP_THREADS_3D(qz, Q, qy, Q, qx, Q) {
      double u = 0.0, v = 0.0, w = 0.0;
      for (int dz = 0; dz < D; ++dz) {
        u += dqq[0][dz][qy][qx] * b[qz + Q * dz];
        v += dqq[1][dz][qy][qx] * b[qz + Q * dz];
        w += dqq[2][dz][qy][qx] * g[qz + Q * dz];
      }
      const int64_t at = qx + Q * (qy + Q * qz) + 3 * POINTS * e;
      qqq[qz][qy][qx] = dq[at] * u + dq[at + POINTS] * v + dq[at + 2 * POINTS] * w;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, qy, Q, qx, Q) {
      double u = 0.0;
      for (int qz = 0; qz < Q; ++qz) u += qqq[qz][qy][qx] * bt[dz + D * qz];
      qqd[dz][qy][qx] = u;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, dy, D, qx, Q) {
      double u = 0.0;
      for (int qy = 0; qy < Q; ++qy) u += qqd[dz][qy][qx] * bt[dy + D * qy];
      qdd[dz][dy][qx] = u;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, dy, D, dx, D) {
      double u = 0.0;
      for (int qx = 0; qx < Q; ++qx) u += qdd[dz][dy][qx] * bt[dx + D * qx];
      y[dx + D * (dy + D * (dz + D * e))] += u;
    }
  }
}

KP_REPETITION(args, run) {
  run.launch(convection3dpa, kp_team_grid<Q, Q, Q>(args.elements), args.y, args.x, args.dq, args.b, args.bt, args.g,
             args.elements);
}
