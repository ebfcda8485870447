// What a reduction combines with, and one reduction's contribution to the buffer that holds its result.
#pragma once

// Integers wrap, so their arithmetic is unsigned.
template <class T, bool = std::is_integral<T>::value> struct kp_wrapping { using type = T; };
template <class T> struct kp_wrapping<T, true> { using type = typename std::make_unsigned<T>::type; };

struct kp_add {
  template <class T> KP_BOTH static constexpr T identity() { return T(0); }
  template <class T> KP_BOTH static T apply(T left, T right) {
    using Number = typename kp_wrapping<T>::type;
    return static_cast<T>(static_cast<Number>(left) + static_cast<Number>(right));
  }
};

// Integers only: the order of floating-point numbers has NaN in it.
template <class T> struct kp_integer {
  static_assert(std::is_integral<T>::value && std::is_signed<T>::value, "minimum and maximum are for signed integers");
  static constexpr T highest = static_cast<T>(static_cast<typename kp_wrapping<T>::type>(-1) >> 1);
  static constexpr T lowest = static_cast<T>(-highest - 1);
};

struct kp_minimum {
  template <class T> KP_BOTH static constexpr T identity() { return kp_integer<T>::highest; }
  template <class T> KP_BOTH static T apply(T left, T right) { return left < right ? left : right; }
};

struct kp_maximum {
  template <class T> KP_BOTH static constexpr T identity() { return kp_integer<T>::lowest; }
  template <class T> KP_BOTH static T apply(T left, T right) { return left > right ? left : right; }
};

// The lesser value, and of equal ones that with the lower location.
struct kp_first_minimum {
  template <class L> KP_BOTH static constexpr L identity() {
    return {static_cast<decltype(L::value)>(__builtin_huge_val()), INT64_MAX};
  }
  template <class L> KP_BOTH static L apply(L left, L right) {
    return right.value < left.value || (right.value == left.value && right.location < left.location) ? right : left;
  }
};

template <class Operation, class T, bool FILLED> struct kp_term {
  T *target;
  T value;
  T fill;
};

// Contributions. A third argument is what the program fills the buffer with before the kernel.
template <class T> KP_BOTH static kp_term<kp_add, T, false> kp_sum(T *target, T value) { return {target, value, T()}; }
template <class T> KP_BOTH static kp_term<kp_add, T, true> kp_sum(T *target, T value, T fill) {
  return {target, value, fill};
}
template <class T> KP_BOTH static kp_term<kp_minimum, T, true> kp_min(T *target, T value, T fill) {
  return {target, value, fill};
}
template <class T>
KP_BOTH static kp_term<kp_first_minimum, kp_located<T>, true> kp_min_location(kp_located<T> *target, kp_located<T> best, T fill) {
  return {target, best, {fill, INT64_MAX}};
}
template <class T> KP_BOTH static kp_term<kp_maximum, T, true> kp_max(T *target, T value, T fill) {
  return {target, value, fill};
}
