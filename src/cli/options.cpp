#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/host.hpp"
#include "base/limits.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cli/gpu_choice.hpp"
#include "ops/cpu.hpp"
#include "run/load_models.hpp"
#include "sequence/record.hpp"
#include "tensor/device_advice.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kMostWorkers = 256;
constexpr std::uint64_t kCustomChunkSize = 500;
constexpr std::uint64_t kDefaultPrefetch = 2;

// Bounds on --journal-interval, in seconds.
constexpr double kLeastJournalInterval = 0.1;
constexpr double kMostJournalInterval = 3600;

// Returns the shortest --journal-interval in seconds. It is shorter in tests with tiny limits.
double least_journal_interval() {
  return std::min(kLeastJournalInterval, limits().seconds_until_early);
}

constexpr const char* kModelGroup = "Models";

// A number's range, and the flag and the configuration key that may set the number.
struct CountRule {
  std::string_view flag;
  std::string_view key;
  std::uint64_t least;
  std::uint64_t most;
};

std::uint64_t choose_count(const CountRule& rule, const std::string& option, const Config& config,
                           std::uint64_t fallback) {
  if (!option.empty()) return count_value(rule.flag, option, rule.least, rule.most);
  return config.count_in(rule.key, fallback, rule.least, rule.most);
}

std::string choose_text(const std::string& option, const Config& config, std::string_view key,
                        const std::string& fallback) {
  if (!option.empty()) return option;
  return config.text(key).value_or(fallback);
}

// Returns the error for an unknown word of `flag` or, if `flag` was not given, of `key`.
Error unknown_word(const std::string& option, std::string_view flag, const Config& config,
                   std::string_view key, const std::string& expected) {
  if (option.empty()) return config.wrong_value(key, expected);
  return Error(ErrorKind::kUsage, fmt::format("{} {}: expected {}", flag, option, expected));
}

std::vector<GpuId> gpus_or_cpu(const DeviceSurvey& survey) {
  const std::string reason = why_not_on_gpu(survey);
  if (!reason.empty()) log_warning("computing on the CPU: {}", reason);
  return find_gpus_alike(survey);
}

// Returns the chosen GPUs; empty for the CPU.
std::vector<GpuId> choose_gpus(const ComputeOptions& options, const Config& config) {
  const std::string device = choose_text(options.device, config, "device.default", "auto");
  if (const auto gpus = options.v2.gpus()) {
    if (!is_gpu_list(*gpus))
      fail_usage(fmt::format("--gpus {}: expected numbers of GPUs, such as 0 or 0,1", *gpus));
    return find_gpus(find_devices(), "--gpus " + *gpus, *gpus);
  }
  if (device == "cpu") return {};
  if (device == "auto") return gpus_or_cpu(find_devices());
  if (!names_a_gpu(device)) {
    throw unknown_word(options.device, "--device", config, "device.default",
                       "auto, cpu, cuda, cuda:all, cuda:N or cuda:N,M");
  }
  const bool all = device == "cuda" && options.v2.all_gpus();
  return find_gpus(find_devices(), device, all ? "all" : numbers_of(device));
}

// Returns the number of worker processes; 1 on a GPU, where the option has no effect.
std::size_t choose_cpu_workers(const ComputeOptions& options, const Config& config, bool on_gpu) {
  const std::size_t workers = choose_count({"--cpu-workers", "run.cpu_workers", 1, kMostWorkers},
                                           options.cpu_workers, config, 1);
  if (!on_gpu) return workers;
  if (!options.cpu_workers.empty()) {
    log_warning("--cpu-workers has no effect: each GPU has a worker of its own");
  }
  return 1;
}

// Returns whether GPUs use generic kernels only.
bool choose_generic_kernels(const ComputeOptions& options, const Config& config, bool on_gpu) {
  const std::string kernels = choose_text(options.kernels, config, "run.kernels", "auto");
  if (kernels != "auto" && kernels != "generic") {
    throw unknown_word(options.kernels, "--kernels", config, "run.kernels", "auto or generic");
  }
  if (!on_gpu && !options.kernels.empty()) log_warning("--kernels has no effect on the CPU");
  return on_gpu && kernels == "generic";
}

