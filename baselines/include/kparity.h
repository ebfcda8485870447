// What a baseline needs beyond C++: the names on which g++, nvcc and hipcc differ, and the way back for reduced scalars.
//
// A kernel file declares its parameters (KP_ARGUMENTS), the kernel (KP_KERNEL with KP_FOR, or KP_REDUCTION with
// KP_REDUCE and kp_combine) and one repetition (KP_REPETITION or KP_REDUCTION_REPETITION). On a GPU the body is one
// thread's work; on the CPU it is a loop, with OpenMP or without. One library serves one stream at a time: the state of
// its reductions is static, as it is in hand-written code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#ifndef KP_BLOCK
#define KP_BLOCK 256  // threads of a block
#endif

#define KP_MUT(type) type *__restrict__
#define KP_REF(type) const type *__restrict__
#define KP_ATOMIC(type) type *  // updated by atomic operations only; two of these may overlap
#if defined(__NVCC__) || defined(__clang__)
#define KP_UNROLL _Pragma("unroll")
#else
#define KP_UNROLL _Pragma("GCC unroll 16")
#endif
#define KP_EXPORT extern "C" __attribute__((visibility("default")))

struct kp_results {  // mapped pinned host memory
  uint64_t arrived;  // number of the launch whose values are here
  uint64_t issued;   // number of the last launch
  uint64_t value[6];
};

template <class T> struct kp_located {  // the buffer of a reduction with a location
  T value;
  alignas(8) int64_t location;
};

struct kp_exchange {  // messages between processes; the rest of the block belongs to who made it
  int32_t (*run)(const kp_exchange *, void *stream);
};

struct kp_ticket {  // where a launch delivers its scalars, and under which number; null: nowhere
  kp_results *results;
  uint64_t number;
};

enum { KP_WITHOUT_RESULTS = 1, KP_NOT_DELIVERED = -2 };

// How elements are dealt to threads: one each, or a strided share of them to as many blocks as the device holds at once.
enum kp_mapping { KP_DIRECT, KP_OCCUPANCY };

#if defined(__CUDACC__) || defined(__HIPCC__)
#define KP_GPU
#include "kparity/gpu.h"
#else
#include "kparity/cpu.h"
#endif

// The parameter list that this file was written for, compared member by member with the checked kernel's.
#define KP_ARGUMENTS struct kp_arguments
#define KP_SAME(member)                                                                                              \
  static_assert(offsetof(kp_arguments, member) == offsetof(kp_manifest, member),                                     \
                "KP_ABI: `" #member "` stands at another place in the checked kernel's parameter list");              \
  static_assert(std::is_same<decltype(kp_arguments::member), decltype(kp_manifest::member)>::value,                  \
                "KP_ABI: `" #member "` has another type in the checked kernel's parameter list");
#define KP_CHECK_ARGUMENTS                                                                                           \
  KP_MEMBERS(KP_SAME)                                                                                                \
  [[maybe_unused]] static void kp_same_number_of_parameters(const kp_arguments &arguments) {                         \
    [[maybe_unused]] const auto &[KP_MEMBER_NAMES] = arguments;                                                      \
  }

template <class Arguments, void (*repetition)(const Arguments &, kp_run &)>
static int32_t kp_repeat(const void *arguments, int64_t first, int64_t repetitions, void *stream, int32_t flags) {
  kp_run run(stream, flags);
  for (run.number = first; run.number < first + repetitions && run.error == 0; ++run.number) {
    repetition(*static_cast<const Arguments *>(arguments), run);
    run.wait();
  }
  return run.error;
}

#define KP_JOIN_OF(left, right) left##right
#define KP_JOIN(left, right) KP_JOIN_OF(left, right)
#define KP_STRING_OF(text) #text
#define KP_STRING(text) KP_STRING_OF(text)
#define KP_ENTRY(tuning, ...)                                                                                        \
  KP_EXPORT int32_t KP_JOIN(kp_run_, tuning)(const void *arguments, int64_t first, int64_t repetitions,              \
                                             void *stream, int32_t flags) {                                          \
    return kp_repeat<kp_arguments, __VA_ARGS__>(arguments, first, repetitions, stream, flags);                       \
  }

// The launches of one repetition, in stream order.
#define KP_REPETITION(args, run)                                                                                     \
  KP_TUNINGS(KP_TUNING)                                                                                              \
  KP_TUNED_REPETITION(KP_TUNING, args, run)

// The same where there are several ways: the names of all, the default first, then a repetition of each.
#define KP_TUNINGS(names)                                                                                            \
  KP_CHECK_ARGUMENTS                                                                                                 \
  KP_EXPORT const char *kp_tunings(void) { return KP_STRING(names); }
#define KP_TUNED_REPETITION(tuning, args, run)                                                                       \
  static void KP_JOIN(kp_repetition_, tuning)(const kp_arguments &args, kp_run &run);                                \
  KP_ENTRY(tuning, KP_JOIN(kp_repetition_, tuning))                                                                  \
  static void KP_JOIN(kp_repetition_, tuning)(const kp_arguments &args, kp_run &run)

// The same where MAPPING is one of the mappings that a reduction, of scalars or of bins, is measured with.
#define KP_REDUCTION_REPETITION(args, run) KP_MAPPED_REPETITION(args, run, KP_REDUCTION_ENTRIES)
#define KP_BINNED_REPETITION(args, run) KP_MAPPED_REPETITION(args, run, KP_BINNED_ENTRIES)
#define KP_MAPPED_REPETITION(args, run, entries)                                                                     \
  KP_CHECK_ARGUMENTS                                                                                                 \
  template <kp_mapping MAPPING> static void kp_repetition(const kp_arguments &args, kp_run &run);                    \
  entries                                                                                                            \
  template <kp_mapping MAPPING> static void kp_repetition(const kp_arguments &args, kp_run &run)
