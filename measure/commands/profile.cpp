#include "measure/timing/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/devices.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "measure/commands/commands.hpp"
#include "measure/commands/profile_report.hpp"
#include "run/input_check.hpp"

namespace virnucpro {
namespace {

constexpr const char* kProfileExamples =
    "Examples:\n"
    "  virnucpro profile -m esm2 --models-dir models\n"
    "  virnucpro profile -m dnabert-s --models-dir models --min-batch 1024 \\\n"
    "      --max-batch 4096 --step 1024 --test-file reads.fq.gz -e 150 -o x.json\n"
    "The budget counts only the tokens of the named model. In predict, a batch has the same frames "
    "for both models, and is full when one model's tokens reach the budget: mostly ESM-2's.";

// The least and largest default budgets: the best budget of each kind of device lies between them.
constexpr std::size_t kLeastOnCpu = 512;
constexpr std::size_t kMostOnCpu = 8192;
constexpr std::size_t kLeastOnGpu = 2048;
constexpr std::size_t kMostOnGpu = 65536;
// The most budgets that profile measures. A --step that gives more must be a mistake.
constexpr std::size_t kMostBudgets = 1000;
constexpr double kMostSeconds = 3600;

struct ProfileOptions {
  std::string model;
  std::string least;
  std::string most;
  std::string step;
  std::string test_file;
  std::string seconds = "2";
  std::string output;
  bool force = false;
  ModelOptions models;
  ComputeOptions compute;
};

void add_options(Command& command, ProfileOptions& options) {
  command.add_value("-m,--model", options.model, "The model to measure", "dnabert-s|esm2")
      .required = true;
  command.add_value("--min-batch", options.least,
                    "The smallest token budget (default 512 on the CPU, 2048 on a GPU)", "N");
  command.add_value("--max-batch", options.most,
                    "The largest token budget (default 8192 on the CPU, 65536 on a GPU)", "N");
  command.add_value(
      "--step", options.step,
      "Tokens from one budget to the next (default: each is twice the one before, up to the "
      "largest)",
      "N");
  command.add_value(
      "--test-file", options.test_file,
      "A file of sequences, whose first frames are measured (default: made-up sequences of one "
      "chunk each); - is stdin",
      "FILE");
  command
      .add_value("--seconds", options.seconds, "Seconds to measure each budget for (default 2)",
                 "X")
      .listed_by = ListedBy::kHelpAll;
  command
      .add_value("-o,--output", options.output,
                 "Write the figures as JSON; - is stdout, in place of the table", "FILE")
      .written = {""};
  command.add_flag("-f,--force", options.force, "Replace the output file");
  add_encoder_options(command, options.models);
  add_device_options(command, options.compute);
  command.footer = kProfileExamples;
}

ProfiledModel choose_model(const std::string& name) {
  if (name == "dnabert-s") return ProfiledModel::kDnabertS;
  if (name == "esm2") return ProfiledModel::kEsm2;
  fail_usage(fmt::format("--model {}: expected dnabert-s or esm2", name));
}

// Returns the budgets. If only one bound is given, it may change the default of the other bound.
std::vector<std::size_t> choose_budgets(const ProfileOptions& options, bool on_gpu) {
  const auto count = [](const char* flag, const std::string& text, std::size_t fallback) {
    return text.empty() ? fallback : count_value(flag, text, 1, kLargestBudget);
  };
  std::size_t least = count("--min-batch", options.least, 0);
  std::size_t most = count("--max-batch", options.most, 0);
  const std::size_t step = count("--step", options.step, 0);
  if (most == 0) most = std::max(least, on_gpu ? kMostOnGpu : kMostOnCpu);
  if (least == 0) least = std::min(most, on_gpu ? kLeastOnGpu : kLeastOnCpu);
  if (least > most) {
    fail_usage(fmt::format("--min-batch {} is more than --max-batch {}", least, most));
  }
  if (step != 0 && (most - least) / step >= kMostBudgets) {
    fail_usage(fmt::format("--step {}: expected a step that gives at most {} budgets from {} to {}",
                           step, kMostBudgets, least, most));
  }
  return budgets_between(least, most, step);
}

double choose_seconds(const std::string& text) {
  const auto seconds = parse_number(text);
  if (seconds && *seconds > 0 && *seconds <= kMostSeconds) return *seconds;
  fail_usage(
      fmt::format("--seconds {}: expected a number above 0, at most {}", text, kMostSeconds));
}

ProfileSettings choose_settings(const ProfileOptions& options, const Session& session) {
  ProfileSettings settings;
  settings.model = choose_model(options.model);
  settings.models = choose_encoders(options.models, session.config, session.environment);
  settings.chunk_size = choose_chunk_size(options.models, session.config);
  settings.compute = choose_own_compute(options.compute, session.config, session.environment);
  // Uses only the first GPU, because this process measures only one engine.
  if (settings.compute.gpus.size() > 1) settings.compute.gpus.resize(1);
  settings.budgets = choose_budgets(options, !settings.compute.gpus.empty());
  settings.test_file = options.test_file;
  settings.seconds = choose_seconds(options.seconds);
  return settings;
}

// Checks the output and the input files before the model is loaded.
void check_files(const ProfileOptions& options, const Cancel& cancel) {
  const bool has_file = !options.output.empty() && options.output != "-";
  if (has_file) check_output_file(options.output, options.force);
  if (options.test_file.empty()) return;
  require_first_records({.paths = {options.test_file}}, cancel);
}

ProfileFacts facts_of(const ProfileSettings& settings, const Profiler& profiler,
                      const std::string& device_description) {
  const bool esm2 = settings.model == ProfiledModel::kEsm2;
  const std::string key = esm2 ? "esm2" : "dnabert_s";
  return {.model = esm2 ? "esm2" : "dnabert-s",
          .weights = profiler.description().at(key),
          .weights_hash = profiler.description().at(key + "_hash"),
          .description = profiler.description(),
          .device = device_name(settings.compute),
          .device_description = device_description,
          .threads = settings.compute.threads,
          .test_file = settings.test_file,
          .chunk_size = settings.chunk_size,
          .frames = profiler.frames(),
          .tokens = profiler.tokens(),
          .seconds = settings.seconds};
}

DeviceUse memory_of(const ComputeSettings& compute) {
  if (!compute.gpus.empty()) return device_use();
  DeviceUse memory;
  for (std::size_t k = 0; k < kPurposes; ++k) {
    memory.by_purpose.at(k) = host_memory(static_cast<Purpose>(k));
  }
  return memory;
}

int run_profile(const ProfileOptions& options, const Session& session) {
  const ProfileSettings settings = choose_settings(options, session);
  check_files(options, session.cancel);
  const bool json_to_stdout = options.output == "-";
  const auto say = [json_to_stdout](const std::string& text) {
    if (!json_to_stdout) print_stdout(text);
  };
  std::optional<AtomicFile> file;  // opened before the work, to find a missing folder early
  if (!options.output.empty() && !json_to_stdout) file.emplace(options.output);

  // Describes the device first, because loading the model reduces the free memory.
  const std::string device_description = describe_device(gpu_of(settings.compute));
  Profiler profiler(settings, session.cancel);
  ProfileFacts facts = facts_of(settings, profiler, device_description);
  say(profile_head(facts));
  const std::vector<BudgetRow> rows =
      profiler.run([&say](const BudgetRow& row) { say(profile_row(row)); });
  facts.memory = memory_of(settings.compute);
  const std::size_t recommended = recommended_budget(rows);
  say(profile_end(recommended));
  if (options.output.empty()) return kExitDone;
  const std::string json = profile_json(facts, rows, recommended);
  if (json_to_stdout) {
    write_stdout(json);
  } else {
    file->write(json);
    file->commit();
  }
  return kExitDone;
}

}  // namespace

void add_profile_command(Command& program) {
  Command& command =
      program.add_command("profile", "Find the best token budget of a model on this device");
  const auto options = std::make_shared<ProfileOptions>();
  add_options(command, *options);
  command.action = [options](Session& session) { return run_profile(*options, session); };
}

}  // namespace virnucpro
