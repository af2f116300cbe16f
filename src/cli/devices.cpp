#include "cli/devices.hpp"

#include <fmt/format.h>

#include <span>

#include "cli/processor.hpp"
#include "tensor/device.hpp"
#include "tensor/device_advice.hpp"

namespace virnucpro {
namespace {

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
  if (!is_new_enough(device)) text += fmt::format("; too old: {}.0 is needed", kLeastComputeMajor);
  return text;
}

}  // namespace

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
