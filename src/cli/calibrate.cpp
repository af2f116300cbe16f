#include "run/calibrate.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/log.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/check_options.hpp"
#include "cli/command.hpp"
#include "cli/made_calibration.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "report/calibration_report.hpp"
#include "report/page_writers.hpp"
#include "run/input_check.hpp"
#include "run/require_models.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCalibrateExamples =
    "Examples:\n"
    "  virnucpro calibrate -m 300 --models-dir models --precision int8 -o calibration\n"
    "  virnucpro calibrate -m 500 --models-dir models --precision int8 \\\n"
    "      --on contigs.fa --frames 100000 -o of_contigs\n"
    "  virnucpro predict reads.fq.gz -m 300 --models-dir models --precision int8 \\\n"
    "      --calibration calibration/calibration.json\n"
    "DIR then has calibration.json, which predict takes, and calibration.html and .md.";

constexpr std::array kCalibrationFiles{"calibration.json", "calibration.html", "calibration.md"};
constexpr std::uint64_t kMostSeed = 0xffff'ffff;

struct CalibrateOptions {
  std::string sample_file;
  std::string frames;
  std::string seed;
  std::string cosine;
  std::string calls;
  std::string output = "calibration";
  bool force = false;
  ModelOptions models;
  ComputeOptions compute;
  std::string check_precision;
};

void add_options(Command& command, CalibrateOptions& options) {
  command.add_value("--on", options.sample_file,
                    "Input as for predict; its first frames are used (default: made-up coding "
                    "sequences of a chunk's length); - is stdin",
                    "FILE");
  command.add_value(
      "--frames", options.frames,
      "Number of frames (default 30,000, about the fewest that can show that 99.99 % of all "
      "errors are below the margin)",
      "N");
  command.add_value("--seed", options.seed, "Seed of the made-up sequences (default 0)", "N")
      .excludes = "--on";
  const std::size_t rare = command.options.size();
  command.add_value(
      "--target-cosine", options.cosine,
      "Centred cosine that 99.9 % of ESM-2's embeddings must have with the finer precision's "
      "(default 0.99)",
      "X");
  command.add_value("--target-calls", options.calls,
                    "Share of frames whose call must stay the same, before close calls are "
                    "computed again (default 0.999)",
                    "X");
  leave_to_help_all(command, rare);
  command
      .add_value("-o,--output", options.output, "Where the files go (default calibration)", "DIR")
      .written = names_in_folder(kCalibrationFiles);
  command.add_flag("-f,--force", options.force, "Replace the files of an earlier calibration");
  add_classifier_options(command, options.models);
  add_encoder_options(command, options.models);
  add_device_options(command, options.compute);
  add_check_precision(command, options.check_precision, kComputeGroup);
  command.footer = kCalibrateExamples;
}

double choose_share(const char* flag, const std::string& text) {
  const auto share = parse_number(text);
  if (share && *share >= 0 && *share <= 1) return *share;
  fail_usage(fmt::format("{} {}: expected a number from 0 to 1", flag, text));
}

CalibrateSettings choose_settings(const CalibrateOptions& options, const Session& session) {
  CalibrateSettings settings;
  const ModelChoice choice = choose_models(options.models, session.config, session.environment);
  settings.models = choice.models;
  settings.chunk_size = choice.chunk_size;
  settings.compute = choose_own_compute(options.compute, session.config, session.environment);
  // Uses only the first GPU, because this process measures only one engine.
  if (settings.compute.gpus.size() > 1) settings.compute.gpus.resize(1);
  settings.compute.check_precision =
      choose_check_precision(options.check_precision, session.config, settings.compute);
  settings.sample_file = options.sample_file;
  settings.frames = options.frames.empty()
                        ? kDefaultCalibrationFrames
                        : count_value("--frames", options.frames, 1, kMostCalibrationFrames);
  settings.seed = options.seed.empty() ? 0 : count_value("--seed", options.seed, 0, kMostSeed);
  if (!options.cosine.empty()) {
    settings.target.centred = 1 - choose_share("--target-cosine", options.cosine);
  }
  if (!options.calls.empty()) {
    settings.target.equal_calls = choose_share("--target-calls", options.calls);
  }
  return settings;
}

// Checks the output and the input files before the models are loaded.
void check_files(const CalibrateOptions& options, const Cancel& cancel) {
  check_output_folder(options.output, kCalibrationFiles, options.force);
  if (!options.sample_file.empty()) require_first_records({.paths = {options.sample_file}}, cancel);
}

std::vector<std::string> texts_of(const MadeCalibration& made) {
  const Page page = calibration_page(made.facts, made.result);
  return {made.json, report_html(page), report_markdown(page)};
}

int run_calibrate(const CalibrateOptions& options, const Session& session) {
  const CalibrateSettings settings = choose_settings(options, session);
  check_files(options, session.cancel);
  require_models(settings.models);
  make_directory(options.output);
  FolderFiles files(options.output, kCalibrationFiles);
  const fs::path file = fs::path(options.output) / kCalibrationFiles[0];
  CalibrationFacts facts = calibration_facts(settings, file, session);
  print_stdout(calibration_head(facts));
  const MadeCalibration made =
      make_calibration(settings, std::move(facts), session.cancel,
                       [](const CalibrationPoint& point) { print_stdout(calibration_row(point)); });
  files.write(texts_of(made));
  for (const std::string& warning : warnings_of(made.facts, made.result)) {
    log_warning("{}", warning);
  }
  print_stdout(calibration_end(made.facts, made.result));
  return kExitDone;
}

}  // namespace

void add_calibrate_command(Command& program) {
  Command& command = program.add_command(
      "calibrate", "Find out how a precision changes calls, and how to prevent that");
  const auto options = std::make_shared<CalibrateOptions>();
  add_options(command, *options);
  command.action = [options](Session& session) { return run_calibrate(*options, session); };
}

}  // namespace virnucpro
