// Memory that stays for the next repetition, and grows.
#pragma once

#if defined(KP_GPU)
template <class T> class kp_memory {
  T *held = nullptr;
  size_t count = 0;

 public:
  T *of(kp_run &run, size_t needed) {
    run.call([&](kp_stream) {
      if (needed <= count) return KP_API(Success);
      auto error = KP_API(Free)(held);
      if (error == KP_API(Success)) error = KP_API(Malloc)(reinterpret_cast<void **>(&held), needed * sizeof(T));
      count = error == KP_API(Success) ? needed : 0;
      return error;
    });
    return held;
  }
};
#else
#include <vector>

template <class T> class kp_memory {
  std::vector<T> held;

 public:
  T *of(kp_run &, size_t needed) {
    if (held.size() < needed) held.resize(needed);
    return held.data();
  }
};
#endif
