// HIP on CUDA's runtime: the names that the baselines use, and no others. It lets nvcc compile the text that hipcc compiles,
// so that the logic of the HIP side can run where there is no AMD GPU.
#pragma once

#include <cuda_runtime.h>
#if defined(__NVCC__)  // these declare the shuffles that CUDA has no more, under the name that is defined below
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;

constexpr hipError_t hipSuccess = cudaSuccess, hipErrorNotReady = cudaErrorNotReady;
constexpr auto hipDeviceAttributeMultiprocessorCount = cudaDevAttrMultiProcessorCount;
constexpr auto hipMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice;

#define hipDeviceGetAttribute cudaDeviceGetAttribute
#define hipFree cudaFree
#define hipGetDevice cudaGetDevice
#define hipGetLastError cudaGetLastError
#define hipLaunchKernel cudaLaunchKernel
#define hipMalloc cudaMalloc
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemsetAsync cudaMemsetAsync
#define hipOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define hipStreamQuery cudaStreamQuery

// HIP's shuffles have no mask: the lanes of a warp are all there.
#define __shfl_down(value, distance) __shfl_down_sync(0xffffffffu, value, distance)
