// rocPRIM on CUB: the functions that the baselines use, and no others.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

namespace rocprim {
template <class T> using counting_iterator = thrust::counting_iterator<T>;

template <class T> struct plus {};

// CUB has a function for sums from 0, which is all that is asked for here.
template <class X, class Y, class T>
hipError_t exclusive_scan(void *memory, size_t &bytes, X x, Y y, T, size_t n, plus<T>, hipStream_t stream) {
  return cub::DeviceScan::ExclusiveSum(memory, bytes, x, y, static_cast<int64_t>(n), stream);
}

template <class In, class Out, class Count, class Predicate>
hipError_t select(void *memory, size_t &bytes, In in, Out out, Count count, size_t n, Predicate selects, hipStream_t stream) {
  return cub::DeviceSelect::If(memory, bytes, in, out, count, static_cast<int64_t>(n), selects, stream);
}

template <class T> struct double_buffer : cub::DoubleBuffer<T> {
  using cub::DoubleBuffer<T>::DoubleBuffer;
  T *current() { return this->Current(); }
};

template <class K>
hipError_t radix_sort_keys(void *memory, size_t &bytes, double_buffer<K> &keys, size_t n, int low, int high, hipStream_t stream) {
  return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, static_cast<int64_t>(n), low, high, stream);
}

template <class K, class V>
hipError_t radix_sort_pairs(void *memory, size_t &bytes, double_buffer<K> &keys, double_buffer<V> &values, size_t n, int low,
                            int high, hipStream_t stream) {
  return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, static_cast<int64_t>(n), low, high, stream);
}
}  // namespace rocprim
