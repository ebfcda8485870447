// Sums in bins: a copy in each block's shared memory while they are few, added to the result with one atomic a bin.
#pragma once

constexpr int64_t kp_most_bins = 1024;  // of a block's own

#define KP_BINNED(i, lower, upper, sums, bins)                                                                       \
  auto *const kp_own = kp_begin_bins(sums, bins);                                                                    \
  KP_REDUCE(i, lower, upper)
#define KP_ADD_TO_BIN(sums, bin, value) kp_atomic_add((kp_own ? kp_own : (sums)) + (bin), (value))
#define KP_SETTLE_BINS(sums, bins) kp_settle_bins(kp_own, sums, bins)

template <class T> static __device__ T *kp_block_bins() {
  __shared__ T own[kp_most_bins];
  return own;
}

template <class T> static __device__ T *kp_begin_bins(T *, int64_t bins) {
  if (bins > kp_most_bins) return nullptr;
  T *const own = kp_block_bins<T>();
  for (int64_t bin = threadIdx.x; bin < bins; bin += KP_BLOCK) own[bin] = T(0);
  __syncthreads();
  return own;
}

template <class T> static __device__ void kp_settle_bins(T *own, T *sums, int64_t bins) {
  if (!own) return;
  __syncthreads();
  for (int64_t bin = threadIdx.x; bin < bins; bin += KP_BLOCK)
    if (own[bin] != T(0)) kp_atomic_add(sums + bin, own[bin]);
}
