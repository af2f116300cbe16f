#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace virnucpro {

// The NVIDIA driver's library of measurements (NVML), as the loader finds it.
inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

// A GPU, or a part of one (MIG), as NVML hands it out; valid as long as its Nvml.
using NvmlDevice = struct NvmlDeviceObject*;

// What a device says of itself at one moment. It leaves empty what it does not measure: a part of a
// GPU knows little more than its memory.
struct GpuReading {
  std::optional<double> utilization_percent;  // of the time in which any kernel ran
  std::optional<std::uint64_t> memory_used;   // bytes, by whomever
  std::optional<std::uint64_t> memory_total;  // bytes
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<double> sm_clock_mhz;
  std::optional<std::uint64_t> throttle_reasons;  // bits: throttle_names()
  std::optional<std::uint64_t> ecc_errors;        // uncorrected, since the driver was loaded
  std::string failure;  // NVML's words where it said nothing of the above; else empty
};

// What does not change during a run.
struct GpuDescription {
  std::string name;                     // "NVIDIA H200"; empty: not known
  std::optional<double> power_limit_w;  // as enforced
};

struct FoundGpu {
  NvmlDevice device = nullptr;
  std::string failure;  // why there is none; else empty
};

// "sw_power_cap|hw_slowdown", "none", and what has no name here as its bit: "0x200".
std::string throttle_names(std::uint64_t reasons);

// The library, opened at run time and started; it ends with the object. Nothing here throws for a
// machine without one: that is an answer. A call of the driver may take seconds, or, on a GPU that
// has failed, for ever.
class Nvml {
 public:
  explicit Nvml(const std::string& library = kNvmlLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Why it cannot be used; empty: it can. One that cannot finds no device.
  const std::string& failure() const { return failure_; }
  std::string driver_version() const;  // "580.65.06"; empty: not known

  // The device of a UUID ("GPU-…", "MIG-…"). Whatever else CUDA_VISIBLE_DEVICES may name a GPU by
  // (an index, the beginning of a UUID) is no name to NVML: then it is the one at that PCI address
  // ("0000:3b:00.0"; empty: not known). A whole GPU never stands for a part of it: one that is
  // divided is not found. NVML itself heeds no CUDA_VISIBLE_DEVICES.
  FoundGpu find(const std::string& uuid, const std::string& pci) const;
  GpuDescription describe(NvmlDevice device) const;
  GpuReading read(NvmlDevice device) const;

 private:
  struct Functions;

  bool is_divided(NvmlDevice device) const;
  std::string words_for(int code) const;

  void* library_ = nullptr;
  std::unique_ptr<Functions> functions_;
  std::string failure_;
};

}  // namespace virnucpro
