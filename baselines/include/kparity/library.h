// The GPU vendor's library: CUB, rocPRIM for HIP. Each of its functions is called twice: to say how much memory it needs, and
// to do the work.
#pragma once

#include "memory.h"

#if defined(KP_GPU)
#if defined(KP_HIP)
#define KP_LIBRARY_TUNING rocprim
#else
#define KP_LIBRARY_TUNING cub
#endif

template <class Function> static void kp_call_library(kp_run &run, Function function) {
  static kp_memory<char> memory;
  size_t needed = 0;
  run.call([&](kp_stream stream) { return function(nullptr, needed, stream); });
  char *const held = memory.of(run, needed);
  run.call([&](kp_stream stream) { return function(held, needed, stream); });
}
#else
#define KP_LIBRARY_TUNING default
#endif
