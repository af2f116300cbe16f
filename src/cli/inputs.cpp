#include "cli/inputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/options.hpp"

namespace virnucpro {

void add_input_options(Command& command, InputOptions& options) {
  command.add_argument(
      "INPUT", &options.paths,
      "FASTA, FASTQ or SAM (plain, gzip or BGZF), BAM, CRAM, recognised by content; - is "
      "stdin");
  command.add_flag("--paired", options.paired,
                   "The inputs are FASTQ pairs R1 R2 …; ids get /1 and /2");
  command.add_value("--reference", options.reference,
                    "The FASTA that CRAM inputs were made with; nothing is fetched", "FILE");
}

InputSettings choose_inputs(const InputOptions& options) {
  const auto from_stdin = std::count(options.paths.begin(), options.paths.end(), "-");
  if (from_stdin > 1) throw Error(ErrorKind::kUsage, "- (stdin) is given more than once");
  if (options.paired && options.paths.size() % 2 != 0) {
    throw Error(ErrorKind::kUsage, "--paired needs an even number of inputs: R1 R2 R1 R2 …");
  }
  // Checked before models are loaded.
  if (!options.reference.empty() && ::access(options.reference.c_str(), R_OK) != 0) {
    throw Error(ErrorKind::kInputMissing, Place{.file = options.reference}, errno_text(errno));
  }
  return {.paths = options.paths, .paired = options.paired, .reference = options.reference};
}

}  // namespace virnucpro
