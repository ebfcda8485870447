// EDGE3D: sum of the entries of each zone's edge-element matrix, mass plus curl-curl, by two points in each direction.
#include <cmath>

#include "edge3d.abi.h"

KP_ARGUMENTS { const double *x, *y, *z; double *sum; int64_t jp, kp, fpz, lpz, nn; };

constexpr int CORNERS = 8, EDGES = 12, POINTS = 2;
constexpr double TINY = 1e-50;  // keeps reciprocals finite

struct vector { double x, y, z; };

KP_BOTH static inline vector operator-(vector a, vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
KP_BOTH static inline vector operator+(vector a, vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
KP_BOTH static inline vector operator*(double s, vector a) { return {s * a.x, s * a.y, s * a.z}; }
KP_BOTH static inline vector cross(vector a, vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
KP_BOTH static inline double dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Adds weight times the inner products to the entries (p, q), p <= q, of the symmetric matrix.
KP_BOTH static inline void add_products(double (&matrix)[EDGES][EDGES], double weight, const vector (&basis)[EDGES]) {
  for (int p = 0; p < EDGES; ++p)
    for (int q = p; q < EDGES; ++q) matrix[p][q] += weight * dot(basis[p], basis[q]);
}

KP_BOTH static inline double sum_of_rows(const double (&matrix)[EDGES][EDGES]) {
  double sum = 0.0;
  for (int p = 0; p < EDGES; ++p) {
    double row = 0.0;
    for (int q = 0; q < EDGES; ++q) row += p <= q ? matrix[p][q] : matrix[q][p];
    sum += row;
  }
  return sum;
}

// Corners are numbered around the faces of the reference cube.
KP_BOTH static inline double edge_matrix_sum(const vector (&a)[CORNERS]) {
  constexpr double point[POINTS] = {0.211324865405187118, 0.788675134594812882}, weight = 0.5 * 0.5 * 0.5;
  double matrix[EDGES][EDGES] = {};
  for (int iu = 0; iu < POINTS; ++iu) {
    const double u1 = point[iu], u0 = 1.0 - u1;
    for (int iv = 0; iv < POINTS; ++iv) {
      const double v1 = point[iv], v0 = 1.0 - v1;
      const double uv[4] = {u0 * v0, u1 * v0, u0 * v1, u1 * v1};
      const vector jz = uv[0] * (a[4] - a[0]) + uv[1] * (a[5] - a[1]) + uv[3] * (a[6] - a[2]) + uv[2] * (a[7] - a[3]);
      for (int iw = 0; iw < POINTS; ++iw) {
        const double w1 = point[iw], w0 = 1.0 - w1;
        const double uw[4] = {u0 * w0, u1 * w0, u0 * w1, u1 * w1}, vw[4] = {v0 * w0, v1 * w0, v0 * w1, v1 * w1};
        const vector jx = vw[0] * (a[1] - a[0]) + vw[1] * (a[2] - a[3]) + vw[2] * (a[5] - a[4]) + vw[3] * (a[6] - a[7]);
        const vector jy = uw[0] * (a[3] - a[0]) + uw[1] * (a[2] - a[1]) + uw[2] * (a[7] - a[4]) + uw[3] * (a[6] - a[5]);
        const double det = jx.y * jy.z * jz.x - jx.z * jy.y * jz.x + jx.z * jy.x * jz.y - jx.x * jy.z * jz.y -
                           jx.y * jy.x * jz.z + jx.x * jy.y * jz.z;
        const double volume = weight * fabs(det);

        // The inverse Jacobian takes the edge functions to the zone; its columns:
        const double over_det = 1.0 / (det + TINY);
        const vector ix = over_det * cross(jy, jz), iy = over_det * cross(jz, jx), iz = over_det * cross(jx, jy);
        const vector edges[EDGES] = {vw[0] * ix, vw[1] * ix, vw[2] * ix, vw[3] * ix, uw[0] * iy, uw[1] * iy,
                                     uw[2] * iy, uw[3] * iy, uv[0] * iz, uv[1] * iz, uv[2] * iz, uv[3] * iz};
        add_products(matrix, volume, edges);

        // The transposed Jacobian over the determinant takes their curls there.
        const double over_size = 1.0 / (fabs(det) + TINY);
        const vector tx = over_size * jx, ty = over_size * jy, tz = over_size * jz;
        const vector curls[EDGES] = {w0 * tz - v0 * ty, -v1 * ty - w0 * tz, v0 * ty + w1 * tz, v1 * ty - w1 * tz,
                                     u0 * tx - w0 * tz, u1 * tx + w0 * tz, -u0 * tx - w1 * tz, w1 * tz - u1 * tx,
                                     v0 * ty - u0 * tx, -u1 * tx - v0 * ty, u0 * tx + v1 * ty, u1 * tx - v1 * ty};
        add_products(matrix, volume, curls);
      }
    }
  }
  return sum_of_rows(matrix);
}

KP_KERNEL edge3d(KP_REF(double) x, KP_REF(double) y, KP_REF(double) z, KP_MUT(double) sum, int64_t jp, int64_t kp,
                 int64_t fpz, int64_t lpz) {
  KP_FOR(i, fpz, lpz + 1) {
    const int64_t i1 = i + 1, i2 = i + jp, i3 = i + jp + 1, i4 = i + kp, i5 = i + kp + 1, i6 = i + kp + jp,
                  i7 = i + kp + jp + 1;
    const vector corners[CORNERS] = {{x[i], y[i], z[i]},    {x[i1], y[i1], z[i1]}, {x[i2], y[i2], z[i2]},
                                     {x[i3], y[i3], z[i3]}, {x[i4], y[i4], z[i4]}, {x[i5], y[i5], z[i5]},
                                     {x[i6], y[i6], z[i6]}, {x[i7], y[i7], z[i7]}};
    sum[i] = edge_matrix_sum(corners);
  }
}

KP_REPETITION(args, run) {
  run.launch(edge3d, kp_grid(args.lpz + 1 - args.fpz), args.x, args.y, args.z, args.sum, args.jp, args.kp, args.fpz,
             args.lpz);
}
