#include "run/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "cli/summary.hpp"
#include "report/evaluation_report.hpp"
#include "report/page_writers.hpp"
#include "run/input_check.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEvaluateExamples =
    "Examples:\n"
    "  virnucpro evaluate --virus viruses --other host --fpr 0.01 -o cutoff.json\n"
    "  virnucpro predict reads.fq.gz -m 300 --cutoff cutoff.json\n"
    "  virnucpro evaluate mock --labels labels.tsv -o evaluation.html\n"
    "Nothing is computed again. docs/use/calls.md says how to get sequences of known origin.";

constexpr std::array kEndings{".html", ".tsv", ".json"};
constexpr std::size_t kMostBins = 100;

struct EvaluateOptions {
  std::vector<std::string> runs;
  std::vector<std::string> viruses;
  std::vector<std::string> others;
  std::string labels;
  std::string groups;
  CallOptions call;  // --rule and --min-share
  std::string bins = std::string(kDefaultBins);
  std::string at;
  std::string false_rate;
  std::string output;
  bool force = false;
};

double cut_off_value(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (value && *value >= -1 && *value <= 1) return *value;
  fail_usage(fmt::format("--at {}: expected a number from -1 to 1", text));
}

// Refuses options that give the sequences no origin, or two.
void require_origins(const EvaluateOptions& options) {
  const bool has_origins = !options.viruses.empty() || !options.others.empty();
  if (!options.labels.empty() || !options.runs.empty()) {
    if (has_origins) {
      fail_usage("--virus and --other exclude --labels and a RUN_DIR without --virus or --other");
    }
    if (options.labels.empty()) {
      fail_usage(
          "the origin of the sequences is not known: give --virus RUN_DIR --other RUN_DIR, or "
          "--labels FILE");
    }
    if (options.runs.empty()) fail_usage("--labels: name the runs, too: RUN_DIR --labels FILE");
    return;
  }
  if (!has_origins) {
    fail_usage("name runs of viruses and of others: --virus RUN_DIR --other RUN_DIR");
  }
  if (options.viruses.empty())
    fail_usage("--other without --virus: runs of viruses are needed, too");
  if (options.others.empty()) {
    fail_usage("--virus without --other: runs of others (a host, bacteria, water) are needed, too");
  }
}

EvaluateSettings choose_settings(const EvaluateOptions& options) {
  require_origins(options);
  EvaluateSettings settings;
  settings.viruses.assign(options.viruses.begin(), options.viruses.end());
  settings.others.assign(options.others.begin(), options.others.end());
  settings.runs.assign(options.runs.begin(), options.runs.end());
  settings.labels = options.labels;
  settings.groups = options.groups;
  settings.rule = choose_call_change(options.call);
  const auto bins = parse_bins(options.bins);
  if (!bins || bins->size() > kMostBins) {
    fail_usage(
        fmt::format("--bins {}: expected numbers of chunks from 1 on without a gap, such as {}",
                    options.bins, kDefaultBins));
  }
  settings.bins = *bins;
  if (!options.at.empty()) {
    for (const std::string_view one : split_list(options.at)) {
      settings.cut_offs.push_back(cut_off_value(one));
    }
  }
  if (options.false_rate.empty()) return settings;
  settings.false_rate = parse_number(options.false_rate);
  if (!settings.false_rate || *settings.false_rate <= 0 || *settings.false_rate >= 1) {
    fail_usage(fmt::format("--fpr {}: expected a number between 0 and 1, such as 0.01",
                           options.false_rate));
  }
  return settings;
}

