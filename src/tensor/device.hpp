#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace virnucpro {

// One CUDA device as its runtime describes it.
struct DeviceInfo {
  int index = 0;
  std::string name;
  std::string uuid;  // "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as CUDA_VISIBLE_DEVICES takes it
  int compute_major = 0;
  int compute_minor = 0;
  std::uint64_t memory_total = 0;  // bytes
  std::uint64_t memory_free = 0;   // bytes
};

// What this program can compute on beside the CPU.
struct DeviceSurvey {
  std::vector<DeviceInfo> devices;
  std::string driver;    // newest CUDA version the driver supports, "13.0"; empty without a driver
  std::string why_none;  // why `devices` is empty, in a sentence; empty when it is not
};

// Never throws for a machine without a device: that is an answer. Opens CUDA on each device, so a
// process that must not (a parent of workers) asks a child.
// Errors: kDevice when a device that is there cannot be asked.
DeviceSurvey survey_devices();

}  // namespace virnucpro
