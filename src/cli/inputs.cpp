#include "cli/inputs.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/system_failure.hpp"
#include "cli/options.hpp"

namespace virnucpro {

void add_input_options(Command& command, InputOptions& options) {
  OptionRow& input = command.add_argument("INPUT", &options.paths,
                                          "FASTA, FASTQ, SAM, BAM, CRAM, also gzip; - is stdin");
  input.more = "recognised by content, not by name";
  input.group = kInputGroup;
  command.add_flag("--paired", options.paired, "The inputs are FASTQ pairs: R1 R2 …", kInputGroup)
      .more = "ids get /1 and /2";
  const std::size_t rare = command.options.size();
  command.add_value("--reference", options.reference,
                    "The FASTA that CRAM inputs were made with; nothing is fetched", "FILE",
                    kInputGroup);
  command.add_value("--max-id-length", options.max_id_length,
                    "Refuse an input with a longer id, in bytes (default 4096): each row of the "
                    "tables repeats it",
                    "N", kInputGroup);
  leave_to_help_all(command, rare);
}

InputSettings choose_inputs(const InputOptions& options) {
  InputSettings settings{
      .paths = options.paths, .paired = options.paired, .reference = options.reference};
  if (!options.max_id_length.empty()) {
    settings.longest_id = count_value("--max-id-length", options.max_id_length, 1, kLongestHeader);
  }
  // Checked before models are loaded.
  require_usable(settings);
  if (!options.reference.empty() && ::access(options.reference.c_str(), R_OK) != 0) {
    throw Error(kind_of_reading(errno), Place{.file = options.reference}, errno_text(errno));
  }
  return settings;
}

}  // namespace virnucpro
