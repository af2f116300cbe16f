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

// These say in words what is wrong with a device and what to do about it. None calls CUDA.

inline constexpr int kLeastComputeMajor = 8;  // the first with TF32, BF16 and cp.async

// The cudaError_t values with their own advice; device_cuda.cu compares them with CUDA's header.
inline constexpr int kCudaMemoryAllocation = 2;
inline constexpr int kCudaInsufficientDriver = 35;
inline constexpr int kCudaDevicesUnavailable = 46;
inline constexpr int kCudaNoDevice = 100;

// Explains cudaGetDeviceCount's status and count. It needs the survey's versions, because CUDA
// reports a missing driver as an insufficient driver.
CudaState cuda_state(int status, int count, const DeviceSurvey& survey);

// Returns "13.0" for 13000.
std::string cuda_version_text(int version);
// Returns the oldest driver that works with a CUDA runtime: "driver 580 or newer".
std::string driver_needed(int runtime);

// Says why the survey found no device.
std::string why_none(const DeviceSurvey& survey);
bool is_new_enough(const DeviceInfo& device);
// True if the device uses the kernels for compute capability 9.0. Their results differ in bits from
// those of all other kernels.
bool has_hopper_kernels(const DeviceInfo& device);
// Names the code that computes on a device: "cuda-sm90a" (Hopper), "cuda-generic-sm80", and so on.
// Tensor cores of different generations sum products of 16 bits differently.
std::string cuda_kernel_path(const DeviceInfo& device);
inline constexpr std::string_view kInt8Need =
    "int8 needs compute capability 9.0 (Hopper: H100, H200)";
// Names the devices that are too old, and what they lack; empty if there are none.
std::string why_too_old(std::span<const DeviceInfo> devices);

// Returns the id of the Slurm job of this process; empty if there is none.
std::string slurm_job();

// Returns the first device that is new enough; empty if there is none.
std::optional<int> first_usable(const DeviceSurvey& survey);
// Says why no device is new enough.
std::string why_none_usable(const DeviceSurvey& survey);

// Returns "5.5 GiB".
std::string gib_text(std::uint64_t bytes);

// Returns "cuda:0 (NVIDIA A10)".
std::string device_title(const DeviceInfo& device);

// Makes the error for a device that CUDA could not open, from CUDA's status and text: kOutOfMemory
// if other programs use all its memory, otherwise kDevice.
Error not_opened(const DeviceInfo& device, int status, const std::string& words);

// The bytes of GPU memory that models and batches need.
struct MemoryNeed {
  std::string_view esm2{};  // the name of a published ESM-2; empty: the run's ESM-2
  std::uint64_t weights = 0;
  std::uint64_t batches = 0;  // the smallest batches that a run starts with

  std::uint64_t all() const { return weights + batches; }
};

// Describes models that did not fit in a device's memory.
struct MemoryShortage {
  DeviceInfo device;                  // with its free memory before the models
  MemoryNeed models{};                // the run's models
  MemoryNeed in_half{};               // the run's models in 16 bits
  std::vector<MemoryNeed> smaller{};  // 16 bits, with smaller ESM-2 models, the largest first
  bool is_fp32 = false;
  std::string failed{};  // the allocation that failed
};
// Makes the error, which says what would fit.
Error too_little_memory(const MemoryShortage& shortage);

}  // namespace virnucpro