Precision default_precision(bool on_gpu, const Environment& environment) {
  return on_gpu && !environment.enabled("VIRNUCPRO_DISABLE_FP16") ? Precision::kFp16
                                                                  : Precision::kFp32;
}

Precision choose_precision(const ComputeOptions& options, const Config& config,
                           const Environment& environment, const std::vector<GpuId>& gpus) {
  const bool fallback_to_fp32 = options.precision.empty() && options.v2.fp32();
  const std::string precision =
      fallback_to_fp32 ? "fp32" : choose_text(options.precision, config, "run.precision", "auto");
  if (precision == "auto") return default_precision(!gpus.empty(), environment);
  if (const auto known = parse_precision(precision, gpus)) return *known;
  throw unknown_word(options.precision, "--precision", config, "run.precision",
                     "auto, fp32, fp16, bf16, int8 or int8-simulated");
}

// Returns the int8 policy. Ignores the configuration's key in other precisions than int8, so that
// one file serves all runs.
Int8Policy choose_policy_for(Precision precision, const ComputeOptions& options,
                             const Config& config) {
  const Int8Policy policy = choose_int8_policy(options.int8_keep, config);
  if (precision == Precision::kInt8) return policy;
  const bool keeps = !options.int8_keep.empty() && policy != Int8Policy();
  if (keeps) fail_usage(fmt::format("--int8-keep {}: it needs --precision int8", policy.text()));
  return {};
}

void warn_of_int8(const ComputeSettings& compute) {
  log_warning(
      "{} is experimental: its scores differ from those of fp16; docs/use/precision.md says how "
      "to test it with your weights",
      precision_name(compute));
}

// Returns the token budget; 0 for the device's default.
std::size_t choose_token_budget(const ComputeOptions& options, const Config& config) {
  if (options.token_budget == "auto") return 0;
  const CountRule rule{"--token-budget", "run.token_budget", 1, kLargestBudget};
  return choose_count(rule, options.token_budget, config, 0);
}

void say_without_effect(const Environment& environment) {
  for (const EnvironmentVariable& variable : environment_variables()) {
    if (variable.used || !environment.enabled(variable.name)) continue;
    log_warning("{} has no effect: {}", variable.name, variable.meaning);
  }
}

// Finds a classifier of the configuration file: a path, or a name in the model directory.
std::string find_classifier(const std::string& name, const std::filesystem::path& models_dir) {
  if (models_dir.empty() || is_there(name)) return name;
  const std::filesystem::path in_directory = models_dir / name;
  return is_there(in_directory) ? in_directory.string() : name;
}

constexpr std::string_view kModelsKey = "run.models_dir";
constexpr const char* kModelsVariable = "VIRNUCPRO_MODELS";

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

std::string choose_models_dir(const ModelOptions& options, const Config& config,
                              const Environment& environment) {
  std::string directory = models_dir_name(options.models_dir, config, environment);
  if (directory.empty() || is_directory(directory)) return directory;
  const bool is_option = !options.models_dir.empty();
  if (!is_option && environment.text(kModelsVariable).empty()) {
    throw config.wrong_value(kModelsKey, "a directory");
  }
  fail_usage(fmt::format("{} {}: expected a directory; virnucpro download makes and fills one",
                         is_option ? "--models-dir" : kModelsVariable, directory));
}

bool is_published(const std::string& type) {
  return type == "300" || type == "500";
}

std::string choose_model_type(const ModelOptions& options, const Config& config) {
  constexpr std::string_view kKey = "prediction.default_model_type";
  const bool is_path = options.model_type.empty() && is_published(options.model_path);
  const std::string& given = is_path ? options.model_path : options.model_type;
  std::string type = choose_text(given, config, kKey, "500");
  if (is_published(type) || type == "custom") return type;
  throw unknown_word(options.model_type, "--model-type", config, kKey, "300, 500 or custom");
}

void warn_of_other_length(const ModelOptions& options, const std::string& type,
                          std::uint64_t size) {
  const auto made_for = parse_count(type);  // empty if the type is custom
  if (!made_for || size == *made_for) return;
  if (options.model_type.empty() && !options.model_path.empty()) return;
  log_warning(
      "chunks are {} bases long, but the classifier of model type {} was made for {}: leave out -e "
      "(run.chunk_size), or choose another classifier (-m or -p)",
      size, type, type);
}

