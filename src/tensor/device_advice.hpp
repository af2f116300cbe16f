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

// These functions say why a device cannot be used and what to do. None of them calls CUDA.

inline constexpr int kLeastComputeMajor = 8;  // the first generation with TF32, BF16 and cp.async

// cudaError_t values that have their own advice. device_cuda.cu checks them against CUDA's header.
inline constexpr int kCudaMemoryAllocation = 2;
inline constexpr int kCudaInsufficientDriver = 35;
inline constexpr int kCudaDevicesUnavailable = 46;
inline constexpr int kCudaNoDevice = 100;

// Turns cudaGetDeviceCount's status and count into a state. CUDA reports a missing driver as an
// insufficient driver, so the versions in `survey` are needed to tell the two apart.
CudaState cuda_state(int status, int count, const DeviceSurvey& survey);

// Returns a version as text: "13.0" for 13000.
std::string cuda_version_text(int version);
// Names the oldest driver for a CUDA runtime: "driver 580 or newer" for 13000.
std::string driver_needed(int runtime);

// Says why the survey found no device.
std::string why_none(const DeviceSurvey& survey);
bool is_new_enough(const DeviceInfo& device);
// True if the device uses the kernels for compute capability 9.0. Their results differ in the last
// bits from the results of all other kernels.
bool has_hopper_kernels(const DeviceInfo& device);
// Names the code that computes on a device: "cuda-sm90a" (Hopper), "cuda-mma-sm80", and so on.
// If `generic` is true, a Hopper device uses the generic kernels, and its name is "cuda-mma-sm90".
// The name contains the generation, because each generation sums 16-bit products differently.
std::string cuda_kernel_path(const DeviceInfo& device, bool generic = false);
// Names the devices that are too old and the compute capability needed; empty if none is too old.
std::string why_too_old(std::span<const DeviceInfo> devices);

// Returns this process's Slurm job id; empty outside a Slurm job.
std::string slurm_job();

// Returns the index of the first device that is new enough; empty if there is none.
std::optional<int> first_usable(const DeviceSurvey& survey);
// Says why no device is new enough.
std::string why_none_usable(const DeviceSurvey& survey);

// Returns a number of bytes as text: "5.5 GiB".
std::string gib_text(std::uint64_t bytes);

// Returns a device's name for messages: "cuda:0 (NVIDIA A10)".
std::string device_title(const DeviceInfo& device);

// Returns the error for a device that CUDA could not open; `status` and `words` are CUDA's code and
// text. The error is kOutOfMemory if other programs use all the device's memory, else kDevice.
Error not_opened(const DeviceInfo& device, int status, const std::string& words);

// The bytes of GPU memory that models and batches need.
struct MemoryNeed {
  std::string_view esm2{};  // name of a published ESM-2; empty for the run's own ESM-2
  std::uint64_t weights = 0;
  std::uint64_t batches = 0;  // for batches of the smallest size that an engine chooses

  std::uint64_t all() const { return weights + batches; }
};

inline constexpr std::string_view kFullPrecision = "fp32";

// Models that did not fit in a device's memory, and what would fit.
struct MemoryShortage {
  DeviceInfo device;                  // memory_free is from before the models were loaded
  MemoryNeed models{};                // the run's models
  MemoryNeed in_half{};               // the same models in 16 bits
  std::vector<MemoryNeed> smaller{};  // in 16 bits with smaller ESM-2 models, the largest first
  std::string_view precision = "16 bits";  // of `models`: "16 bits", "8 bits" or kFullPrecision
  std::string failed{};                    // the error of the allocation that failed
};
// Returns an error that says what would fit.
Error too_little_memory(const MemoryShortage& shortage);

}  // namespace virnucpro
