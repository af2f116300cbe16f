#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "weights/load.hpp"
#include "weights/synthetic.hpp"
#include "weights/write_weights.hpp"

namespace virnucpro {
namespace {

constexpr const char* kUtilsExportWeightsExamples =
    "Examples:\n"
    "  virnucpro utils export-weights synthetic:esm2_t6_8M:1 -o esm2\n"
    "  virnucpro utils export-weights synthetic:esm2_t6_8M-hard -o hard\n"
    "  virnucpro utils export-weights synthetic:dnabert-s-tiny -o dnabert-s\n"
    "  virnucpro utils export-weights synthetic:7 -o classifier.safetensors";

struct WeightExport {
  std::string model;
  std::string output;
  std::string inputs = "3328";
  bool force = false;
};

bool has_shape(std::span<const SyntheticShape> shapes, const std::string& name) {
  return std::any_of(shapes.begin(), shapes.end(),
                     [&name](const SyntheticShape& shape) { return shape.name == name; });
}

void check_model_folder(const WeightExport& options) {
  std::error_code ignored;
  const bool taken = std::filesystem::exists(options.output, ignored) &&
                     !std::filesystem::is_empty(options.output, ignored);
  if (taken && !options.force) {
    throw Error(ErrorKind::kOutputExists, Place{.file = options.output}, {});
  }
  check_output_folder(options.output, kModelFiles, options.force);
}

int export_synthetic(const WeightExport& options, const Session& session) {
  if (!is_synthetic(options.model)) {
    fail_usage(fmt::format("{}: expected synthetic:NAME[:SEED]", options.model));
  }
  const std::string name = parse_synthetic(options.model).name;
  const ModelLookup lookup{.models_dir = {}, .share_dir = share_directory(session.environment)};
  if (name.empty()) {
    const std::uint64_t inputs =
        count_value("--inputs", options.inputs, 1, std::numeric_limits<std::uint16_t>::max());
    check_output_file(options.output, options.force);
    export_classifier(load_classifier(options.model, static_cast<std::uint32_t>(inputs), lookup),
                      options.output);
    return kExitDone;
  }
  check_model_folder(options);
  if (has_shape(synthetic_dnabert_shapes(), name)) {
    export_dnabert_s(load_dnabert_s(options.model, lookup), options.output);
  } else {
    export_esm2(load_esm2(options.model, lookup), options.output);
  }
  return kExitDone;
}

}  // namespace

void add_export_weights_command(Command& utils) {
  Command& command =
      utils.add_command("export-weights", "Write synthetic weights in the published formats");
  const auto options = std::make_shared<WeightExport>();
  command.add_argument(
      "SYNTHETIC", &options->model,
      "synthetic:NAME[-VARIANT][:SEED] for a model, synthetic[:SEED] for a classifier");
  OptionRow& output =
      command.add_value("-o,--output", options->output,
                        "The directory to write; for a classifier the safetensors file", "FILE");
  output.required = true;
  output.written = names_in_folder(kModelFiles);
  output.written.emplace_back();  // the empty ending: for a classifier, --output is the file
  command.add_value("--inputs", options->inputs,
                    "Width of a classifier's input (default 3328: DNABERT-S and ESM-2 3B together)",
                    "N");
  command.add_flag("-f,--force", options->force, "Replace existing files");
  command.footer = kUtilsExportWeightsExamples;
  command.action = [options](Session& session) { return export_synthetic(*options, session); };
}

}  // namespace virnucpro
