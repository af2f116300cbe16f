#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace virnucpro {

// The loader's name for NVML, the NVIDIA driver's library for measurements.
inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

// A GPU, or a part of a GPU (MIG); valid as long as its Nvml object.
using NvmlDevice = struct NvmlDeviceObject*;

// A device's measurements at one moment; a value that the device lacks is empty. A part of a GPU
// (MIG) reports little more than its memory.
struct GpuReading {
  std::optional<double> utilization_percent;  // share of time with any kernel running
  std::optional<std::uint64_t> memory_used;   // bytes, of all processes
  std::optional<std::uint64_t> memory_total;  // bytes
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<double> sm_clock_mhz;
  std::optional<std::uint64_t> throttle_reasons;  // bits; see throttle_names()
  std::optional<std::uint64_t> ecc_errors;        // uncorrected errors since the driver was loaded
  std::string failure;  // NVML's text if it reported no value above; else empty
};

// Properties that do not change during a run.
struct GpuDescription {
  std::string name;                     // "NVIDIA H200"; empty: unknown
  std::optional<double> power_limit_w;  // the enforced limit
};

struct FoundGpu {
  NvmlDevice device = nullptr;
  std::string failure;  // why the GPU was not found; else empty
};

// Returns "sw_power_cap|hw_slowdown" or "none"; a bit without a name is a number: "0x200".
std::string throttle_names(std::uint64_t reasons);
// Returns the bits for a text of throttle_names(); other words in it are ignored.
std::uint64_t throttle_bits(std::string_view names);

// The library NVML, opened at run time, so that one package works with and without a driver:
// failure() says if it is missing. A call of the driver may take seconds or, if the GPU has failed,
// never return.
class Nvml {
 public:
  explicit Nvml(const std::string& library = kNvmlLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Returns why NVML cannot be used; empty if it can. Without NVML no device is found.
  const std::string& failure() const { return failure_; }
  std::string driver_version() const;  // "580.65.06"; empty: unknown

  // Finds a device by its UUID ("GPU-…", "MIG-…"). CUDA_VISIBLE_DEVICES also accepts an index or
  // the start of a UUID, which NVML does not know: then the PCI address is used ("0000:3b:00.0";
  // empty: unknown). A GPU divided into parts is not found by its address, because the address does
  // not tell the part. An index is never used: NVML ignores CUDA_VISIBLE_DEVICES, and figures of
  // another GPU are worse than none.
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
