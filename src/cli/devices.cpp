#include "cli/devices.hpp"

#include <fmt/format.h>

#include "cli/processor.hpp"
#include "tensor/device.hpp"

namespace virnucpro {
namespace {

std::string describe(const DeviceInfo& device) {
  constexpr double kGib = 1U << 30U;
  return fmt::format("{}, compute capability {}.{}, {:.1f} of {:.1f} GiB free, {}", device.name,
                     device.compute_major, device.compute_minor,
                     static_cast<double>(device.memory_free) / kGib,
                     static_cast<double>(device.memory_total) / kGib, device.uuid);
}

}  // namespace

std::string describe_devices() {
  const DeviceSurvey survey = survey_devices();
  std::string text = fmt::format("cpu     {}\n", describe_processor());
  for (const DeviceInfo& device : survey.devices) {
    text += fmt::format("cuda:{}  {}\n", device.index, describe(device));
  }
  if (survey.devices.empty()) text += fmt::format("cuda    none: {}\n", survey.why_none);
  return text;
}

std::string describe_device(std::optional<int> gpu) {
  if (!gpu) return describe_processor();
  return describe(survey_devices().devices.at(static_cast<std::size_t>(*gpu)));
}

}  // namespace virnucpro
