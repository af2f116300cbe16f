#include "cli/devices.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/host.hpp"
#include "base/text.hpp"
#include "ops/cpu.hpp"
#include "tensor/device.hpp"
#include "tensor/device_advice.hpp"

namespace virnucpro {
namespace {

std::string model_name() {
  constexpr std::string_view kName = "model name";
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t value = line.find(": ");
    if (line.starts_with(kName) && value != std::string::npos) return line.substr(value + 2);
  }
  return "unknown processor";
}

double memory_gib() {
  const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1U << 30U);
}

std::string describe_processors() {
  const std::size_t usable = usable_processors();
  const std::size_t all = std::max<std::size_t>(std::thread::hardware_concurrency(), usable);
  if (usable < all) return fmt::format("{} of {} processors", usable, all);
  return fmt::format("{} processors", all);
}

// Returns the kernels' name; empty if the processor cannot compute in `precision`.
std::string kernel_path(Precision precision) {
  try {
    return std::string(cpu_kernel_path(precision));
  } catch (const Error&) {
    return {};
  }
}

std::string kernel_paths() {
  const std::string fp32 = kernel_path(Precision::kFp32);
  const std::string bf16 = kernel_path(Precision::kBf16);
  if (fp32.empty()) return "too old: AVX2 and FMA are needed";
  return bf16.empty() ? fmt::format("{}, no bf16 (needs AVX512_BF16)", fp32)
                      : fmt::format("{}, bf16: {}", fp32, bf16);
}

std::string memory_of(const DeviceInfo& device) {
  constexpr double kGib = 1U << 30U;
  const double total = static_cast<double>(device.memory_total) / kGib;
  if (!device.failure.empty()) return fmt::format("{:.1f} GiB", total);
  return fmt::format("{:.1f} of {:.1f} GiB free", static_cast<double>(device.memory_free) / kGib,
                     total);
}

std::string describe(const DeviceInfo& device) {
  std::string text =
      fmt::format("{}, compute capability {}.{}, {}, {}", device.name, device.compute_major,
                  device.compute_minor, memory_of(device), device.uuid);
  if (!device.failure.empty()) text += fmt::format("; cannot be opened: {}", device.failure);
  if (!is_new_enough(device))
    text +=
        fmt::format("; too old: compute capability {}.0 or higher is needed", kLeastComputeMajor);
  return text;
}

}  // namespace

std::string describe_processor() {
  return fmt::format("{}, {}, {:.1f} GiB memory, {}", printable(model_name()),
                     describe_processors(), memory_gib(), kernel_paths());
}

std::string describe_devices() {
  const DeviceSurvey survey = survey_devices();
  std::string text = fmt::format("cpu     {}\n", describe_processor());
  for (const DeviceInfo& device : survey.devices) {
    text += fmt::format("cuda:{}  {}\n", device.index, describe(device));
  }
  if (survey.devices.empty()) text += fmt::format("cuda    none: {}\n", why_none(survey));
  return text;
}

std::string describe_device(std::optional<int> gpu) {
  return gpu ? describe(survey_device(*gpu)) : describe_processor();
}

std::string describe_cuda() {
  const int runtime = cuda_built_in();
  if (runtime == 0) return "not built in";
  return fmt::format("{}, for {}", cuda_version_text(runtime), driver_needed(runtime));
}

}  // namespace virnucpro
