// The host's side of a launch: errors, the grid of full occupancy, and the wait for reduced scalars.
#pragma once

static inline void kp_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Blocks that the device holds at once. Asked for once a thread: a library launches one reduction.
template <class... P> static int64_t kp_resident_blocks(void (*kernel)(P...), int32_t *error) {
  static thread_local struct { void (*kernel)(P...); int device; int64_t blocks; } known = {nullptr, -1, 1};
  int device = 0, processors = 0, blocks = 0;
  if ((*error = KP_API(GetDevice)(&device)) != 0) return 1;
  if (known.kernel == kernel && known.device == device) return known.blocks;
  if ((*error = KP_API(DeviceGetAttribute)(&processors, KP_MULTIPROCESSORS, device)) != 0) return 1;
  if ((*error = KP_API(OccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, KP_CODE(kernel), KP_BLOCK, 0)) != 0) return 1;
  known = {kernel, device, static_cast<int64_t>(processors) * blocks};
  return known.blocks;
}

template <class T> struct kp_exactly { using type = T; };  // not deduced: the argument converts to the parameter's type

struct kp_run {
  int64_t number = 0;  // of the repetition
  int32_t error = 0;   // the first one; nothing is launched after it

  kp_run(void *stream, int32_t flags) : stream(static_cast<kp_stream>(stream)), flags(flags) {}

  template <class... P> void launch(void (*kernel)(P...), kp_grid grid, typename kp_exactly<P>::type... arguments) {
    if (error != 0 || grid.empty()) return;
    void *addresses[] = {static_cast<void *>(&arguments)...};
    error = KP_API(LaunchKernel)(KP_CODE(kernel), grid.blocks, grid.threads, addresses, 0, stream);
    if (error != 0) (void)KP_API(GetLastError)();  // reported here, so not again elsewhere
  }

  // What the vendor's library or runtime does on the stream.
  template <class Work> void call(Work work) {
    if (error == 0 && (error = work(stream)) != 0) (void)KP_API(GetLastError)();
  }

  // The runtime's own copy and fill of bytes.
  void copy(void *to, const void *from, size_t bytes) {
    call([=](kp_stream on) { return KP_API(MemcpyAsync)(to, from, bytes, KP_API(MemcpyDeviceToDevice), on); });
  }
  void fill(void *to, int byte, size_t bytes) {
    call([=](kp_stream on) { return KP_API(MemsetAsync)(to, byte, bytes, on); });
  }

  // At least one block: an empty sum has a result, too.
  template <kp_mapping MAPPING, class... P> kp_grid reduction_grid(void (*kernel)(P...), int64_t n) {
    const int64_t all = n > KP_BLOCK ? (n + KP_BLOCK - 1) / KP_BLOCK : 1;
    if (MAPPING == KP_DIRECT || error != 0) return kp_grid(all * KP_BLOCK);
    const int64_t resident = kp_resident_blocks(kernel, &error);
    return kp_grid((all < resident ? all : resident) * KP_BLOCK);
  }

  // Sends the messages behind what is on the stream, and brings those of others before what follows.
  void exchange(const kp_exchange *messages) {
    if (error == 0) error = messages->run(messages, stream);
  }

  // A place for the scalars of the launch that follows.
  kp_ticket issue(kp_results *results) {
    awaited = {results, results ? ++results->issued : 0};
    return awaited;
  }

  // Spins until the last launch's scalars are there: no copy, no synchronisation with the stream. A kernel that failed never
  // delivers, so the stream is asked from time to time.
  void wait() {
    if (error != 0 || !awaited.results || (flags & KP_WITHOUT_RESULTS)) return;
    for (uint32_t spins = 1; !arrived(); ++spins) {
      kp_pause();
      if (spins % 65536 != 0) continue;
      const auto state = KP_API(StreamQuery)(stream);
      if (state == KP_API(ErrorNotReady)) continue;
      if (state != KP_API(Success)) error = state;
      else if (!arrived()) error = KP_NOT_DELIVERED;
      return;
    }
  }

 private:
  bool arrived() const { return __atomic_load_n(&awaited.results->arrived, __ATOMIC_ACQUIRE) >= awaited.number; }

  kp_stream stream;
  int32_t flags;
  kp_ticket awaited = {nullptr, 0};
};
