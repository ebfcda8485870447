// INTSC_HEXHEX: volume and first moments of the intersections of hexahedra, by clipping 12 triangles of one against 6
// tetrahedra of the other. A block has a thread for each contribution of four pairs, and sums them pair by pair.
#define KP_BLOCK 288
#define KP_RESIDENT 2  // blocks of a multiprocessor, which bounds the registers of a thread
#include "intsc_hexhex.abi.h"
#include "clipping.h"
#include "kparity/teams.h"

KP_ARGUMENTS { const double *donor, *target; double *vv; int64_t pairs; };

constexpr int PARTS = 72, TEAM = KP_BLOCK / PARTS;

template <int SLOTS> KP_BOTH static inline clipped<SLOTS> cut(const polygon<SLOTS> &a, int axis) {
  double distance[SLOTS];
  KP_UNROLL for (int i = 0; i < SLOTS; ++i) distance[i] = a.slot[i].at[axis];
  return clipped<SLOTS>(a, distance);
}

// The part of a triangle that the unit tetrahedron's frame keeps, as prisms down to z = 0; what lies beyond the slanted
// face is projected onto it.
KP_BOTH static inline void add_clipped(const polygon<3> &a, double *sums) {
  const clipped<3> slant(a, {1.0 - a.slot[0].at[0] - a.slot[0].at[1], 1.0 - a.slot[1].at[0] - a.slot[1].at[1],
                          1.0 - a.slot[2].at[0] - a.slot[2].at[1]});
  if (!slant.some) return;
  const polygon<4> b = slant.keep(a);
  const clipped<4> left = cut(b, 0);
  if (!left.some) return;
  const polygon<5> c = left.keep(b);
  const clipped<5> front = cut(c, 1);
  if (!front.some) return;
  const polygon<6> d = front.keep(c);
  const clipped<6> bottom = cut(d, 2);
  if (!bottom.some) return;
  const polygon<7> e = bottom.keep(d);
  double distance[7];
  KP_UNROLL for (int i = 0; i < 7; ++i) distance[i] = 1.0 - e.slot[i].at[0] - e.slot[i].at[1] - e.slot[i].at[2];
  const clipped<7> top(e, distance);
  if (top.some) add_prisms(top.keep(e), sums);
  if (top.all) return;
  polygon<8> beyond = top.other().keep(e);
  KP_UNROLL for (int i = 0; i < 8; ++i) beyond.slot[i].at[2] = 1.0 - beyond.slot[i].at[0] - beyond.slot[i].at[1];
  add_prisms(beyond, sums);
}

// One triangle of a pair's donor, met with one tetrahedron of its target. Corner m of axis c is at [8 * c + m].
KP_BOTH static inline void contribution(const double *donor, const double *target, int within, double *part) {
  constexpr int around = 01326451, faces = 0546231;  // the corners in turn, one octal digit each, the first the lowest
  const int t = within / 6, k = within % 6, first = t < 6 ? t : 12 - t, second = t < 6 ? t + 1 : 11 - t;
  const int corner[3] = {t < 6 ? 0 : 7, around >> 3 * first & 7, around >> 3 * second & 7};
  const int one = faces >> 3 * k & 7, two = faces >> 3 * (k == 5 ? 0 : k + 1) & 7;
  double edge[3][3], normal[3][3];
  for (int c = 0; c < 3; ++c) {
    const double origin = target[8 * c];
    edge[0][c] = target[8 * c + one] - origin;
    edge[1][c] = target[8 * c + two] - origin;
    edge[2][c] = target[8 * c + 7] - origin;
  }
  for (int e = 0; e < 3; ++e)
    for (int c = 0; c < 3; ++c) {
      const int p = (e + 1) % 3, q = (e + 2) % 3, r = (c + 1) % 3, s = (c + 2) % 3;
      normal[e][c] = edge[p][r] * edge[q][s] - edge[p][s] * edge[q][r];
    }
  const double det = edge[0][0] * normal[0][0] + edge[0][1] * normal[0][1] + edge[0][2] * normal[0][2];
  const double scale = det / (det * det + 1e-100);
  polygon<3> a;
  for (int v = 0; v < 3; ++v)
    for (int e = 0; e < 3; ++e) {
      double along = 0.0;
      for (int c = 0; c < 3; ++c) along += (donor[8 * c + corner[v]] - target[8 * c]) * normal[e][c];
      a.slot[v].at[e] = along * scale;
    }
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  add_clipped(a, sums);
  sums[3] *= 0.5;
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
