#include "cli/inputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"

namespace virnucpro {
namespace {

// Returns true to read U as T, false to read RNA as the original does, or nothing to refuse RNA.
std::optional<bool> choose_rna(const InputOptions& options, const Config& config) {
  return options.rna || options.no_rna ? options.rna : config.flag("run.rna");
}

}  // namespace

void add_input_options(Command& command, InputOptions& options) {
  OptionRow& input = command.add_argument("INPUT", &options.paths,
                                          "FASTA, FASTQ, SAM, BAM, CRAM, also gzip; - is stdin");
  input.more = "recognised by content, not by name";
  input.group = kInputGroup;
  command.add_flag("--paired", options.paired, "The inputs are FASTQ pairs: R1 R2 …", kInputGroup)
      .more = "ids get /1 and /2";
  const std::size_t rare = command.options.size();
  command.add_value("--reference", options.reference,
                    "The FASTA that CRAM inputs were made with; it is not downloaded", "FILE",
                    kInputGroup);
  command.add_value("--max-id-length", options.max_id_length,
                    "Refuse an input with an id of more than N bytes (default 4096), because every "
                    "row of the tables repeats the id",
                    "N", kInputGroup);
  command.add_flag("--rna", options.rna,
                   "Read U as T; DNA stays as it is (default: RNA is refused)", kInputGroup);
  command
      .add_flag(
          "--no-rna", options.no_rna,
          "Read RNA as the original does: codons with U are dropped, so no frame has a stop codon",
          kInputGroup)
      .excludes = "--rna";
  leave_to_help_all(command, rare);
}

void add_genetic_code(Command& command, InputOptions& options) {
  command
      .add_value(
          "--genetic-code", options.genetic_code,
          "NCBI's genetic code (default 1): 4, 15 and 25 are for recoded phages, mycoplasmas and "
          "others; the classifiers were trained on code 1",
          "1|4|11|15|25", kInputGroup)
      .listed_by = ListedBy::kHelpAll;
}

Translation choose_translation(const InputOptions& options, const Config& config) {
  constexpr std::string_view kKey = "run.genetic_code";
  const bool is_given = !options.genetic_code.empty();
  const auto number = is_given ? parse_count(options.genetic_code) : config.count(kKey).value_or(1);
  const auto code = number ? known_genetic_code(*number) : std::nullopt;
  if (!code && !is_given) throw config.wrong_value(kKey, std::string(kGeneticCodes));
  if (!code) {
    fail_usage(fmt::format("--genetic-code {}: expected {}", options.genetic_code, kGeneticCodes));
  }
  return {.genetic_code = *code, .rna = choose_rna(options, config).value_or(false)};
}

InputSettings choose_inputs(const InputOptions& options, const Config& config) {
  InputSettings settings{.paths = options.paths,
                         .paired = options.paired,
                         .reference = options.reference,
                         .refuse_rna = !choose_rna(options, config)};
  if (!options.max_id_length.empty()) {
    settings.longest_id =
        count_value("--max-id-length", options.max_id_length, 1, kLongestAllowedId);
  }
  // Checks the inputs and the reference now, before models are loaded.
  require_usable(settings);
  if (!options.reference.empty() && ::access(options.reference.c_str(), R_OK) != 0) {
    throw Error(kind_of_reading(errno), Place{.file = options.reference}, errno_text(errno));
  }
  return settings;
}

}  // namespace virnucpro
