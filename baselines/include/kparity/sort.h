// Sorting as a good programmer gets it: from the vendor's library on a GPU, from the C++ library on the CPU.
#pragma once

#include "library.h"

#if defined(KP_GPU)
#if defined(KP_HIP)
#include <rocprim/rocprim.hpp>

template <class T> using kp_two_buffers = rocprim::double_buffer<T>;
template <class T> static T *kp_current(kp_two_buffers<T> &buffers) { return buffers.current(); }
#else
#include <cub/device/device_radix_sort.cuh>

template <class T> using kp_two_buffers = cub::DoubleBuffer<T>;
template <class T> static T *kp_current(kp_two_buffers<T> &buffers) { return buffers.Current(); }
#endif

// The library sorts from one buffer into the other, back and forth.
static void kp_sort(kp_run &run, double *x, int64_t n) {
  static kp_memory<double> second;
  kp_two_buffers<double> keys(x, second.of(run, n));
  kp_call_library(run, [&](void *memory, size_t &bytes, kp_stream stream) {
#if defined(KP_HIP)
    return rocprim::radix_sort_keys(memory, bytes, keys, n, 0, 64, stream);
#else
    return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n, 0, 64, stream);
#endif
  });
  if (kp_current(keys) != x) run.copy(x, kp_current(keys), n * sizeof *x);
}

static void kp_sort_pairs(kp_run &run, double *x, double *y, int64_t n) {
  static kp_memory<double> second_x, second_y;
  kp_two_buffers<double> keys(x, second_x.of(run, n)), values(y, second_y.of(run, n));
  kp_call_library(run, [&](void *memory, size_t &bytes, kp_stream stream) {
#if defined(KP_HIP)
    return rocprim::radix_sort_pairs(memory, bytes, keys, values, n, 0, 64, stream);
#else
    return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, n, 0, 64, stream);
#endif
  });
  if (kp_current(keys) != x) run.copy(x, kp_current(keys), n * sizeof *x);
  if (kp_current(values) != y) run.copy(y, kp_current(values), n * sizeof *y);
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

static void kp_sort(kp_run &, double *x, int64_t n) { KP_LIBRARY::sort(x, x + n); }

static void kp_sort_pairs(kp_run &, double *__restrict__ x, double *__restrict__ y, int64_t n) {
  static std::vector<std::pair<double, double>> pairs;
  pairs.resize(n);
  KP_PRAGMA(omp parallel for) KP_LOOP(i, 0, n) pairs[i] = {x[i], y[i]};
  KP_LIBRARY::sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  KP_PRAGMA(omp parallel for) KP_LOOP(i, 0, n) x[i] = pairs[i].first, y[i] = pairs[i].second;
}
#endif
