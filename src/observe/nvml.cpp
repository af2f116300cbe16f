#include "observe/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

#include "base/text.hpp"

namespace virnucpro {
namespace {

// The part of NVML's C interface used here, declared so that the build needs no NVIDIA header.
constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
constexpr int kFunctionNotFound = 13;
constexpr int kTemperatureOfGpu = 0;
constexpr int kClockOfSm = 1;
constexpr int kUncorrectedErrors = 1;
constexpr int kSinceDriverStart = 0;
constexpr unsigned kIsDivided = 1;
constexpr unsigned kTextSize = 96;  // bytes; enough for the longest name or version

struct Utilization {
  unsigned gpu;  // percent
  unsigned memory;
};
struct Memory {
  unsigned long long total;  // bytes
  unsigned long long free;
  unsigned long long used;
};

struct ThrottleReason {
  std::uint64_t bit;
  std::string_view name;
};
constexpr std::array<ThrottleReason, 9> kThrottleReasons{{
    {0x1, "gpu_idle"},
    {0x2, "applications_clocks_setting"},
    {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
}};

template <typename Function>
void look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
}

// Calls a function of NVML. Returns kFunctionNotFound if the driver does not have the function.
template <typename Function, typename... Arguments>
int call(Function* function, Arguments... arguments) {
  return function == nullptr ? kFunctionNotFound : function(arguments...);
}

void add_name(std::string& names, std::string_view name) {
  if (!names.empty()) names += '|';
  names += name;
}

}  // namespace

struct Nvml::Functions {
  int (*init)();
  int (*shutdown)();
  const char* (*error_text)(int code);
  int (*driver_version)(char* text, unsigned size);
  int (*by_uuid)(const char* uuid, NvmlDevice* device);
  int (*by_pci)(const char* address, NvmlDevice* device);
  int (*mig_mode)(NvmlDevice device, unsigned* now, unsigned* after_reset);
  int (*name)(NvmlDevice device, char* text, unsigned size);
  int (*power_limit)(NvmlDevice device, unsigned* milliwatts);
  int (*utilization)(NvmlDevice device, Utilization* utilization);
  int (*memory)(NvmlDevice device, Memory* memory);
  int (*temperature)(NvmlDevice device, int sensor, unsigned* celsius);
  int (*power)(NvmlDevice device, unsigned* milliwatts);
  int (*clock)(NvmlDevice device, int kind, unsigned* megahertz);
  int (*throttle_reasons)(NvmlDevice device, unsigned long long* reasons);
  int (*ecc_errors)(NvmlDevice device, int kind, int since, unsigned long long* count);

  explicit Functions(void* library) {
    look_up(library, "nvmlInit_v2", init);
    look_up(library, "nvmlShutdown", shutdown);
    look_up(library, "nvmlErrorString", error_text);
    look_up(library, "nvmlSystemGetDriverVersion", driver_version);
    look_up(library, "nvmlDeviceGetHandleByUUID", by_uuid);
    look_up(library, "nvmlDeviceGetHandleByPciBusId_v2", by_pci);
    look_up(library, "nvmlDeviceGetMigMode", mig_mode);
    look_up(library, "nvmlDeviceGetName", name);
    look_up(library, "nvmlDeviceGetEnforcedPowerLimit", power_limit);
    look_up(library, "nvmlDeviceGetUtilizationRates", utilization);
    look_up(library, "nvmlDeviceGetMemoryInfo", memory);
    look_up(library, "nvmlDeviceGetTemperature", temperature);
    look_up(library, "nvmlDeviceGetPowerUsage", power);
    look_up(library, "nvmlDeviceGetClockInfo", clock);
    look_up(library, "nvmlDeviceGetCurrentClocksThrottleReasons", throttle_reasons);
    look_up(library, "nvmlDeviceGetTotalEccErrors", ecc_errors);
  }
};

std::string throttle_names(std::uint64_t reasons) {
  std::string names;
  for (const ThrottleReason& reason : kThrottleReasons) {
    if ((reasons & reason.bit) != 0) add_name(names, reason.name);
    reasons &= ~reason.bit;
  }
  if (reasons != 0) add_name(names, fmt::format("{:#x}", reasons));
  return names.empty() ? "none" : names;
}

std::uint64_t throttle_bits(std::string_view names) {
  std::uint64_t bits = 0;
  for (const std::string_view name : split_list(names, '|')) {
    const auto* const known = std::ranges::find(kThrottleReasons, name, &ThrottleReason::name);
    if (known != kThrottleReasons.end()) bits |= known->bit;
    std::uint64_t number = 0;
    if (!name.starts_with("0x")) continue;
    const auto [end, error] = std::from_chars(name.begin() + 2, name.end(), number, 16);
    if (error == std::errc{} && end == name.end()) bits |= number;
  }
  return bits;
}

Nvml::Nvml(const std::string& library)
    : library_(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) {
    failure_ = ::dlerror();
    return;
  }
  functions_ = std::make_unique<Functions>(library_);
  if (functions_->init == nullptr || functions_->shutdown == nullptr) {
    failure_ = library + " is not NVML, or too old: it has no nvmlInit_v2 or no nvmlShutdown";
  } else if (const int code = functions_->init(); code != kSuccess) {
    failure_ = library + " does not start: " + error_text(code);
  }
}

