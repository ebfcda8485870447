// The messages of the fused halo kernels: all neighbours in one launch, through tables of pointers passed by value.
#pragma once

enum { NEIGHBOURS = 26, VARIABLES = 3 };

struct tables {
  double *to[NEIGHBOURS];
  const double *from[NEIGHBOURS];
  const int32_t *cells[NEIGHBOURS];
  int64_t n[NEIGHBOURS];
};

struct cube {
  double *variable[VARIABLES];
};

#if defined(KP_GPU)
// One thread an entry of a list, for all variables: the entry is read once.
#define FOR_CELLS(l, k, count, longest)                                                                              \
  if (const int l = blockIdx.y; true)                                                                                \
    if (const int64_t k = kp_thread(); k < (count)[l])
static kp_grid messages(int64_t longest) {
  return kp_grid(dim3(kp_grid::cover(longest, KP_BLOCK), NEIGHBOURS), dim3(KP_BLOCK));
}
#else
#define FOR_CELLS(l, k, count, longest)                                                                              \
  KP_PRAGMA(omp parallel for schedule(dynamic)) for (int l = 0; l < NEIGHBOURS; ++l)                                 \
    KP_PRAGMA(omp simd) KP_LOOP(k, 0, (count)[l])
static kp_grid messages(int64_t longest) { return kp_grid(longest); }
#endif

KP_KERNEL pack_all(tables t, cube c) {
  FOR_CELLS(l, k, t.n, longest) {
    const int32_t cell = t.cells[l][k];
    for (int v = 0; v < VARIABLES; ++v) t.to[l][v * t.n[l] + k] = c.variable[v][cell];
  }
}

KP_KERNEL unpack_all(tables t, cube c) {
  FOR_CELLS(l, k, t.n, longest) {
    const int32_t cell = t.cells[l][k];
    for (int v = 0; v < VARIABLES; ++v) c.variable[v][cell] = t.from[l][v * t.n[l] + k];
  }
}
