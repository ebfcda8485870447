// The part of HIP's runtime that the baselines call, for a process without an AMD GPU: device memory is the host's, and what
// is launched is handed to the emulator. Loaded under the runtime's name before a baseline is.
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {
struct dim3 { uint32_t x, y, z; };

static struct callbacks {
  int (*launch)(const void *kernel, const uint32_t *geometry, void **arguments);
  void *(*allocate)(size_t bytes);
  void (*name)(const void *kernel, const char *symbol);
} emulator;

void emulated_runtime(const callbacks *calls) { emulator = *calls; }

static int bundle;
void **__hipRegisterFatBinary(const void *) { return reinterpret_cast<void **>(&bundle); }
void __hipUnregisterFatBinary(void **) {}
void __hipRegisterFunction(void **, const void *kernel, char *, const char *symbol, unsigned, void *, void *, void *, void *,
                           int *) {
  emulator.name(kernel, symbol);
}

int hipLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **arguments, size_t, void *) {
  const uint32_t geometry[] = {blocks.x, blocks.y, blocks.z, threads.x, threads.y, threads.z};
  return emulator.launch(kernel, geometry, arguments);
}

int hipMalloc(void **memory, size_t bytes) { return *memory = emulator.allocate(bytes), 0; }
int hipFree(void *) { return 0; }
int hipMemcpyAsync(void *to, const void *from, size_t bytes, int, void *) { return memcpy(to, from, bytes), 0; }
int hipMemsetAsync(void *to, int byte, size_t bytes, void *) { return memset(to, byte, bytes), 0; }

static int pending = 0;
int hipGetLastError() {
  const int error = pending;
  return pending = 0, error;
}
int hipStreamQuery(void *) { return 0; }
int hipStreamSynchronize(void *) { return 0; }
int hipGetDevice(int *device) { return *device = 0; }
int hipDeviceGetAttribute(int *value, int, int) { return *value = 2, 0; }  // two multiprocessors
int hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int, size_t) { return *blocks = 1, 0; }

// Of the vendor's library, which is not emulated: what its code is linked to.
int hipGetDeviceProperties(void *, int) { return pending = 801; }
int __hipPushCallConfiguration(dim3, dim3, size_t, void *) { return pending = 801; }
int __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, void **) { return pending = 801; }
}
