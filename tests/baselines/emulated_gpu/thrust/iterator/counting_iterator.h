// The numbers from a first one on.
#pragma once

#include <cstdint>

namespace thrust {
template <class T> struct counting_iterator {
  T first;
  explicit counting_iterator(T first) : first(first) {}
  T operator[](int64_t i) const { return first + static_cast<T>(i); }
};
}  // namespace thrust