Nvml::~Nvml() {
  if (failure_.empty()) functions_->shutdown();
  if (library_ != nullptr) ::dlclose(library_);
}

std::string Nvml::error_text(int code) const {
  const char* words = functions_->error_text == nullptr ? nullptr : functions_->error_text(code);
  return words == nullptr ? fmt::format("NVML's error {}", code) : words;
}

std::string Nvml::driver_version() const {
  std::array<char, kTextSize> text{};
  if (!failure_.empty()) return {};
  if (call(functions_->driver_version, text.data(), kTextSize - 1) != kSuccess) return {};
  return text.data();
}

FoundGpu Nvml::find(const std::string& uuid, const std::string& pci) const {
  if (!failure_.empty()) return {.failure = failure_};
  const bool is_part = uuid.starts_with("MIG-");
  FoundGpu found;
  int code = call(functions_->by_uuid, uuid.c_str(), &found.device);
  if (code != kSuccess && !is_part && !pci.empty()) {
    code = call(functions_->by_pci, pci.c_str(), &found.device);
  }
  if (code != kSuccess) return {.failure = error_text(code)};
  if (!is_part && is_divided(found.device)) {
    return {.failure =
                "the GPU is divided into parts (MIG): set CUDA_VISIBLE_DEVICES to the UUID of a "
                "part, which nvidia-smi -L lists"};
  }
  return found;
}

bool Nvml::is_divided(NvmlDevice device) const {
  unsigned now = 0;
  unsigned after_reset = 0;
  return call(functions_->mig_mode, device, &now, &after_reset) == kSuccess && now == kIsDivided;
}

GpuDescription Nvml::describe(NvmlDevice device) const {
  std::array<char, kTextSize> name{};
  GpuDescription description;
  if (call(functions_->name, device, name.data(), kTextSize - 1) == kSuccess) {
    description.name = name.data();
  }
  unsigned milliwatts = 0;
  if (call(functions_->power_limit, device, &milliwatts) == kSuccess) {
    description.power_limit_w = milliwatts / 1e3;
  }
  return description;
}

GpuReading Nvml::read(NvmlDevice device) const {
  int first_failure = kSuccess;
  bool answers = false;
  const auto succeeded = [&](int code) {
    if (code == kSuccess) answers = true;
    // Report another failure rather than "not supported", which may concern only one value.
    if (first_failure == kSuccess || first_failure == kNotSupported) first_failure = code;
    return code == kSuccess;
  };
  const Functions& functions = *functions_;
  GpuReading reading;
  Utilization utilization{};
  Memory memory{};
  unsigned number = 0;
  unsigned long long count = 0;
  if (succeeded(call(functions.utilization, device, &utilization))) {
    reading.utilization_percent = utilization.gpu;
  }
  if (succeeded(call(functions.memory, device, &memory))) {
    reading.memory_used_bytes = memory.used;
    reading.memory_total = memory.total;
  }
  if (succeeded(call(functions.temperature, device, kTemperatureOfGpu, &number))) {
    reading.temperature_c = number;
  }
  if (succeeded(call(functions.power, device, &number))) reading.power_w = number / 1e3;
  if (succeeded(call(functions.clock, device, kClockOfSm, &number))) reading.sm_clock_mhz = number;
  if (succeeded(call(functions.throttle_reasons, device, &count))) reading.throttle_reasons = count;
  if (succeeded(
          call(functions.ecc_errors, device, kUncorrectedErrors, kSinceDriverStart, &count))) {
    reading.ecc_errors = count;
  }
  if (!answers) reading.failure = error_text(first_failure);
  return reading;
}

}  // namespace virnucpro