std::optional<std::uint64_t> configured_chunk_size(const Config& config) {
  constexpr std::string_view kKey = "run.chunk_size";
  const std::optional<std::uint64_t> size = config.count(kKey);
  if (!size || (*size >= 1 && *size <= kMaxLetters)) return size;
  throw config.wrong_value(kKey, fmt::format("a number from 1 to {}", kMaxLetters));
}

// Returns the classifier of the configuration; empty if the command line names a published type,
// which has its own classifier and chunk size.
std::string configured_classifier(const ModelOptions& options, const Config& config) {
  if (is_published(options.model_type)) return {};
  return config.text("run.classifier").value_or("");
}

std::string choose_classifier(const ModelOptions& options, const Config& config,
                              const std::string& type, const std::filesystem::path& models_dir) {
  if (!options.model_path.empty()) return options.model_path;
  const std::string own = configured_classifier(options, config);
  if (!own.empty()) return find_classifier(own, models_dir);
  if (type == "custom") {
    fail_usage("--model-type custom needs --model-path, or run.classifier in --config");
  }
  const std::string file =
      choose_text("", config, "prediction.models." + type, type + "_model.pth");
  return find_classifier(file, models_dir);
}

}  // namespace

std::string models_dir_name(const std::string& option, const Config& config,
                            const Environment& environment) {
  const std::string given = option.empty() ? environment.text(kModelsVariable) : option;
  return choose_text(given, config, kModelsKey, "");
}

void fail_usage(const std::string& detail) {
  throw Error(ErrorKind::kUsage, detail);
}

void add_classifier_options(Command& command, ModelOptions& options) {
  command
      .add_value("-m,--model-type", options.model_type,
                 "The classifier, by chunk size in bases (default 500)", "300|500|custom",
                 kModelGroup)
      .more = "custom needs -p; -e sets its chunk size";
  command
      .add_value("-p,--model-path", options.model_path,
                 "Another classifier: a .pth or safetensors file, or synthetic[:SEED]",
                 "CLASSIFIER", kModelGroup)
      .listed_by = ListedBy::kHelpAll;
}

void add_encoder_options(Command& command, ModelOptions& options) {
  const bool has_type = command.find_option("--model-type") != nullptr;
  const std::string of_type =
      has_type ? "the model type's" : "that of prediction.default_model_type, or 500";
  command.add_value("--models-dir", options.models_dir,
                    "Where downloaded models lie (VIRNUCPRO_MODELS)", "DIR", kModelGroup);
  const std::size_t rare = command.options.size();
  command.add_value("-e,--expected-length", options.expected_length,
                    fmt::format("Chunk size in bases (default: {})", of_type), "N", kModelGroup);
  command.add_value("--dnabert-model", options.dnabert_model,
                    "DNABERT-S: a directory or file, a published name, or synthetic:NAME[:SEED] "
                    "(default zhihan1996/DNABERT-S)",
                    "DNABERT", kModelGroup);
  command.add_value(
      "--esm-model", options.esm_model,
      "ESM-2: a directory or file, a published name, or synthetic:NAME[-VARIANT][:SEED] "
      "(default esm2_t36_3B_UR50D)",
      "ESM", kModelGroup);
  leave_to_help_all(command, rare);
}

void add_device_option(Command& command, ComputeOptions& options) {
  command
      .add_value("-d,--device", options.device, "Default auto: every GPU, or else the CPU",
                 "auto|cpu|cuda", kComputeGroup)
      .more = "cuda:0,2 or 0,2: these GPUs; cuda:all: every GPU; cuda: one GPU";
}