bool is_cut_offs(const fs::path& file) {
  try {
    return read_cut_offs(file) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

// Returns the files to write, in the order of kEndings; none without --output.
std::vector<fs::path> choose_files(const EvaluateOptions& options) {
  const bool chooses = !options.false_rate.empty();
  const char* const ending = chooses ? ".json" : ".html";
  if (options.output.empty()) {
    if (chooses) fail_usage("--fpr: name the file of cut-offs with --output FILE.json");
    if (!options.at.empty()) fail_usage("--at: name the page with --output FILE.html");
    return {};
  }
  if (fs::path(options.output).extension() != ending) {
    fail_usage(fmt::format("--output {}: the name must end with {}{}", options.output, ending,
                           chooses ? "" : " (the file of cut-offs is written with --fpr)"));
  }
  std::vector<fs::path> files;
  for (const char* const one : kEndings) {
    files.push_back(fs::path(options.output).replace_extension(one));
    check_output_file(files.back().string(), options.force);
  }
  if (!chooses && is_cut_offs(files.back())) {
    fail_usage(fmt::format("--output {}: {} is a file of cut-offs; choose another name",
                           printable(options.output), printable(files.back().string())));
  }
  return files;
}

void write_files(const std::vector<fs::path>& files, const Page& page, const EvaluationFacts& facts,
                 const Evaluation& found) {
  const std::array texts{report_html(page), report_tsv(page.sections.front().tables.front()),
                         facts.false_rate ? cut_offs_json(cut_offs_of(found, *facts.false_rate),
                                                          evaluation_details(facts, found))
                                          : report_json(page)};
  std::deque<AtomicFile> written;
  for (std::size_t k = 0; k < files.size(); ++k) written.emplace_back(files[k]).write(texts[k]);
  commit_together(written);
  for (const AtomicFile& file : written) log_info("wrote {}", file.path().string());
}

int run_evaluate(const EvaluateOptions& options, const Session& session) {
  const EvaluateSettings settings = choose_settings(options);
  const std::vector<fs::path> files = choose_files(options);
  require_inputs_kept({.paths = {options.labels, options.groups}}, files);
  const Evaluation found = evaluate(settings, session.cancel);
  const bool has_cut_off = std::ranges::any_of(
      found.bins, [](const BinEvaluation& bin) { return bin.chosen.has_value(); });
  const EvaluationFacts facts{.provenance = provenance_here({}, session),
                              .labels = options.labels,
                              .groups = options.groups,
                              .false_rate = settings.false_rate,
                              .file = has_cut_off ? options.output : ""};
  const Page page = evaluation_page(facts, found);
  if (!files.empty()) write_files(files, page, facts, found);
  for (const std::string& warning : page.warnings) {
    log_warning("{}", warning);
  }
  print_stdout(evaluation_text(facts, found));
  if (!files.empty()) print_stdout(file_line("page", files.front()) + "\n");
  return found.failed_inputs > 0 ? kExitPartial : kExitDone;
}

}  // namespace

void add_evaluate_command(Command& program) {
  Command& command =
      program.add_command("evaluate", "Measure errors of calls, and choose cut-offs by them");
  const auto options = std::make_shared<EvaluateOptions>();
  OptionRow& runs = command.add_argument(
      "RUN_DIR", &options->runs, "With --labels: the output directories of predict or merge");
  runs.required = false;
  command.add_option("--virus", &options->viruses, "Runs whose sequences are all viruses", "DIR");
  command.add_option("--other", &options->others,
                     "Runs whose sequences are all something else: a host, bacteria, water", "DIR");
  command.add_value("--labels", options->labels,
                    "Instead of --virus and --other: the origin of each sequence, in lines "
                    "\"id<TAB>virus\" or \"id<TAB>others\"",
                    "FILE");
  command.add_value("--groups", options->groups,
                    "Groups of others that are not independent (pieces of one genome), in lines "
                    "\"id<TAB>group\"",
                    "FILE");
  command.add_value("--fpr", options->false_rate,
                    "Choose cut-offs with which at most this share of others is called virus (95 % "
                    "confidence), and write them to FILE.json for predict --cutoff",
                    "X");
  command
      .add_value("-o,--output", options->output,
                 "FILE.html, or FILE.json with --fpr; FILE.html, FILE.tsv and FILE.json are all "
                 "written",
                 "FILE")
      .written = {""};
  command.add_flag("-f,--force", options->force, "Replace these files");
  command.add_value("--rule", options->call.rule,
                    "The rule that scores sequences (default: the runs')", "majority|viral-ngs");
  command.add_value("--bins", options->bins,
                    fmt::format("Numbers of scored chunks that get a cut-off of their own (default "
                                "{}); choose them before you see the errors",
                                kDefaultBins),
                    "LIMIT");
  const std::size_t rare = command.options.size();
  command.add_value("--min-share", options->call.min_share,
                    "Least share of chunks that reach the cut-off (default: the runs')", "X");
  command.add_value("--at", options->at, "Give the errors at these cut-offs, too", "X[,...]");
  leave_to_help_all(command, rare);
  command.footer = kEvaluateExamples;
  command.action = [options](Session& session) { return run_evaluate(*options, session); };
}

}  // namespace virnucpro
