#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "measure/commands/commands.hpp"
#include "measure/compare/compare_outputs.hpp"
#include "measure/compare/comparison_report.hpp"

namespace virnucpro {
namespace {

constexpr const char* kCompareExamples =
    "Examples:\n"
    "  virnucpro compare run_a run_b\n"
    "  virnucpro compare run_a run_b --exact -o differences.json\n"
    "  virnucpro compare run_a/sequences.tsv run_b/sequences.tsv --rtol 0 \\\n"
    "      --atol 1e-4 --show 100\n"
    "Two numbers are equal if |a - b| <= atol + rtol * |b|. For two output directories without "
    "--rtol and --atol, their precisions set the limits. Rows are matched by id.\n"
    "Exit code 0: labels equal and numbers within tolerance; 1: they differ; 2: A and "
    "B cannot be compared.";

constexpr std::uint64_t kMostNamed = 1'000'000;
constexpr int kRowsDiffer = 1;  // the exit code of diff

struct CompareOptions {
  std::string a;
  std::string b;
  std::string relative;
  std::string absolute;
  std::string named;
  std::string output;
  bool exact = false;
  bool force = false;
};

double choose_bound(const char* flag, const std::string& text, double fallback) {
  if (text.empty()) return fallback;
  const auto value = parse_number(text);
  if (value && *value >= 0) return *value;
  fail_usage(fmt::format("{} {}: expected a number, 0 or more", flag, text));
}

CompareSettings choose_settings(const CompareOptions& options) {
  if (options.exact && !(options.relative.empty() && options.absolute.empty())) {
    fail_usage("--exact excludes --rtol and --atol");
  }
  CompareSettings settings{.a = options.a, .b = options.b};
  settings.by_precision = options.relative.empty() && options.absolute.empty() && !options.exact;
  Tolerance& tolerance = settings.tolerance;
  tolerance.relative = choose_bound("--rtol", options.relative, tolerance.relative);
  tolerance.absolute = choose_bound("--atol", options.absolute, tolerance.absolute);
  tolerance.exact = options.exact;
  if (!options.named.empty()) {
    settings.named = count_value("--show", options.named, 0, kMostNamed);
  }
  return settings;
}

int run_compare(const CompareOptions& options, const Session& session) {
  const CompareSettings settings = choose_settings(options);
  if (!options.output.empty()) check_output_file(options.output, options.force);
  std::optional<AtomicFile> file;  // opened before the work, to find a missing folder early
  if (!options.output.empty()) file.emplace(options.output);
  const Comparison comparison = compare(settings, session.cancel);
  if (file) {
    file->write(comparison_json(comparison));
    file->commit();
  }
  print_stdout(comparison_text(comparison));
  return comparison.equal() ? kExitDone : kRowsDiffer;
}

}  // namespace

void add_compare_command(Command& program) {
  Command& command =
      program.add_command("compare", "Compare two runs, tables or files of embeddings");
  const auto options = std::make_shared<CompareOptions>();
  constexpr const char* kWhat =
      "An output directory, a table, or a file of embeddings (HDF5, or .pt of the original)";
  command.add_argument("A", &options->a, kWhat);
  command.add_argument("B", &options->b, "A result of the same kind, to be compared with A");
  command.add_value("--rtol", options->relative,
                    "Relative tolerance (default 0.001; runs: see below)", "X");
  command.add_value("--atol", options->absolute,
                    "Absolute tolerance (default 0.0001; runs: see below)", "X");
  command.add_flag("--exact", options->exact, "Require equal bytes (tables) and bits (embeddings)");
  command.add_value("--show", options->named,
                    "How many differing rows of each kind to list (default 10)", "N");
  command
      .add_value("-o,--output", options->output, "Also write the comparison to this file, as JSON",
                 "FILE")
      .written = {""};
  command.add_flag("-f,--force", options->force, "Replace the output file");
  command.footer = kCompareExamples;
  const int not_comparable = error_info(ErrorKind::kNotComparable).exit_code;
  command.exit_codes = {{kExitDone, "identical or within tolerance"},
                        {kRowsDiffer, "rows differ"},
                        {not_comparable, "A and B cannot be compared"}};
  command.exit_code_for_1 = not_comparable;
  command.action = [options](Session& session) { return run_compare(*options, session); };
}

}  // namespace virnucpro
