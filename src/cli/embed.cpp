#include "run/embed.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/summary.hpp"
#include "cli/telemetry_options.hpp"
#include "telemetry/progress.hpp"

namespace virnucpro {
namespace {

constexpr const char* kEmbedExamples =
    "Examples:\n"
    "  virnucpro embed contigs.fa --models-dir models -o frames.h5\n"
    "  virnucpro embed --proteins proteins.faa --what esm2 -o proteins.h5";

struct EmbedOptions {
  InputOptions inputs;
  ModelOptions models;
  ComputeOptions compute;
  std::string output;
  std::string what;
  bool proteins = false;
  bool nucleotides = false;
  bool force = false;
  bool no_progress = false;
};

void add_options(Command& command, EmbedOptions& options) {
  add_input_options(command, options.inputs);
  add_genetic_code(command, options.inputs);
  OptionRow& output =
      command.add_value("-o,--output", options.output, "The HDF5 file to write", "FILE");
  output.required = true;
  output.written = {""};
  command.add_value("--what", options.what,
                    "Which embeddings, separated by commas (default: all that are possible)",
                    "dnabert-s|esm2|merged[,...]");
  command.add_flag("--proteins", options.proteins,
                   "The inputs are proteins: embed them as they are (esm2)");
  command
      .add_flag("--nucleotides", options.nucleotides,
                "The inputs are nucleotides: embed them as they are (dnabert-s)")
      .excludes = "--proteins";
  command.add_flag("-f,--force", options.force, "Replace the output file");
  command.add_flag("--no-progress", options.no_progress, "No progress on stderr");
  add_encoder_options(command, options.models);
  add_compute_options(command, options.compute);
  command.footer = kEmbedExamples;
}

// Sets a switch for each word of a text such as "dnabert-s,esm2".
void choose_what(const std::string& what, EmbedSettings& settings) {
  struct Kind {
    std::string_view name;
    bool* wanted;
  };
  const std::array kinds{Kind{"dnabert-s", &settings.dnabert_s}, Kind{"esm2", &settings.esm2},
                         Kind{"merged", &settings.merged}};
  for (const Kind& kind : kinds) *kind.wanted = false;
  for (const std::string_view word : split_list(what)) {
    const auto* kind = kinds.begin();
    while (kind != kinds.end() && kind->name != word) ++kind;
    if (kind == kinds.end()) {
      fail_usage(fmt::format(
          "--what {}: expected dnabert-s, esm2 or merged, or several with commas", what));
    }
    *kind->wanted = true;
  }
}

void choose_source(const EmbedOptions& options, EmbedSettings& settings) {
  using Source = EmbedSettings::Source;
  if (options.proteins) settings.source = Source::kProteins;
  if (options.nucleotides) settings.source = Source::kNucleotides;
  if (!options.what.empty()) {
    choose_what(options.what, settings);
  } else {
    settings.dnabert_s = !options.proteins;
    settings.esm2 = !options.nucleotides;
    settings.merged = !options.proteins && !options.nucleotides;
  }
  if (options.proteins && (settings.dnabert_s || settings.merged)) {
    fail_usage("--proteins allows only --what esm2");
  }
  if (options.nucleotides && (settings.esm2 || settings.merged)) {
    fail_usage("--nucleotides allows only --what dnabert-s");
  }
}

void require_translation_has_effect(const EmbedOptions& options) {
  const bool as_given = options.proteins || options.nucleotides;
  if (as_given && !options.inputs.genetic_code.empty()) {
    fail_usage(fmt::format("--genetic-code has no effect with {}: nothing is translated",
                           options.proteins ? "--proteins" : "--nucleotides"));
  }
  if (options.proteins && (options.inputs.rna || options.inputs.no_rna)) {
    fail_usage("--rna and --no-rna are for nucleotides: in a protein U is selenocysteine");
  }
}

std::vector<std::string> lines_of(const EmbedSummary& summary, const RunCounters& counters,
                                  const std::string& output, bool proteins) {
  std::vector<std::string> lines;
  lines.push_back(summary_row("sequences", grouped(counters.sequences.get())));
  lines.push_back(summary_row("embeddings", grouped(summary.rows)));
  if (summary.skipped.any()) lines.push_back(skipped_line(summary.skipped));
  if (summary.final_stops > 0) {
    lines.push_back(
        fmt::format("left out: the final * of {} proteins", grouped(summary.final_stops)));
  }
  if (proteins && summary.unknown_letters > 0) {
    lines.push_back(fmt::format("{}{} letters of proteins are unknown to ESM-2", kWarningMark,
                                grouped(summary.unknown_letters)));
  } else {
    add_letter_warnings(lines, summary.unknown_letters, summary.rna_sequences);
  }
  lines.push_back(file_line("embeddings", output));
  return lines;
}

int run_embed(const EmbedOptions& options, const Session& session) {
  EmbedSettings settings;
  settings.inputs = choose_inputs(options.inputs, session.config);
  settings.inputs.proteins = options.proteins;
  settings.translation = choose_translation(options.inputs, session.config);
  require_translation_has_effect(options);
  if (options.proteins) {  // U is an amino acid in proteins
    settings.inputs.refuse_rna = false;
    settings.translation = {};
  }
  choose_source(options, settings);
  settings.models = choose_encoders(options.models, session.config, session.environment);
  settings.chunk_size = choose_chunk_size(options.models, session.config);
  settings.compute = choose_own_compute(options.compute, session.config, session.environment);
  check_output_file(options.output, options.force);
  settings.output = options.output;

  const auto shown = choose_progress(options.no_progress, settings.compute, session);
  RunCounters counters;
  std::optional<Progress> progress;
  if (shown) progress.emplace(counters, *shown);
  const EmbedSummary summary = embed(settings, counters, session.cancel);
  progress.reset();
  say_summary(lines_of(summary, counters, options.output, options.proteins), session.global.quiet);
  return kExitDone;
}

}  // namespace

void add_embed_command(Command& program) {
  Command& command = program.add_command("embed", "Write the models' embeddings as HDF5");
  const auto options = std::make_shared<EmbedOptions>();
  add_options(command, *options);
  command.action = [options](Session& session) { return run_embed(*options, session); };
}

}  // namespace virnucpro