void add_device_options(Command& command, ComputeOptions& options) {
  add_device_option(command, options);
  command
      .add_value("--precision", options.precision, "Default auto: fp16 on a GPU, fp32 on the CPU",
                 "auto|fp32|fp16|bf16|int8|int8-simulated", kComputeGroup)
      .more =
      "int8 is experimental and for GPUs; int8-simulated shows int8's errors on the CPU, slowly";
  add_int8_keep(command, options.int8_keep);
  command
      .add_value(
          "--kernels", options.kernels,
          "Kernels for GPUs (default auto: a Hopper GPU has its own); generic: use the other "
          "GPUs' kernels on a Hopper GPU, too: slower, with other last digits",
          "auto|generic", kComputeGroup)
      .listed_by = ListedBy::kHelpAll;
  command.add_value("-t,--threads", options.threads,
                    "Host threads (default: one per usable processor)", "N", kComputeGroup);
}

void add_compute_options(Command& command, ComputeOptions& options) {
  add_device_options(command, options);
  const std::size_t rare = command.options.size();
  command.add_value(
      "--token-budget", options.token_budget,
      "Tokens per batch (default auto: on the CPU a few seconds' work, at most 4096; on a GPU "
      "32768, in int8 65536, or fewer if its memory is too small); never changes results",
      "N|auto", kComputeGroup);
  command.add_value("--prefetch", options.prefetch,
                    "Batches that wait for each worker while it computes (default 2)", "N",
                    kComputeGroup);
  command.add_value("--cpu-workers", options.cpu_workers,
                    "Processes that share the threads on the CPU (default 1: only this one)", "N",
                    kComputeGroup);
  leave_to_help_all(command, rare);
  options.v2.add_used_to(command);
}

ModelSettings choose_encoders(const ModelOptions& options, const Config& config,
                              const Environment& environment) {
  ModelSettings models;
  models.lookup.models_dir = choose_models_dir(options, config, environment);
  models.lookup.share_dir = share_directory(environment);
  models.dnabert_s = choose_text(options.dnabert_model, config, "features.dnabert.model_name",
                                 "zhihan1996/DNABERT-S");
  models.esm2 =
      choose_text(options.esm_model, config, "features.esm.model_name", "esm2_t36_3B_UR50D");
  return models;
}

std::uint64_t choose_chunk_size(const ModelOptions& options, const Config& config) {
  if (!options.expected_length.empty()) {
    return count_value("--expected-length", options.expected_length, 1, kMaxLetters);
  }
  const std::optional<std::uint64_t> configured = configured_chunk_size(config);
  if (configured && !is_published(options.model_type)) return *configured;
  if (const auto size = parse_count(choose_model_type(options, config))) return *size;
  log_warning(
      "chunks are {} bases long; if the custom classifier was made for another length, give "
      "that length with -e (run.chunk_size)",
      kCustomChunkSize);
  return kCustomChunkSize;
}

ModelChoice choose_models(const ModelOptions& options, const Config& config,
                          const Environment& environment) {
  ModelChoice choice;
  choice.models = choose_encoders(options, config, environment);
  const std::string type = choose_model_type(options, config);
  const bool is_own =
      !options.model_path.empty() || !configured_classifier(options, config).empty();
  choice.classifier_name = is_own ? "custom" : type;
  choice.models.classifier =
      choose_classifier(options, config, type, choice.models.lookup.models_dir);
  choice.chunk_size = choose_chunk_size(options, config);
  warn_of_other_length(options, type, choice.chunk_size);
  return choice;
}

ComputeSettings choose_compute(const ComputeOptions& options, const Config& config,
                               const Environment& environment) {
  options.v2.report();
  ComputeSettings compute;
  compute.gpus = choose_gpus(options, config);
  const bool on_gpu = !compute.gpus.empty();
  compute.precision = choose_precision(options, config, environment, compute.gpus);
  compute.int8_policy = choose_policy_for(compute.precision, options, config);
  if (compute.precision == Precision::kInt8) warn_of_int8(compute);
  compute.generic_kernels = choose_generic_kernels(options, config, on_gpu);
  compute.token_budget = choose_token_budget(options, config);
  const std::uint64_t processors = std::min<std::uint64_t>(usable_processors(), kMostThreads);
  compute.threads = choose_count({"--threads", "run.threads", 1, kMostThreads}, options.threads,
                                 config, processors);
  compute.prefetch = choose_count({"--prefetch", "run.prefetch", 1, kMostPrefetch},
                                  options.prefetch, config, kDefaultPrefetch);
  compute.cpu_workers = choose_cpu_workers(options, config, on_gpu);
  const std::size_t workers = on_gpu ? compute.gpus.size() : compute.cpu_workers;
  const bool has_processes = on_gpu || workers > 1;
  if (has_processes) compute.worker_program = same_program();
  log_info("worker processes: {}", has_processes ? workers : 0);
  compute.packing = !environment.enabled("VIRNUCPRO_DISABLE_PACKING");
  say_without_effect(environment);
  return compute;
}

