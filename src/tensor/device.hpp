#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace virnucpro {

// One CUDA device as its runtime describes it.
struct DeviceInfo {
  int index = 0;
  std::string name;
  std::string
      uuid;  // "GPU-xxxxxxxx-xxxx-…", "MIG-…" for a part of one, as CUDA_VISIBLE_DEVICES takes it
  std::string pci;  // "0000:3b:00.0", as Linux names it; empty: not known
  int compute_major = 0;
  int compute_minor = 0;
  std::uint64_t memory_total = 0;  // bytes
  // Known of a device that was opened:
  std::uint64_t memory_free = 0;  // bytes
  std::string failure;            // CUDA's words where it could not be opened
};

// What CUDA answers when it is asked for devices.
enum class CudaState : std::uint8_t {
  kReady,  // there are some
  kNotBuiltIn,
  kNoDriver,
  kDriverTooOld,  // for the CUDA that this program was built with
  kNoDevice,      // the driver is there, and shows none
  kFailed,        // the driver cannot be used
};

// What this program can compute on beside the CPU; tensor/device_advice.hpp puts it in words.
struct DeviceSurvey {
  CudaState state = CudaState::kNotBuiltIn;
  std::vector<DeviceInfo> devices;  // in the order of their indices; some where CUDA is ready
  // CUDA versions as CUDA counts them, 13.0 being 13000; 0 where there is none:
  int runtime = 0;                     // built in
  int driver = 0;                      // the newest that the driver knows
  std::optional<std::string> visible;  // CUDA_VISIBLE_DEVICES, where it is set
  std::string failure;                 // CUDA's words for kFailed
};

// The CUDA version that this program has: DeviceSurvey's `runtime`, without asking anything.
int cuda_built_in();

// None of these throws for a machine without a device: that is an answer.

// Which devices there are. Opens CUDA on none of them: that would take hundreds of megabytes and a
// good part of a second of each, which on a shared machine may be another's.
// Errors: kDevice when the driver lists a device and cannot describe it.
DeviceSurvey find_devices();
// The same and their free memory, for which it opens CUDA on each of them.
DeviceSurvey survey_devices();
// One of them, and its free memory. Errors: kDevice when there is none of this index.
DeviceInfo survey_device(int index);

}  // namespace virnucpro
