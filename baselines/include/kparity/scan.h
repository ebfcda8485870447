// Prefix sums as a good programmer gets them: from the vendor's library on a GPU, from the standard library on one CPU
// thread, in two passes over the threads of OpenMP.
#pragma once

#include "library.h"

#if defined(KP_GPU)
#if defined(KP_HIP)
#include <rocprim/rocprim.hpp>
#else
#include <cub/device/device_scan.cuh>
#endif

// y[i] = x[0] + ... + x[i - 1].
template <class X, class Y> static void kp_exclusive_scan(kp_run &run, X x, Y y, int64_t n) {
  kp_call_library(run, [=](void *memory, size_t &bytes, kp_stream stream) {
#if defined(KP_HIP)
    using Sum = typename std::decay<decltype(y[0])>::type;
    return rocprim::exclusive_scan(memory, bytes, x, y, Sum(0), n, rocprim::plus<Sum>(), stream);
#else
    return cub::DeviceScan::ExclusiveSum(memory, bytes, x, y, n, stream);
#endif
  });
}
#else
#include <numeric>
#include <vector>
#if defined(_OPENMP)
#include <omp.h>
#endif

template <class T> static void kp_exclusive_scan(kp_run &, const T *__restrict__ x, T *__restrict__ y, int64_t n) {
#if defined(_OPENMP)
  static std::vector<T> sums;
  const int64_t threads = omp_get_max_threads(), share = (n + threads - 1) / threads;
  sums.assign(threads + 1, T());
  KP_PRAGMA(omp parallel for schedule(static))
  KP_LOOP(p, 0, threads) {
    T sum = T();
    const int64_t last = (p + 1) * share < n ? (p + 1) * share : n;
    KP_PRAGMA(omp simd reduction(+ : sum)) KP_LOOP(i, p * share, last) sum += x[i];
    sums[p + 1] = sum;
  }
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  KP_PRAGMA(omp parallel for schedule(static))
  KP_LOOP(p, 0, threads) {
    const int64_t first = p * share < n ? p * share : n, last = first + share < n ? first + share : n;
    std::exclusive_scan(x + first, x + last, y + first, sums[p]);
  }
#else
  std::exclusive_scan(x, x + n, y, T());
#endif
}
#endif
