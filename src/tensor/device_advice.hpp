#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "tensor/device.hpp"

namespace virnucpro {

// Says in words what is wrong with a device and what to do about it. Nothing here calls CUDA.

inline constexpr int kLeastComputeMajor = 8;  // tensor cores with TF32, BF16 and cp.async

// The cudaError_t values with advice of their own; device_cuda.cu checks them against CUDA's.
inline constexpr int kCudaMemoryAllocation = 2;
inline constexpr int kCudaInsufficientDriver = 35;
inline constexpr int kCudaDevicesUnavailable = 46;
inline constexpr int kCudaNoDevice = 100;

// The meaning of cudaGetDeviceCount's status and count. The survey's versions are needed because
// CUDA reports a missing driver as an insufficient one.
CudaState cuda_state(int status, int count, const DeviceSurvey& survey);

// "13.0" for 13000.
std::string cuda_version_text(int version);
// The oldest driver that works with a CUDA runtime: "driver 580 or newer".
std::string driver_needed(int runtime);

// Why the survey found no device.
std::string why_none(const DeviceSurvey& survey);
bool is_new_enough(const DeviceInfo& device);
// True if it uses the kernels for compute capability 9.0. Their results differ from all others in
// bits.
bool has_hopper_kernels(const DeviceInfo& device);
// The code that computes on it: "cuda-sm90a" (Hopper), "cuda-generic-sm80", "cuda-generic-sm120" …
// Tensor cores of different generations sum products of 16 bits differently.
std::string cuda_kernel_path(const DeviceInfo& device);
inline constexpr std::string_view kInt8Need =
    "int8 needs compute capability 9.0 (Hopper: H100, H200)";
// Names the devices that are too old, and what is needed; empty if there are none.
std::string why_too_old(std::span<const DeviceInfo> devices);

// The id of the Slurm job that this process runs in; empty if none.
std::string slurm_job();

// The first device that is new enough.
std::optional<int> first_usable(const DeviceSurvey& survey);
// Why there is no such device.
std::string why_none_usable(const DeviceSurvey& survey);

// "5.5 GiB".
std::string gib_text(std::uint64_t bytes);

// "cuda:0 (NVIDIA A10)".
std::string device_title(const DeviceInfo& device);

// The error for a device that CUDA could not open, from its status and text: kOutOfMemory if other
// programs use all its memory, otherwise kDevice.
Error not_opened(const DeviceInfo& device, int status, const std::string& words);

// Bytes of a GPU's memory.
struct MemoryNeed {
  std::string_view esm2{};  // the name of a published ESM-2; empty: that of the run
  std::uint64_t weights = 0;
  std::uint64_t batches = 0;  // the smallest that a run starts with

  std::uint64_t all() const { return weights + batches; }
};

// The models did not fit in a device's memory.
struct MemoryShortage {
  DeviceInfo device;                  // with its free memory before
  MemoryNeed models{};                // those of the run
  MemoryNeed in_half{};               // the same in 16 bits
  std::vector<MemoryNeed> smaller{};  // in 16 bits with smaller ESM-2 models, the largest first
  bool is_fp32 = false;
  std::string failed{};  // the allocation that failed
};
// The error says what would fit.
Error too_little_memory(const MemoryShortage& shortage);

}  // namespace virnucpro
