// Sorting as a good programmer gets it: from the vendor's library on a GPU, from the C++ library on the CPU.
#pragma once

#if defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>

#include "memory.h"

#define KP_SORT_TUNING cub

// The library sorts from one buffer into the other, back and forth.
static void kp_sort(kp_run &run, double *x, int64_t n) {
  static kp_memory<char> temporary;
  static kp_memory<double> second;
  cub::DoubleBuffer<double> keys(x, second.of(run, n));
  size_t needed = 0;
  run.call([&](kp_stream on) { return cub::DeviceRadixSort::SortKeys(nullptr, needed, keys, n, 0, 64, on); });
  char *const held = temporary.of(run, needed);
  run.call([&](kp_stream on) { return cub::DeviceRadixSort::SortKeys(held, needed, keys, n, 0, 64, on); });
  if (keys.Current() != x) run.copy(x, keys.Current(), n * sizeof *x);
}

static void kp_sort_pairs(kp_run &run, double *x, double *y, int64_t n) {
  static kp_memory<char> temporary;
  static kp_memory<double> second_x, second_y;
  cub::DoubleBuffer<double> keys(x, second_x.of(run, n)), values(y, second_y.of(run, n));
  size_t needed = 0;
  run.call([&](kp_stream on) { return cub::DeviceRadixSort::SortPairs(nullptr, needed, keys, values, n, 0, 64, on); });
  char *const held = temporary.of(run, needed);
  run.call([&](kp_stream on) { return cub::DeviceRadixSort::SortPairs(held, needed, keys, values, n, 0, 64, on); });
  if (keys.Current() != x) run.copy(x, keys.Current(), n * sizeof *x);
  if (values.Current() != y) run.copy(y, values.Current(), n * sizeof *y);
}
#else
#include <algorithm>
#include <utility>
#include <vector>
#if defined(_OPENMP)
#include <parallel/algorithm>
#define KP_LIBRARY __gnu_parallel
#else
#define KP_LIBRARY std
#endif

#define KP_SORT_TUNING default

static void kp_sort(kp_run &, double *x, int64_t n) { KP_LIBRARY::sort(x, x + n); }

static void kp_sort_pairs(kp_run &, double *__restrict__ x, double *__restrict__ y, int64_t n) {
  static std::vector<std::pair<double, double>> pairs;
  pairs.resize(n);
  KP_PRAGMA(omp parallel for) KP_LOOP(i, 0, n) pairs[i] = {x[i], y[i]};
  KP_LIBRARY::sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  KP_PRAGMA(omp parallel for) KP_LOOP(i, 0, n) x[i] = pairs[i].first, y[i] = pairs[i].second;
}
#endif
