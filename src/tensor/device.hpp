#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/host_buffer.hpp"

namespace virnucpro {

// One CUDA device, as the CUDA runtime describes it.
struct DeviceInfo {
  int index = 0;
  std::string name;
  std::string uuid;  // "GPU-…", or "MIG-…" for a part of a GPU; CUDA_VISIBLE_DEVICES accepts it
  std::string pci;   // like "0000:3b:00.0"; empty if unknown
  int compute_major = 0;
  int compute_minor = 0;
  std::uint64_t memory_total = 0;  // bytes
  // These two are set only by functions that open CUDA on the device:
  std::uint64_t memory_free = 0;  // bytes
  std::string failure;            // CUDA's error text if opening failed
};

enum class CudaState : std::uint8_t {
  kReady,  // at least one device
  kNotBuiltIn,
  kNoDriver,
  kDriverTooOld,  // too old for this program's CUDA version
  kNoDevice,      // the driver works, but lists no device
  kFailed,        // the driver fails in another way
};

// The CUDA devices that this program can see, or the reason why there are none.
struct DeviceSurvey {
  CudaState state = CudaState::kNotBuiltIn;
  std::vector<DeviceInfo> devices;  // by index; not empty if `state` is kReady
  // CUDA versions as CUDA writes them (13000 is 13.0); 0 if there is none:
  int runtime = 0;                     // this program's version
  int driver = 0;                      // the newest version that the driver supports
  std::optional<std::string> visible;  // the environment variable CUDA_VISIBLE_DEVICES
  std::string failure;                 // CUDA's text for kFailed
};

// Returns the CUDA version of this program (13000 is 13.0), or 0 in a program without CUDA.
int cuda_built_in();

// Lists the devices; a machine without devices is not an error. Does not open CUDA on the devices:
// opening a device takes hundreds of megabytes and most of a second, and another user may own the
// device. Errors: kDevice if the driver lists a device but cannot describe it.
DeviceSurvey find_devices();
// Works like find_devices(), but also opens CUDA on each device to read its free memory.
DeviceSurvey survey_devices();
// Describes one device, with its free memory. Errors: kDevice if no device has this index.
DeviceInfo survey_device(int index);

// The memory that this program uses on one GPU.
struct DeviceUse {
  std::array<MemoryUse, kPurposes> by_purpose{};
  std::uint64_t kept = 0;  // unused bytes, kept for later allocations
};

// Returns the memory use on the calling thread's GPU; all 0 without CUDA. Errors: kDevice.
DeviceUse device_use();

}  // namespace virnucpro
