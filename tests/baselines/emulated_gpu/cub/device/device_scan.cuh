// The library's interface, and what it computes: memory is asked for first, and then used.
#pragma once

#include "cuda_runtime.h"

namespace cub {
struct DeviceScan {
  template <class X, class Y>
  static cudaError_t ExclusiveSum(void *memory, size_t &bytes, X x, Y y, int64_t n, cudaStream_t) {
    if (!memory) return bytes = 8, cudaSuccess;
    auto sum = x[0];
    sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const auto own = x[i];
      y[i] = sum;
      sum += own;
    }
    return cudaSuccess;
  }
};
}  // namespace cub
