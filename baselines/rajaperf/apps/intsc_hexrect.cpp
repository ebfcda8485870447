// INTSC_HEXRECT: volume and first moments of the intersections of hexahedra with boxes, by clipping 24 triangles each.
#define KP_BLOCK 64
#include "intsc_hexrect.abi.h"

KP_ARGUMENTS {
  const double *x, *y, *z; const int32_t *corners; const double *xplane, *yplane, *zplane; const int32_t *donor, *target;
  double *records; int64_t m, nodes, zones, n;
};

constexpr int MOST = 8;  // vertices of a triangle that is clipped by five planes
struct polygon { double at[MOST][3]; };

// The part of `a` where sign * coordinate + offset >= 0.
KP_BOTH static inline int clip(const polygon &a, int count, polygon &b, int axis, double sign, double offset) {
  int kept = 0, last = count - 1;
  for (int j = 0; j < count; last = j++) {
    const double before = a.at[last][axis] * sign + offset, here = a.at[j][axis] * sign + offset;
    if ((before >= 0.0) != (here >= 0.0) && kept < MOST) {
      const double t = before / (before - here);
      for (int c = 0; c < 3; ++c) b.at[kept][c] = a.at[last][c] + t * (a.at[j][c] - a.at[last][c]);
      ++kept;
    }
    if (here >= 0.0 && kept < MOST) {
      for (int c = 0; c < 3; ++c) b.at[kept][c] = a.at[j][c];
      ++kept;
    }
  }
  return kept;
}

// Volume and moments between a polygon, no higher than `top`, and z = 0.
KP_BOTH static inline void add_prisms(const polygon &a, int count, double top, double *sums) {
  for (int j = 1; j < count - 1; ++j) {
    const double x0 = a.at[0][0], y0 = a.at[0][1], x1 = a.at[j][0], y1 = a.at[j][1];
    const double x2 = a.at[j + 1][0], y2 = a.at[j + 1][1];
    const double third = ((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) / 6.0;
    const double z0 = a.at[0][2] < top ? a.at[0][2] : top, z1 = a.at[j][2] < top ? a.at[j][2] : top;
    const double z2 = a.at[j + 1][2] < top ? a.at[j + 1][2] : top;
    const double za = 0.5 * (z0 + z1), zb = 0.5 * (z1 + z2), zc = 0.5 * (z2 + z0);
    sums[0] += third * (za + zb + zc);
    sums[1] += third * 0.5 * (za * (x0 + x1) + zb * (x1 + x2) + zc * (x2 + x0));
    sums[2] += third * 0.5 * (za * (y0 + y1) + zb * (y1 + y2) + zc * (y2 + y0));
    sums[3] += third * 0.5 * (za * za + zb * zb + zc * zc);
  }
}

KP_KERNEL intsc_hexrect(KP_REF(double) x, KP_REF(double) y, KP_REF(double) z, KP_REF(int32_t) corners,
                        KP_REF(double) xplane, KP_REF(double) yplane, KP_REF(double) zplane, KP_REF(int32_t) donor,
                        KP_REF(int32_t) target, KP_MUT(double) records, int64_t m, int64_t n) {
  // Corners of each face, counter-clockwise seen from outside.
  constexpr int faces[6][4] = {{0, 2, 6, 4}, {1, 5, 7, 3}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 6, 7, 5}};
  KP_FOR(i, 0, n) {
    const int box = target[i], side = static_cast<int>(m);
    const int bx = box % side, by = box / side % side, bz = box / side / side;
    const double xlow = xplane[bx], ylow = yplane[by], zlow = zplane[bz];
    const double dx = xplane[bx + 1] - xlow, dy = yplane[by + 1] - ylow, dz = zplane[bz + 1] - zlow;
    double corner[8][3];
    for (int c = 0; c < 8; ++c) {
      const int node = corners[8 * static_cast<int64_t>(donor[i]) + c];
      corner[c][0] = (x[node] - xlow) / dx, corner[c][1] = (y[node] - ylow) / dy, corner[c][2] = z[node] - zlow;
    }
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    polygon a, b;
    for (int f = 0; f < 6; ++f) {
      double centre[3];
      for (int c = 0; c < 3; ++c)
        centre[c] = 0.25 * (corner[faces[f][0]][c] + corner[faces[f][1]][c] + corner[faces[f][2]][c] +
                            corner[faces[f][3]][c]);
      for (int k = 0; k < 4; ++k) {
        for (int c = 0; c < 3; ++c) {
          a.at[0][c] = centre[c], a.at[1][c] = corner[faces[f][(k + 1) % 4]][c], a.at[2][c] = corner[faces[f][k]][c];
        }
        int count = clip(a, 3, b, 1, -1.0, 1.0);
        count = clip(b, count, a, 1, 1.0, 0.0);
        count = clip(a, count, b, 0, -1.0, 1.0);
        count = clip(b, count, a, 0, 1.0, 0.0);
        add_prisms(b, clip(a, count, b, 2, 1.0, -dz), dz, sums);
        const int below = clip(a, count, b, 2, -1.0, dz);
        add_prisms(a, clip(b, below, a, 2, 1.0, 0.0), dz, sums);
      }
    }
    const double volume = sums[0] * dx * dy;
    records[4 * i] = volume;
    records[4 * i + 1] = xlow * volume + sums[1] * dx * dx * dy;
    records[4 * i + 2] = ylow * volume + sums[2] * dx * dy * dy;
    records[4 * i + 3] = zlow * volume + sums[3] * dx * dy;
  }
}

KP_REPETITION(args, run) {
  run.launch(intsc_hexrect, kp_grid(args.n), args.x, args.y, args.z, args.corners, args.xplane, args.yplane, args.zplane,
             args.donor, args.target, args.records, args.m, args.n);
}
