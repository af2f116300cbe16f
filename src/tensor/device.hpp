#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/host_buffer.hpp"

namespace virnucpro {

// One CUDA device as its runtime describes it.
struct DeviceInfo {
  int index = 0;
  std::string name;
  std::string
      uuid;  // "GPU-xxxxxxxx-xxxx-…", "MIG-…" for a part of a GPU, as CUDA_VISIBLE_DEVICES takes it
  std::string pci;  // "0000:3b:00.0", as in Linux; empty if unknown
  int compute_major = 0;
  int compute_minor = 0;
  std::uint64_t memory_total = 0;  // bytes
  // Only set for a device that was opened:
  std::uint64_t memory_free = 0;  // bytes
  std::string failure;            // CUDA's text if it could not be opened
};

// The state of CUDA and its devices.
enum class CudaState : std::uint8_t {
  kReady,  // at least one device
  kNotBuiltIn,
  kNoDriver,
  kDriverTooOld,  // too old for this program's CUDA version
  kNoDevice,      // the driver works, but lists no device
  kFailed,        // the driver cannot be used
};

// The devices this program could use; tensor/device_advice.hpp explains a survey in words.
struct DeviceSurvey {
  CudaState state = CudaState::kNotBuiltIn;
  std::vector<DeviceInfo> devices;  // by index; not empty if `state` is kReady
  // CUDA versions in CUDA's form (13.0 is 13000); 0 if there is none:
  int runtime = 0;                     // this program's version
  int driver = 0;                      // the newest version that the driver supports
  std::optional<std::string> visible;  // the variable CUDA_VISIBLE_DEVICES, if it is set
  std::string failure;                 // CUDA's text for kFailed
};

// Returns the CUDA version of this program, as in DeviceSurvey::runtime; asks no driver.
int cuda_built_in();

// For the functions below a machine without a device is a result, not an error.

// Lists the devices without opening CUDA on them: that would take hundreds of megabytes and much of
// a second on each, and on a shared machine a device may belong to someone else. Errors: kDevice if
// the driver lists a device but cannot describe it.
DeviceSurvey find_devices();
// Like find_devices(), but also finds the free memory; opens CUDA on each device.
DeviceSurvey survey_devices();
// Describes a device with its free memory. Errors: kDevice if no device has this index.
DeviceInfo survey_device(int index);

// This program's memory on the GPU that the calling thread uses.
struct DeviceUse {
  std::array<MemoryUse, kPurposes> by_purpose{};
  std::uint64_t kept = 0;  // unused bytes, kept for later allocations
};

// Returns the memory use; all 0 in a program without CUDA. Errors: kDevice.
DeviceUse device_use();

}  // namespace virnucpro
