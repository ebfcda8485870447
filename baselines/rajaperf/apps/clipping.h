// Convex polygons clipped by half-spaces, in registers: a polygon has a fixed number of slots for its vertices, and what
// a half-space keeps of it has one more. Vertices may stand in several slots, one after the other; they span no area.
#pragma once

struct vertex {
  double at[3];
};

template <int SLOTS> struct polygon {
  vertex slot[SLOTS];
};

// What a half-space keeps of a polygon, given each slot's distance from its plane, inside positive.
template <int SLOTS> struct clipped {
  bool in[SLOTS];
  bool some = false, all = true;  // of the slots are inside
  vertex leave, enter;            // where the boundary crosses the plane

  KP_BOTH clipped(const polygon<SLOTS> &a, const double (&distance)[SLOTS]) : leave(), enter() {
    KP_UNROLL for (int i = 0; i < SLOTS; ++i) {
      in[i] = distance[i] >= 0.0;
      some |= in[i], all &= in[i];
    }
    if (!some || all) return;
    vertex ends[4] = {};  // the last one inside, the first outside; the last one outside, the first inside
    double far[4] = {1.0, 0.0, 0.0, 1.0};
    KP_UNROLL for (int i = 0; i < SLOTS; ++i) {
      const int h = (i + SLOTS - 1) % SLOTS;
      const bool leaves = in[h] && !in[i], enters = in[i] && !in[h];
      KP_UNROLL for (int e = 0; e < 4; ++e) {
        const int from = e % 2 == 0 ? h : i;
        const bool taken = e < 2 ? leaves : enters;
        far[e] = taken ? distance[from] : far[e];
        KP_UNROLL for (int c = 0; c < 3; ++c) ends[e].at[c] = taken ? a.slot[from].at[c] : ends[e].at[c];
      }
    }
    const double out = far[0] / (far[0] - far[1]), back = far[2] / (far[2] - far[3]);
    KP_UNROLL for (int c = 0; c < 3; ++c) {
      leave.at[c] = ends[0].at[c] + out * (ends[1].at[c] - ends[0].at[c]);
      enter.at[c] = ends[2].at[c] + back * (ends[3].at[c] - ends[2].at[c]);
    }
  }

  // The other half.
  KP_BOTH clipped other() const {
    clipped o = *this;
    KP_UNROLL for (int i = 0; i < SLOTS; ++i) o.in[i] = !in[i];
    o.some = !all, o.all = !some, o.leave = enter, o.enter = leave;
    return o;
  }

  // Behind a vertex inside, the first outside becomes the crossing out, all others the one back in. If there is only one
  // outside, those behind it move on by a slot.
  KP_BOTH polygon<SLOTS + 1> keep(const polygon<SLOTS> &a) const {
    polygon<SLOTS + 1> b;
    vertex pushed = enter;
    bool moves = false;
    KP_UNROLL for (int i = 0; i < SLOTS; ++i) {
      const bool leaves = in[(i + SLOTS - 1) % SLOTS] && !in[i], alone = leaves && in[(i + 1) % SLOTS];
      KP_UNROLL for (int c = 0; c < 3; ++c) {
        const double kept = in[i] ? a.slot[i].at[c] : leaves ? leave.at[c] : enter.at[c];
        b.slot[i].at[c] = moves ? pushed.at[c] : kept;
        pushed.at[c] = alone ? enter.at[c] : kept;
      }
      moves |= alone;
    }
    b.slot[SLOTS] = pushed;
    return b;
  }
};

// Six times the volume, and 24 times the first moments (48 times in z), between a polygon and z = 0.
template <int SLOTS> KP_BOTH static inline void add_prisms(const polygon<SLOTS> &a, double *sums) {
  const double *const p = a.slot[0].at;
  KP_UNROLL for (int j = 1; j < SLOTS - 1; ++j) {
    const double *const q = a.slot[j].at, *const r = a.slot[j + 1].at;
    const double area = (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]), z = p[2] + q[2] + r[2];
    sums[0] += area * z;
    for (int c = 0; c < 2; ++c)
      sums[c + 1] += area * (z * (p[c] + q[c] + r[c]) + (p[c] * p[2] + q[c] * q[2] + r[c] * r[2]));
    sums[3] += area * (z * z + p[2] * p[2] + q[2] * q[2] + r[2] * r[2]);
  }
}
