// INTSC_HEXRECT: volume and first moments of the intersections of hexahedra with boxes, by clipping 24 triangles each:
// those that lie on both sides of some face of the box.
#define KP_BLOCK 64
#include "intsc_hexrect.abi.h"

#include "clipping.h"

KP_ARGUMENTS {
  const double *x, *y, *z; const int32_t *corners; const double *xplane, *yplane, *zplane; const int32_t *donor, *target;
  double *records; int64_t m, nodes, zones, n;
};

constexpr int TRIANGLES = 24;
enum outside { LEFT = 1, RIGHT = 2, FRONT = 4, BACK = 8, BELOW = 16, ABOVE = 32 };

template <int SLOTS> KP_BOTH static inline clipped<SLOTS> cut(const polygon<SLOTS> &a, int axis, double sign, double offset) {
  double distance[SLOTS];
  KP_UNROLL for (int i = 0; i < SLOTS; ++i) distance[i] = sign * a.slot[i].at[axis] + offset;
  return clipped<SLOTS>(a, distance);
}

// Twice the area, and six times its first moments, of a polygon seen from above.
template <int SLOTS> KP_BOTH static inline void add_area(const polygon<SLOTS> &a, double *sums) {
  const double *const p = a.slot[0].at;
  KP_UNROLL for (int j = 1; j < SLOTS - 1; ++j) {
    const double *const q = a.slot[j].at, *const r = a.slot[j + 1].at;
    const double area = (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]);
    sums[0] += area;
    for (int c = 0; c < 2; ++c) sums[c + 1] += area * (p[c] + q[c] + r[c]);
  }
}

// Triangle `number` of a hexahedron: a face's centre and two corners of it.
KP_BOTH static inline polygon<3> triangle(const double (&corner)[8][3], int number) {
  // Corners of each face, counter-clockwise seen from outside; one octal digit each, the first the lowest.
  const int f = number / 4, k = number % 4;
  const int face = f == 0 ? 04620 : f == 1 ? 03751 : f == 2 ? 01540 : f == 3 ? 06732 : f == 4 ? 02310 : 05764;
  const int one = face >> 3 * k & 7, two = face >> 3 * ((k + 1) % 4) & 7;
  polygon<3> t;
  for (int c = 0; c < 3; ++c) {
    t.slot[0].at[c] = 0.25 * (corner[face & 7][c] + corner[face >> 3 & 7][c] + corner[face >> 6 & 7][c] + corner[face >> 9][c]);
    t.slot[1].at[c] = corner[two][c], t.slot[2].at[c] = corner[one][c];
  }
  return t;
}

// Adds what of a triangle lies within the box's walls: below its top to `prisms`, above to `columns`, which reach the top.
KP_BOTH static inline void add_clipped(const polygon<3> &a, double dz, double *prisms, double *columns) {
  const clipped<3> back = cut(a, 1, -1.0, 1.0);
  if (!back.some) return;
  const polygon<4> b = back.keep(a);
  const clipped<4> front = cut(b, 1, 1.0, 0.0);
  if (!front.some) return;
  const polygon<5> c = front.keep(b);
  const clipped<5> right = cut(c, 0, -1.0, 1.0);
  if (!right.some) return;
  const polygon<6> d = right.keep(c);
  const clipped<6> left = cut(d, 0, 1.0, 0.0);
  if (!left.some) return;
  const polygon<7> e = left.keep(d);
  const clipped<7> above = cut(e, 2, 1.0, -dz);
  if (above.some) add_area(above.keep(e), columns);
  if (above.all) return;
  const polygon<8> f = above.other().keep(e);
  const clipped<8> bottom = cut(f, 2, 1.0, 0.0);
  if (bottom.some) add_prisms(bottom.keep(f), prisms);
}

KP_KERNEL intsc_hexrect(KP_REF(double) x, KP_REF(double) y, KP_REF(double) z, KP_REF(int32_t) corners,
                        KP_REF(double) xplane, KP_REF(double) yplane, KP_REF(double) zplane, KP_REF(int32_t) donor,
                        KP_REF(int32_t) target, KP_MUT(double) records, int64_t m, int64_t n) {
  KP_FOR(i, 0, n) {
    const int box = target[i], side = static_cast<int>(m);
    const int bx = box % side, by = box / side % side, bz = box / side / side;
    const double xlow = xplane[bx], ylow = yplane[by], zlow = zplane[bz];
    const double dx = xplane[bx + 1] - xlow, dy = yplane[by + 1] - ylow, dz = zplane[bz + 1] - zlow;
    const double xscale = 1.0 / dx, yscale = 1.0 / dy;
    double corner[8][3];
    for (int c = 0; c < 8; ++c) {
      const int node = corners[8 * static_cast<int64_t>(donor[i]) + c];
      corner[c][0] = (x[node] - xlow) * xscale, corner[c][1] = (y[node] - ylow) * yscale, corner[c][2] = z[node] - zlow;
    }
    double prisms[4] = {}, columns[3] = {};
    // Triangles that need no clipping are done at once. The others are listed, so that threads side by side clip together.
    unsigned clipped = 0;
    KP_UNROLL for (int number = 0; number < TRIANGLES; ++number) {
      const polygon<3> t = triangle(corner, number);
      int some = 0, all = 63;
      KP_UNROLL for (int v = 0; v < 3; ++v) {
        const double *const at = t.slot[v].at;
        const int is = (at[0] < 0.0 ? LEFT : at[0] >= 1.0 ? RIGHT : 0) | (at[1] < 0.0 ? FRONT : at[1] >= 1.0 ? BACK : 0) |
                       (at[2] < 0.0 ? BELOW : at[2] >= dz ? ABOVE : 0);
        some |= is, all &= is;
      }
      if (some == 0) add_prisms(t, prisms);
      else if (some == ABOVE && all == ABOVE) add_area(t, columns);
      else if ((all & ~ABOVE) == 0) clipped |= 1u << number;
    }
    for (; clipped; clipped &= clipped - 1) add_clipped(triangle(corner, kp_lowest_bit(clipped)), dz, prisms, columns);
    const double volume = (prisms[0] / 6.0 + columns[0] * 0.5 * dz) * dx * dy;
    records[4 * i] = volume;
    records[4 * i + 1] = xlow * volume + (prisms[1] / 24.0 + columns[1] / 6.0 * dz) * dx * dx * dy;
    records[4 * i + 2] = ylow * volume + (prisms[2] / 24.0 + columns[2] / 6.0 * dz) * dx * dy * dy;
    records[4 * i + 3] = zlow * volume + (prisms[3] / 48.0 + columns[0] * 0.25 * dz * dz) * dx * dy;
  }
}

KP_REPETITION(args, run) {
  run.launch(intsc_hexrect, kp_grid(args.n), args.x, args.y, args.z, args.corners, args.xplane, args.yplane, args.zplane,
             args.donor, args.target, args.records, args.m, args.n);
}
