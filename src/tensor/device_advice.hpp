#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "tensor/device.hpp"

namespace virnucpro {

// What is wrong with a device, in sentences that say what to do about it. Nothing here asks CUDA.

inline constexpr int kLeastComputeMajor = 8;  // tensor cores with TF32, BF16 and cp.async

// The values of cudaError_t that have an advice of their own; device_cuda.cu holds them to CUDA's.
inline constexpr int kCudaMemoryAllocation = 2;
inline constexpr int kCudaInsufficientDriver = 35;
inline constexpr int kCudaDevicesUnavailable = 46;
inline constexpr int kCudaNoDevice = 100;

// What cudaGetDeviceCount's status and count mean, by the versions of the survey: CUDA calls a
// driver that is absent insufficient, too.
CudaState cuda_state(int status, int count, const DeviceSurvey& survey);

// "13.0" for 13000.
std::string cuda_version_text(int version);
// The oldest driver that a CUDA runtime works with: "driver 580 or newer".
std::string driver_needed(int runtime);

// Why a survey has no device.
std::string why_none(const DeviceSurvey& survey);
bool is_new_enough(const DeviceInfo& device);
// Whether it computes with the kernels for compute capability 9.0, which give other bits than those
// for all others.
bool has_hopper_kernels(const DeviceInfo& device);
// Which of the devices are too old to compute on, and what is needed; empty where none is.
std::string why_too_old(std::span<const DeviceInfo> devices);

// The first device that is new enough.
std::optional<int> first_usable(const DeviceSurvey& survey);
// Why there is none.
std::string why_none_usable(const DeviceSurvey& survey);

// "cuda:0 (NVIDIA A10)".
std::string device_title(const DeviceInfo& device);

// The error for a device that CUDA did not open, by its status and its words for that.
// kOutOfMemory where others have taken all its memory, or else kDevice.
Error not_opened(const DeviceInfo& device, int status, const std::string& words);

// Models that a device's memory did not hold.
struct MemoryShortage {
  DeviceInfo device;          // with the memory that was free before
  std::uint64_t weights = 0;  // bytes that the models' weights take
  bool is_fp32 = false;
  std::string failed;  // what could not be had
};
Error too_little_memory(const MemoryShortage& shortage);

}  // namespace virnucpro
