// INTSC_HEXHEX: volume and first moments of the intersections of hexahedra, by clipping 12 triangles of one against 6
// tetrahedra of the other. A block has a thread for each contribution of four pairs, and sums them pair by pair.
#define KP_BLOCK 288
#include "intsc_hexhex.abi.h"
#include "kparity/teams.h"

KP_ARGUMENTS { const double *donor, *target; double *vv; int64_t pairs; };

constexpr int MOST = 8;  // vertices of a triangle that is clipped by five planes
constexpr int PARTS = 72, TEAM = KP_BLOCK / PARTS;
enum plane { SLANT, X, Y, Z, TOP };

struct polygon {
  double at[MOST][3];

  // From a plane of the unit tetrahedron, inside positive.
  KP_BOTH double distance(int j, plane p) const {
    if (p == SLANT) return 1.0 - at[j][0] - at[j][1];
    if (p == TOP) return 1.0 - at[j][0] - at[j][1] - at[j][2];
    return at[j][p - X];
  }
};

KP_BOTH static inline int clip(const polygon &a, int count, polygon &b, plane p, double sign) {
  int kept = 0, last = count - 1;
  for (int j = 0; j < count; last = j++) {
    const double before = sign * a.distance(last, p), here = sign * a.distance(j, p);
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

// Volume (times 6) and moments (times 24) between a polygon and z = 0.
KP_BOTH static inline void add_prisms(const polygon &a, int count, double *sums) {
  for (int j = 1; j < count - 1; ++j) {
    const double x0 = a.at[0][0], y0 = a.at[0][1], z0 = a.at[0][2];
    const double x1 = a.at[j][0], y1 = a.at[j][1], z1 = a.at[j][2];
    const double x2 = a.at[j + 1][0], y2 = a.at[j + 1][1], z2 = a.at[j + 1][2];
    const double area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0), height = area * (z0 + z1 + z2);
    sums[0] += height;
    sums[1] += height * (x0 + x1 + x2) + area * (x0 * z0 + x1 * z1 + x2 * z2);
    sums[2] += height * (y0 + y1 + y2) + area * (y0 * z0 + y1 * z1 + y2 * z2);
    sums[3] += area * (z0 * z0 + z1 * z1 + z2 * z2 + z0 * z1 + z0 * z2 + z1 * z2);
  }
}

// One triangle of a pair's donor, met with one tetrahedron of its target. Corner m of axis c is at [8 * c + m].
KP_BOTH static inline void contribution(const double *donor, const double *target, int within, double *part) {
  constexpr int around[7] = {1, 5, 4, 6, 2, 3, 1}, faces[6] = {1, 3, 2, 6, 4, 5};
  const int t = within / 6, k = within % 6;
  const int corner[3] = {t < 6 ? 0 : 7, t < 6 ? around[t] : around[12 - t], t < 6 ? around[t + 1] : around[11 - t]};
  double edge[3][3], normal[3][3];
  for (int c = 0; c < 3; ++c) {
    const double origin = target[8 * c];
    edge[0][c] = target[8 * c + faces[k]] - origin;
    edge[1][c] = target[8 * c + faces[(k + 1) % 6]] - origin;
    edge[2][c] = target[8 * c + 7] - origin;
  }
  for (int e = 0; e < 3; ++e)
    for (int c = 0; c < 3; ++c) {
      const int p = (e + 1) % 3, q = (e + 2) % 3, r = (c + 1) % 3, s = (c + 2) % 3;
      normal[e][c] = edge[p][r] * edge[q][s] - edge[p][s] * edge[q][r];
    }
  const double det = edge[0][0] * normal[0][0] + edge[0][1] * normal[0][1] + edge[0][2] * normal[0][2];
  const double scale = det / (det * det + 1e-100);
  polygon a, b;
  for (int v = 0; v < 3; ++v)
    for (int e = 0; e < 3; ++e) {
      double along = 0.0;
      for (int c = 0; c < 3; ++c) along += (donor[8 * c + corner[v]] - target[8 * c]) * normal[e][c];
      a.at[v][e] = along * scale;
    }
  int count = clip(a, 3, b, SLANT, 1.0);
  count = clip(b, count, a, X, 1.0);
  count = clip(a, count, b, Y, 1.0);
  count = clip(b, count, a, Z, 1.0);
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  add_prisms(b, clip(a, count, b, TOP, 1.0), sums);
  const int beyond = clip(a, count, b, TOP, -1.0);
  for (int v = 0; v < beyond; ++v) b.at[v][2] = 1.0 - b.at[v][0] - b.at[v][1];
  add_prisms(b, beyond, sums);
  const double volume = sums[0] / 6.0;
  part[0] = det * volume;
  for (int c = 0; c < 3; ++c) {
    const double moment = edge[0][c] * sums[1] + edge[1][c] * sums[2] + edge[2][c] * sums[3];
    part[c + 1] = det * (target[8 * c] * volume + moment / 24.0);
  }
}

KP_KERNEL intsc_hexhex(KP_REF(double) donor, KP_REF(double) target, KP_MUT(double) vv, int64_t pairs) {
  KP_TEAMS_2D(row, 1, b, pairs / TEAM) {
    KP_SHARED double part[TEAM][PARTS][4];
    KP_THREADS_2D(y, 1, t, KP_BLOCK) {
      const int own = t / PARTS, within = t % PARTS;
      const int64_t pair = TEAM * b + own;
      contribution(donor + 24 * pair, target + 24 * pair, within, part[own][within]);
    }
    KP_BARRIER();
    KP_THREADS_2D(y, 1, t, KP_BLOCK) if (t < 4 * TEAM) {
      double total = 0.0;
      for (int within = 0; within < PARTS; ++within) total += part[t / 4][within][t % 4];
      vv[4 * TEAM * b + t] = total;
    }
  }
}

KP_REPETITION(args, run) {
  run.launch(intsc_hexhex, kp_team_grid<1, KP_BLOCK>(1, args.pairs / TEAM), args.donor, args.target, args.vv, args.pairs);
}
