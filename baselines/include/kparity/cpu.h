// The CPU side of kparity.h: a kernel is a loop; g++ -fopenmp-simd builds it for one thread, g++ -fopenmp for all.
#pragma once

#define KP_TUNING default
#define KP_BINNED_ENTRIES KP_REDUCTION_ENTRIES
#define KP_REDUCTION_ENTRIES                                                                                         \
  KP_ENTRY(KP_TUNING, kp_repetition<KP_DIRECT>)                                                                      \
  KP_EXPORT const char *kp_tunings(void) { return KP_STRING(KP_TUNING); }
#define KP_BOTH
#define KP_KERNEL static void
#define KP_REDUCTION template <kp_mapping MAPPING> static void

#include "operations.h"

// Independent iterations, the last index the fastest. `simd` says so to the compiler: outlining for OpenMP loses `restrict`.
#define KP_PRAGMA(text) _Pragma(#text)
#define KP_LOOP(i, lower, upper) for (int64_t i = (lower); i < (upper); ++i)
#define KP_FOR(i, lower, upper) KP_PRAGMA(omp parallel for simd) KP_LOOP(i, lower, upper)
#define KP_FOR_ALIGNED KP_FOR
#define KP_FOR_2D(i, i_lower, i_upper, j, j_lower, j_upper)                                                          \
  KP_PRAGMA(omp parallel for) KP_LOOP(i, i_lower, i_upper)                                                           \
    KP_PRAGMA(omp simd) KP_LOOP(j, j_lower, j_upper)
#define KP_FOR_3D(k, k_lower, k_upper, j, j_lower, j_upper, i, i_lower, i_upper)                                     \
  KP_PRAGMA(omp parallel for collapse(2)) KP_LOOP(k, k_lower, k_upper) KP_LOOP(j, j_lower, j_upper)                  \
    KP_PRAGMA(omp simd) KP_LOOP(i, i_lower, i_upper)

// A loop that reduces. What follows the bounds are OpenMP clauses: `reduction(+ : sum)`.
#define KP_REDUCE(i, lower, upper, ...) KP_PRAGMA(omp parallel for simd __VA_ARGS__) KP_LOOP(i, lower, upper)

// A loop that adds to bins: each thread has its own, which OpenMP adds up.
#define KP_BINNED(i, lower, upper, sums, bins)                                                                       \
  KP_PRAGMA(omp parallel for reduction(+ : sums[ : bins])) KP_LOOP(i, lower, upper)
#define KP_ADD_TO_BIN(sums, bin, value) (sums)[bin] += (value)
#define KP_SETTLE_BINS(sums, bins) (void)(bins)

// An update that no other thread's comes in between. In the build for one thread the pragma means nothing.
template <class T> static inline void kp_atomic_add(T *target, T value) {
  KP_PRAGMA(omp atomic)
  *target += value;
}

static inline int kp_lowest_bit(unsigned bits) { return __builtin_ctz(bits); }

// An index as a real number; exact below 2^52.
static inline double kp_real(int64_t index) {
#if defined(__AVX2__) && !defined(__AVX512DQ__)  // no vector instruction converts 64-bit integers here, and g++ finds no other way
  const int64_t bits = index | 0x4330000000000000;
  double shifted;
  std::memcpy(&shifted, &bits, sizeof shifted);
  return shifted - 0x1p52;
#else
  return static_cast<double>(index);
#endif
}

template <class Operation, class T, bool FILLED> static void kp_settle(kp_term<Operation, T, FILLED> term) {
  *term.target = Operation::apply(FILLED ? term.fill : *term.target, term.value);
}

// Ends a reduction: its buffers take the contributions. The host reads them where they are.
template <class... Term> static void kp_combine(kp_ticket, Term... terms) { (kp_settle(terms), ...); }

template <class T> static void kp_return(kp_ticket, T *) {}

struct kp_grid {
  explicit kp_grid(int64_t) {}
  kp_grid(int64_t, int64_t) {}
  kp_grid(int64_t, int64_t, int64_t) {}
};

struct kp_run {
  int64_t number = 0;  // of the repetition
  int32_t error = 0;

  kp_run(void *, int32_t) {}

  template <class... P, class... A> void launch(void (*kernel)(P...), kp_grid, A... arguments) { kernel(arguments...); }
  template <kp_mapping, class... P> kp_grid reduction_grid(void (*)(P...), int64_t n) const { return kp_grid(n); }
  void copy(void *to, const void *from, size_t bytes) { std::memcpy(to, from, bytes); }
  void fill(void *to, int byte, size_t bytes) { std::memset(to, byte, bytes); }
  void exchange(const kp_exchange *messages) { error = messages->run(messages, nullptr); }
  kp_ticket issue(kp_results *) const { return {nullptr, 0}; }
  void wait() const {}
};