ComputeSettings choose_own_compute(const ComputeOptions& options, const Config& config,
                                   const Environment& environment) {
  ComputeSettings compute = choose_compute(options, config, environment);
  if (compute.gpus.empty()) cpu_kernel_path(compute.precision);
  return compute;
}

std::optional<Precision> parse_precision(std::string_view word, const std::vector<GpuId>& gpus) {
  if (word == kInt8Simulated) {
    if (gpus.empty()) return Precision::kInt8;
    throw Error(ErrorKind::kPrecision, "int8-simulated is for the CPU; a GPU has int8");
  }
  if (word == "fp8") {
    throw Error(ErrorKind::kPrecision, "this version does not compute in fp8");
  }
  const std::optional<Precision> precision = precision_named(word);
  if (gpus.empty() && (precision == Precision::kFp16 || precision == Precision::kInt8)) {
    throw Error(ErrorKind::kPrecision,
                fmt::format("{} needs a GPU; {}", word, kPrecisionsOfTheCpu));
  }
  return precision;
}

void add_int8_keep(Command& command, std::string& option) {
  command
      .add_value(
          "--int8-keep", option,
          "ESM-2's matrix products that int8 keeps in 16 bits: fc2 (in all layers), 0.qkv (in "
          "layer 0), 30-35.fc1 (default none)",
          "LINEAR[,...]", kComputeGroup)
      .listed_by = ListedBy::kHelpAll;
}

Int8Policy choose_int8_policy(const std::string& option, const Config& config) {
  constexpr std::string_view kKey = "run.int8_keep";
  if (const auto policy = Int8Policy::parse(choose_text(option, config, kKey, "none")))
    return *policy;
  throw unknown_word(
      option, "--int8-keep", config, kKey,
      "none, or a comma list of qkv, out, fc1, fc2; 0.qkv or 30-35.fc1 for some layers only");
}

std::string precision_text(const ComputeSettings& compute) {
  std::string text = precision_name(compute);
  if (compute.int8_policy != Int8Policy()) {
    text += fmt::format(" with {} in 16 bits", compute.int8_policy.text());
  }
  return text;
}

std::string device_name(const ComputeSettings& compute) {
  if (compute.gpus.empty()) return "cpu";
  std::string name = "cuda:";
  for (const GpuId& gpu : compute.gpus) {
    name += fmt::format("{}{}", name.back() == ':' ? "" : ",", gpu.index);
  }
  return name;
}

std::uint64_t count_value(std::string_view flag, const std::string& text, std::uint64_t least,
                          std::uint64_t most) {
  const auto value = parse_count(text);
  if (value && *value >= least && *value <= most) return *value;
  fail_usage(fmt::format("{} {}: expected a whole number from {} to {}", flag, text, least, most));
}

double journal_interval(std::string_view flag, const std::string& text) {
  const auto seconds = parse_number(text);
  if (seconds && *seconds >= least_journal_interval() && *seconds <= kMostJournalInterval) {
    return *seconds;
  }
  fail_usage(fmt::format("{} {}: expected a number from {:g} to {:g}", flag, text,
                         least_journal_interval(), kMostJournalInterval));
}

double choose_journal_interval(const std::string& option, const Config& config) {
  if (!option.empty()) return journal_interval("--journal-interval", option);
  return config.number_in("run.journal_interval", limits().seconds_until_early,
                          least_journal_interval(), kMostJournalInterval);
}

std::filesystem::path share_directory(const Environment& environment) {
  const std::string set = environment.text("VIRNUCPRO_SHARE");
  if (!set.empty()) return set;
  const std::filesystem::path prefix = own_program().prefix;
  return prefix.empty() ? prefix : prefix / "share" / "virnucpro";
}

}  // namespace virnucpro
