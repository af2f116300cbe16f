#include <fmt/format.h>

#include <string>

#include "cli/processor.hpp"
#include "cli/standard_output.hpp"
#include "cli/utils.hpp"
#include "tensor/device.hpp"

namespace virnucpro {
namespace {

std::string describe(const DeviceInfo& device) {
  constexpr double kGib = 1U << 30U;
  return fmt::format("cuda:{}  {}, compute capability {}.{}, {:.1f} of {:.1f} GiB free, {}",
                     device.index, device.name, device.compute_major, device.compute_minor,
                     static_cast<double>(device.memory_free) / kGib,
                     static_cast<double>(device.memory_total) / kGib, device.uuid);
}

int run_list_devices() {
  const DeviceSurvey survey = survey_devices();
  std::string text = fmt::format("cpu     {}\n", describe_processor());
  for (const DeviceInfo& device : survey.devices) text += describe(device) + "\n";
  if (survey.devices.empty()) {
    text += fmt::format("cuda    none: {}\n", survey.why_none);
  } else {
    text += "This version computes on the CPU only.\n";
  }
  write_stdout(text);
  return kExitDone;
}

}  // namespace

void add_list_devices_command(CLI::App& utils, Action& action) {
  CLI::App* command = utils.add_subcommand("list-devices", "What this machine can compute on");
  command->footer("Example:\n  virnucpro utils list-devices");
  command->callback(
      [&action] { action = [](Session& /*session*/) { return run_list_devices(); }; });
}

}  // namespace virnucpro
