#include "measure/suites/suites.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/directory.hpp"
#include "tensor/host_buffer.hpp"

namespace virnucpro {

Verdict skipped_verdict(Verdict verdict, std::string why) {
  verdict.status = VerdictStatus::kSkipped;
  verdict.value.reset();
  verdict.detail = std::move(why);
  return verdict;
}

void add_remark(const std::string& text, Verdict& verdict) {
  if (!verdict.value || text.empty()) return;
  verdict.detail += (verdict.detail.empty() ? "" : "; ") + text;
}

Verdict judged_ratio(Verdict verdict, const Estimate& ratio, double bar) {
  verdict.value = ratio.value;
  verdict.status = ratio.value >= bar ? VerdictStatus::kPass : VerdictStatus::kMiss;
  if (ratio.low && *ratio.low < bar && *ratio.high >= bar) {
    verdict.status = VerdictStatus::kWarn;
    verdict.detail =
        fmt::format("95 % interval of the repeats: {:.2f} to {:.2f}", *ratio.low, *ratio.high);
  }
  return verdict;
}

JsonValues profile_model(SuiteContext& context, const std::string& name, const char* model,
                         const std::vector<std::string>& arguments) {
  const BenchmarkSettings& settings = context.settings;
  const TemporaryFolder folder;
  const std::string json = folder.path() / (name + ".json");
  std::vector<std::string> command{"profile", "-m", model};
  command.insert(command.end(), settings.encoder_arguments.begin(),
                 settings.encoder_arguments.end());
  command.emplace_back("--device");
  command.push_back(context.on_gpu() ? fmt::format("cuda:{}", settings.gpus.front().index) : "cpu");
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {"-o", json});
  context.trials.run_command(name, std::move(command));
  return JsonValues::read(json);
}

double profiled_memory(const JsonValues& profile, const char* figure) {
  double bytes = 0;
  for (std::size_t k = 0; k < kPurposes; ++k) {
    const std::string path = fmt::format("memory/{}/{}", name_of(static_cast<Purpose>(k)), figure);
    bytes += profile.number(path).value_or(0);
  }
  return bytes;
}

}  // namespace virnucpro
