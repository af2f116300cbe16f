#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "cli/compatibility.hpp"
#include "cli/environment.hpp"
#include "run/predict.hpp"

namespace virnucpro {

inline constexpr std::uint64_t kMostPrefetch = 1024;

inline constexpr const char* kComputeGroup = "Device";

// Options as written on the command line; empty if not given. The choose_* functions turn them into
// settings. Precedence: flag, environment, configuration, default.

struct ModelOptions {
  std::string model_type{};
  std::string model_path{};
  std::string expected_length{};
  std::string dnabert_model{};
  std::string esm_model{};
  std::string models_dir{};

  bool operator==(const ModelOptions&) const = default;
};

struct ComputeOptions {
  std::string device;
  std::string precision;
  std::string int8_keep;
  std::string kernels;
  std::string threads;
  std::string token_budget;
  std::string prefetch;
  std::string cpu_workers;
  V2Options v2;
};

struct ModelChoice {
  ModelSettings models;
  std::uint64_t chunk_size = 500;
  std::string classifier_name;  // "300", "500" or "custom"
};

void add_classifier_options(Command& command, ModelOptions& options);
void add_encoder_options(Command& command, ModelOptions& options);
void add_device_option(Command& command, ComputeOptions& options);
void add_device_options(Command& command, ComputeOptions& options);
// Adds the options of add_device_options(), options for batches, and v2's flags with an effect.
void add_compute_options(Command& command, ComputeOptions& options);

// Returns the folder in --models-dir, VIRNUCPRO_MODELS or run.models_dir; empty if none is set.
std::string models_dir_name(const std::string& option, const Config& config,
                            const Environment& environment);
// Chooses the encoders and the folders of models, but no classifier. Errors: kUsage, kConfig.
ModelSettings choose_encoders(const ModelOptions& options, const Config& config,
                              const Environment& environment);
// Returns the first of these: --expected-length; run.chunk_size, if --model-type is not 300 or 500;
// the model type's chunk size. A custom type has none: then warns and returns 500. Errors: kUsage,
// kConfig.
std::uint64_t choose_chunk_size(const ModelOptions& options, const Config& config);
// Chooses all models. Warns if classifier and chunk size do not fit. Errors: kUsage, kConfig.
ModelChoice choose_models(const ModelOptions& options, const Config& config,
                          const Environment& environment);
// Chooses devices and precision. Errors: kUsage, kConfig; kDevice and kPrecision if this program or
// this machine does not have them.
ComputeSettings choose_compute(const ComputeOptions& options, const Config& config,
                               const Environment& environment);
// Like choose_compute(), for a command that runs the models itself. Also throws kCpu, before a
// model is read, if the processor does not support the precision.
ComputeSettings choose_own_compute(const ComputeOptions& options, const Config& config,
                                   const Environment& environment);
// Reads a precision: fp32, fp16, bf16, int8 or int8-simulated; empty for any other word. Errors:
// kPrecision if the GPUs, or without GPUs the CPU, do not support it.
std::optional<Precision> parse_precision(std::string_view word, const std::vector<GpuId>& gpus);
void add_int8_keep(Command& command, std::string& option);
// Reads --int8-keep, or run.int8_keep. Errors: kUsage, kConfig.
Int8Policy choose_int8_policy(const std::string& option, const Config& config);
// Returns "fp16", "int8" or "int8 with fc2 in 16 bits".
std::string precision_text(const ComputeSettings& compute);
// Returns "cpu", "cuda:0" or "cuda:0,2".
std::string device_name(const ComputeSettings& compute);
[[noreturn]] void fail_usage(const std::string& detail);  // throws kUsage

// Returns the value of a flag that takes a number from `least` to `most`. Errors: kUsage.
std::uint64_t count_value(std::string_view flag, const std::string& text, std::uint64_t least,
                          std::uint64_t most);

// Reads a journal interval: the seconds of scores that a killed run may lose. Errors: kUsage.
double journal_interval(std::string_view flag, const std::string& text);
// Reads --journal-interval or run.journal_interval. Errors: kUsage, kConfig.
double choose_journal_interval(const std::string& option, const Config& config);

// Returns the folder share/virnucpro: VIRNUCPRO_SHARE, else a folder beside the program's folder.
std::filesystem::path share_directory(const Environment& environment);

}  // namespace virnucpro
