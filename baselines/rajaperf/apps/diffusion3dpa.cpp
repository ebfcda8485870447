// DIFFUSION3DPA: y += G' D G x an element, G the gradient at the points, D a symmetric 3 x 3 matrix at each of them. A
// block does an element, a thread one point or coefficient; contractions alternate between two arrays of shared memory.
#define KP_BLOCK 64
#include "diffusion3dpa.abi.h"

#include "kparity/teams.h"

KP_ARGUMENTS { double *y; const double *x, *dq, *b, *g; int64_t elements; };

constexpr int D = 3, Q = 4;  // coefficients and points in each direction
constexpr int POINTS = Q * Q * Q, PARTS = 6;

KP_KERNEL diffusion3dpa(KP_MUT(double) y, KP_REF(double) x, KP_REF(double) dq, KP_REF(double) b, KP_REF(double) g,
                        int64_t elements) {
  KP_TEAMS(e, elements) {
    KP_SHARED double value[Q][D], slope[Q][D], even[3 * POINTS], odd[3 * POINTS];
    auto xd = reinterpret_cast<double (*)[D][D]>(odd);
    auto ddq = reinterpret_cast<double (*)[D][D][Q]>(even);
    auto dqq = reinterpret_cast<double (*)[D][Q][Q]>(odd);
    auto qqq = reinterpret_cast<double (*)[Q][Q][Q]>(even);
    auto qqd = reinterpret_cast<double (*)[Q][Q][D]>(odd);
    auto qdd = reinterpret_cast<double (*)[Q][D][D]>(even);
    KP_SOME_THREADS_3D(dz, D, dy, D, dx, D) xd[dz][dy][dx] = x[dx + D * (dy + D * (dz + D * e))];
    KP_SOME_THREADS_3D(z, 1, dx, D, qx, Q) {
      value[qx][dx] = b[qx + Q * dx];
      slope[qx][dx] = g[qx + Q * dx];
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, dy, D, qx, Q) {
      double u = 0.0, v = 0.0;
      for (int dx = 0; dx < D; ++dx) {
        u += xd[dz][dy][dx] * value[qx][dx];
        v += xd[dz][dy][dx] * slope[qx][dx];
      }
      ddq[0][dz][dy][qx] = u;
      ddq[1][dz][dy][qx] = v;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, qy, Q, qx, Q) {
      double u = 0.0, v = 0.0, w = 0.0;
      for (int dy = 0; dy < D; ++dy) {
        u += ddq[1][dz][dy][qx] * value[qy][dy];
        v += ddq[0][dz][dy][qx] * slope[qy][dy];
        w += ddq[0][dz][dy][qx] * value[qy][dy];
      }
      dqq[0][dz][qy][qx] = u;
      dqq[1][dz][qy][qx] = v;
      dqq[2][dz][qy][qx] = w;
    }
    KP_BARRIER();
    KP_THREADS_3D(qz, Q, qy, Q, qx, Q) {
      double u = 0.0, v = 0.0, w = 0.0;
      for (int dz = 0; dz < D; ++dz) {
        u += dqq[0][dz][qy][qx] * value[qz][dz];
        v += dqq[1][dz][qy][qx] * value[qz][dz];
        w += dqq[2][dz][qy][qx] * slope[qz][dz];
      }
      const int64_t at = qx + Q * (qy + Q * qz) + PARTS * POINTS * e;
      const double xx = dq[at], xy = dq[at + POINTS], xz = dq[at + 2 * POINTS];
      const double yy = dq[at + 3 * POINTS], yz = dq[at + 4 * POINTS], zz = dq[at + 5 * POINTS];
      qqq[0][qz][qy][qx] = xx * u + xy * v + xz * w;
      qqq[1][qz][qy][qx] = xy * u + yy * v + yz * w;
      qqq[2][qz][qy][qx] = xz * u + yz * v + zz * w;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(qz, Q, qy, Q, dx, D) {
      double u = 0.0, v = 0.0, w = 0.0;
      for (int qx = 0; qx < Q; ++qx) {
        u += qqq[0][qz][qy][qx] * slope[qx][dx];
        v += qqq[1][qz][qy][qx] * value[qx][dx];
        w += qqq[2][qz][qy][qx] * value[qx][dx];
      }
      qqd[0][qz][qy][dx] = u;
      qqd[1][qz][qy][dx] = v;
      qqd[2][qz][qy][dx] = w;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(qz, Q, dy, D, dx, D) {
      double u = 0.0, v = 0.0, w = 0.0;
      for (int qy = 0; qy < Q; ++qy) {
        u += qqd[0][qz][qy][dx] * value[qy][dy];
        v += qqd[1][qz][qy][dx] * slope[qy][dy];
        w += qqd[2][qz][qy][dx] * value[qy][dy];
      }
      qdd[0][qz][dy][dx] = u;
      qdd[1][qz][dy][dx] = v;
      qdd[2][qz][dy][dx] = w;
    }
    KP_BARRIER();
    KP_SOME_THREADS_3D(dz, D, dy, D, dx, D) {
      double u = 0.0, v = 0.0, w = 0.0;
      for (int qz = 0; qz < Q; ++qz) {
        u += qdd[0][qz][dy][dx] * value[qz][dz];
        v += qdd[1][qz][dy][dx] * value[qz][dz];
        w += qdd[2][qz][dy][dx] * slope[qz][dz];
      }
      y[dx + D * (dy + D * (dz + D * e))] += u + v + w;
    }
  }
}

KP_REPETITION(args, run) {
  run.launch(diffusion3dpa, kp_team_grid<Q, Q, Q>(args.elements), args.y, args.x, args.dq, args.b, args.g,
             args.elements);
}
