#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "observe/gauges.hpp"

namespace virnucpro {

// The loader's name for NVML, the NVIDIA driver's library for measurements.
inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

// A GPU, or a part of a GPU (MIG). The handle is valid while the Nvml object exists.
using NvmlDevice = struct NvmlDeviceObject*;

// A device's measurements at one moment. A value that the device does not report is empty; a part
// of a GPU (MIG) reports little more than its memory.
struct GpuReading : GpuGauges<std::optional<double>> {
  std::optional<std::uint64_t> memory_total;      // bytes
  std::optional<std::uint64_t> throttle_reasons;  // bits; see throttle_names()
  std::optional<std::uint64_t> ecc_errors;        // uncorrected errors since the driver was loaded
  std::string failure;  // NVML's error if it reported none of these values; else empty
};

// A GPU's properties that do not change during a run.
struct GpuDescription {
  std::string name;                     // "NVIDIA H200"; empty: unknown
  std::optional<double> power_limit_w;  // the enforced limit
};

struct FoundGpu {
  NvmlDevice device = nullptr;
  std::string failure;  // why the GPU was not found; else empty
};

// Returns the names of the bits: "sw_power_cap|hw_slowdown", or "none". Unknown bits are a number:
// "0x200".
std::string throttle_names(std::uint64_t reasons);
// Returns the bits that a text of throttle_names() names; ignores unknown names.
std::uint64_t throttle_bits(std::string_view names);

// NVIDIA's library NVML, opened at run time: the package must also work without a driver. failure()
// says if it is missing. A function of the driver may take seconds, or not return if a GPU failed.
class Nvml {
 public:
  explicit Nvml(const std::string& library = kNvmlLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Returns why NVML cannot be used; empty if it can. Without NVML no device is found.
  const std::string& failure() const { return failure_; }
  std::string driver_version() const;  // "580.65.06"; empty: unknown

  // Finds a device by its UUID ("GPU-…", "MIG-…"). If NVML does not know the UUID, for example
  // because it is only the start of a UUID, finds a GPU by its PCI address ("0000:3b:00.0"; empty:
  // unknown). Refuses a GPU that is divided into parts, because the address does not tell the part.
  // Never uses an index: NVML ignores CUDA_VISIBLE_DEVICES and might measure another GPU.
  FoundGpu find(const std::string& uuid, const std::string& pci) const;
  GpuDescription describe(NvmlDevice device) const;
  GpuReading read(NvmlDevice device) const;

 private:
  struct Functions;

  bool is_divided(NvmlDevice device) const;
  std::string error_text(int code) const;

  void* library_ = nullptr;
  std::unique_ptr<Functions> functions_;
  std::string failure_;
};

}  // namespace virnucpro
