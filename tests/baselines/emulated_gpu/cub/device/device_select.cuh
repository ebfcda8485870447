// The library's interface, and what it computes: memory is asked for first, and then used.
#pragma once

#include "cuda_runtime.h"

namespace cub {
struct DeviceSelect {
  template <class In, class Out, class Predicate>
  static cudaError_t If(void *memory, size_t &bytes, In in, Out out, int32_t *count, int64_t n, Predicate selects,
                        cudaStream_t) {
    if (!memory) return bytes = 8, cudaSuccess;
    *count = 0;
    for (int64_t i = 0; i < n; ++i)
      if (selects(in[i])) out[(*count)++] = in[i];
    return cudaSuccess;
  }
};
}  // namespace cub
