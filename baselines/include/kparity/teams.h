// Kernels of teams: a block on a GPU, an iteration on the CPU. KP_TEAMS runs its body once a team; inside, KP_THREADS runs
// a body once a thread, up to the next KP_BARRIER. KP_SHARED memory belongs to the team, kp_private to each thread.
#pragma once

#if defined(KP_GPU)
#define KP_SHARED __shared__
#define KP_BARRIER() __syncthreads()
#define KP_TEAMS(i, i_count) KP_IF(i, 0, i_count, static_cast<int64_t>(blockIdx.x))
#define KP_TEAMS_2D(j, j_count, i, i_count)                                                                          \
  KP_IF(j, 0, j_count, static_cast<int64_t>(blockIdx.y)) KP_TEAMS(i, i_count)
// As many threads as the block has: no test. KP_SOME_THREADS has fewer of them.
#define KP_THREADS_2D(row, rows, column, columns)                                                                    \
  if ([[maybe_unused]] const int row = threadIdx.y, column = threadIdx.x; true)
#define KP_THREADS_3D(plane, planes, row, rows, column, columns)                                                     \
  if ([[maybe_unused]] const int plane = threadIdx.z, row = threadIdx.y, column = threadIdx.x; true)
#define KP_SOME_THREADS_2D(row, rows, column, columns)                                                               \
  if (const int row = threadIdx.y, column = threadIdx.x; row < (rows) && column < (columns))
#define KP_SOME_THREADS_3D(plane, planes, row, rows, column, columns)                                                \
  if (const int plane = threadIdx.z, row = threadIdx.y, column = threadIdx.x;                                        \
      plane < (planes) && row < (rows) && column < (columns))
// A range that the team knows first when it comes to it: each thread of the block takes every KP_BLOCK-th.
#define KP_THREADS(i, lower, upper) for (int i = (lower) + static_cast<int>(threadIdx.x); i < (upper); i += KP_BLOCK)

template <class T, int Y, int X> struct kp_private {
  T value;
  __device__ T &operator()(int, int) { return value; }
};
#else
#define KP_SHARED
#define KP_BARRIER() static_cast<void>(0)
#define KP_TEAMS(i, i_count) KP_PRAGMA(omp parallel for) KP_LOOP(i, 0, i_count)
#define KP_TEAMS_2D(j, j_count, i, i_count)                                                                          \
  KP_PRAGMA(omp parallel for collapse(2)) KP_LOOP(j, 0, j_count) KP_LOOP(i, 0, i_count)
#define KP_THREADS_2D(y, y_count, x, x_count)                                                                        \
  for (int y = 0; y < (y_count); ++y) for (int x = 0; x < (x_count); ++x)
#define KP_THREADS_3D(z, z_count, y, y_count, x, x_count)                                                            \
  for (int z = 0; z < (z_count); ++z) KP_THREADS_2D(y, y_count, x, x_count)
#define KP_SOME_THREADS_2D KP_THREADS_2D
#define KP_SOME_THREADS_3D KP_THREADS_3D
#define KP_THREADS(i, lower, upper) for (int i = (lower); i < (upper); ++i)

template <class T, int Y, int X> struct kp_private {
  T value[Y][X];
  T &operator()(int y, int x) { return value[y][x]; }
};
#endif

// A grid of `rows` x `columns` teams of Y x X threads.
template <int Y, int X> static kp_grid kp_team_grid(int64_t rows, int64_t columns) {
#if defined(KP_GPU)
  static_assert(Y * X <= KP_BLOCK, "more threads than the kernel is bounded to");
  return kp_grid(dim3(kp_grid::cover(columns, 1), kp_grid::cover(rows, 1)), dim3(X, Y));
#else
  return kp_grid(rows, columns);
#endif
}

// A row of teams of Z x Y x X threads.
template <int Z, int Y, int X> static kp_grid kp_team_grid(int64_t teams) {
#if defined(KP_GPU)
  static_assert(Z * Y * X <= KP_BLOCK, "more threads than the kernel is bounded to");
  return kp_grid(dim3(kp_grid::cover(teams, 1)), dim3(X, Y, Z));
#else
  return kp_grid(teams);
#endif
}
