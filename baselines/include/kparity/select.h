// The indices that a predicate selects, in order, to the front of a list: the vendor's library on a GPU, one loop on one CPU
// thread, two passes over the threads of OpenMP.
#pragma once

#include "scan.h"

#if defined(KP_GPU)
#if !defined(KP_HIP)
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#endif

template <class Predicate>
static void kp_select_indices(kp_run &run, int32_t *list, int32_t *length, int64_t n, Predicate selects) {
  kp_call_library(run, [=](void *memory, size_t &bytes, kp_stream stream) {
#if defined(KP_HIP)
    const rocprim::counting_iterator<int32_t> indices(0);
    return rocprim::select(memory, bytes, indices, list, length, n, selects, stream);
#else
    const thrust::counting_iterator<int32_t> indices(0);
    return cub::DeviceSelect::If(memory, bytes, indices, list, length, n, selects, stream);
#endif
  });
}

KP_KERNEL kp_deliver_value(int32_t *value, kp_ticket ticket) { kp_return(ticket, value); }

// A launch that brings a value back which a library has left on the device.
static inline void kp_bring_back(kp_run &run, int32_t *value, kp_results *results) {
  run.launch(kp_deliver_value, kp_grid(dim3(1), dim3(1)), value, run.issue(results));
}
#else
template <class Predicate>
static void kp_select_indices(kp_run &, int32_t *list, int32_t *length, int64_t n, Predicate selects) {
#if defined(_OPENMP)
  static std::vector<int64_t> begin;
  const int64_t threads = omp_get_max_threads(), share = (n + threads - 1) / threads;
  begin.assign(threads + 1, 0);
  KP_PRAGMA(omp parallel for schedule(static))
  KP_LOOP(p, 0, threads) {
    int64_t found = 0;
    const int64_t last = (p + 1) * share < n ? (p + 1) * share : n;
    KP_LOOP(i, p * share, last) found += selects(i);
    begin[p + 1] = found;
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  KP_PRAGMA(omp parallel for schedule(static))
  KP_LOOP(p, 0, threads) {
    int64_t at = begin[p];
    const int64_t last = (p + 1) * share < n ? (p + 1) * share : n;
    KP_LOOP(i, p * share, last)
      if (selects(i)) list[at++] = i;
  }
  *length = begin[threads];
#else
  int32_t found = 0;
  KP_LOOP(i, 0, n)
    if (selects(i)) list[found++] = i;
  *length = found;
#endif
}

static inline void kp_bring_back(kp_run &, int32_t *, kp_results *) {}
#endif
