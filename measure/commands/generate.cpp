#include "measure/datasets/generate.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "measure/commands/commands.hpp"
#include "measure/datasets/data_set.hpp"
#include "run/input_check.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostSequences = std::uint64_t{1} << 40U;
constexpr const char* kGenerateExamples =
    "Examples:\n"
    "  virnucpro generate -n 1000 --length 500 --coding 1 -o coding.fa\n"
    "  virnucpro generate -n 10 --seed 7 --gc 0.4 -o - | virnucpro utils validate -\n"
    "  virnucpro generate --preset large --length lognormal:400,0.5,100-5000 \\\n"
    "      --files 4 -o reads\n"
    "  virnucpro generate --preset medium --length from:reads.fq.gz -o like_reads.fa\n"
    "coding.fa.json has the settings, lengths, GC share and SHA-256 of coding.fa; "
    "reads/metadata.json has those of reads/reads_1.fa to reads/reads_4.fa.";

struct GenerateOptions {
  std::string seed = "0";
  std::string count;
  std::string preset;
  std::string length;
  std::string gc = "0.5";
  std::string coding;
  std::string files = "1";
  std::string output;
  bool force = false;
};

std::string preset_words() {
  std::vector<std::string_view> names;
  for (const DataSize& size : data_sizes()) names.push_back(size.name);
  return fmt::format("{}", fmt::join(names, "|"));
}

std::string preset_help() {
  std::vector<std::string> sizes;
  for (const DataSize& size : data_sizes()) {
    sizes.push_back(
        fmt::format("{} ({}, {})", size.name, grouped(size.sequences), lengths_text(size.lengths)));
  }
  return fmt::format("A named set of coding sequences, with their number and lengths: {}",
                     fmt::join(sizes, ", "));
}

void add_options(Command& command, GenerateOptions& options) {
  command.add_value("-n,--count", options.count, "How many sequences", "N");
  command.add_value("--preset", options.preset, preset_help(), preset_words());
  OptionRow& lengths = command.add_value(
      "--length", options.length,
      "Lengths (default the preset's, or 500): N, uniform:A-B, lognormal:MEDIAN,SIGMA, "
      "lognormal:MEDIAN,SIGMA,A-B, or from:FILE, those of the sequences in that file",
      "LENGTHS");
  lengths.before_file = kLengthsFrom;
  command.add_value("--seed", options.seed, "The same seed gives the same bytes (default 0)", "N");
  command.add_value("--gc", options.gc, "Share of G and C (default 0.5)", "X");
  command.add_value("--coding", options.coding,
                    "Share of sequences whose frame 1 holds no stop codon (default 0; 1 with "
                    "--preset)",
                    "X");
  command.add_value("--files", options.files, "Number of files to write (default 1)", "N");
  OptionRow& output = command.add_value(
      "-o,--output", options.output,
      "The FASTA file to write, or with --files the folder; - is stdout", "FILE|DIR");
  output.required = true;
  output.written = {""};
  command.add_flag("-f,--force", options.force, "Replace the output files");
  command.footer = kGenerateExamples;
}

// Returns the number of sequences, and default lengths and coding share, which other options may
// replace.
GenerateSettings choose_set(const GenerateOptions& options) {
  if (options.count.empty() && options.preset.empty()) {
    fail_usage("give --count or --preset");
  }
  if (options.preset.empty()) {
    return {.count = count_value("--count", options.count, 0, kMostSequences),
            .length = FixedLength{500}};
  }
  if (!options.count.empty()) fail_usage("--count and --preset exclude each other");
  const DataSize size = parse_data_size(options.preset, "--preset");
  return {.count = size.sequences, .length = size.lengths, .coding = {1, 1}};
}

DataSetSettings choose_settings(const GenerateOptions& options, const Cancel& cancel) {
  DataSetSettings settings{.sequences = choose_set(options)};
  settings.sequences.seed = count_value("--seed", options.seed, 0, UINT64_MAX);
  settings.sequences.gc = parse_share(options.gc, "--gc");
  if (!options.coding.empty()) {
    settings.sequences.coding = parse_share(options.coding, "--coding");
  }
  settings.files = count_value("--files", options.files, 1, kMostDataFiles);
  settings.preset = options.preset;
  if (settings.files > 1 && settings.files > settings.sequences.count) {
    fail_usage(fmt::format("--files {}: there are only {} sequences", settings.files,
                           settings.sequences.count));
  }
  if (settings.files > 1 && options.output == "-") {
    fail_usage("--files: stdout is one file; name a folder with --output");
  }
  // Parsed last, because "from:FILE" reads a whole file.
  if (!options.length.empty()) {
    settings.sequences.length = parse_lengths(options.length, "--length", cancel);
  }
  return settings;
}

void check_output(const DataSetSettings& settings, const GenerateOptions& options,
                  const std::string& config_file) {
  if (settings.files > 1 && !options.force) require_no_data_set(options.output, settings.files);
  const std::vector<fs::path> outputs = replaced_files(options.output, settings.files);
  for (const fs::path& file : outputs) check_output_file(file.string(), options.force);
  std::vector<std::string> read{config_file};
  const auto* observed = std::get_if<ObservedLengths>(&settings.sequences.length);
  if (observed != nullptr) read.push_back(observed->file);
  require_inputs_kept({.paths = read}, outputs);
}

int run_generate(const GenerateOptions& options, const Session& session) {
  const DataSetSettings settings = choose_settings(options, session.cancel);
  if (options.output == "-") {
    generate_fasta(settings.sequences, [&session](std::string_view text) {
      session.cancel.check();
      write_stdout(text);
    });
    return kExitDone;
  }
  check_output(settings, options, session.global.config_file);
  write_data_set(settings, options.output, session.cancel);
  return kExitDone;
}

}  // namespace

void add_generate_command(Command& program) {
  Command& command = program.add_command("generate", "Write synthetic sequences as FASTA");
  const auto options = std::make_shared<GenerateOptions>();
  add_options(command, *options);
  command.action = [options](Session& session) { return run_generate(*options, session); };
}

}  // namespace virnucpro
