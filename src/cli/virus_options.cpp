#include "cli/virus_options.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace virnucpro {
namespace {

constexpr const char* kFastqFlag = "--virus-fastq";

PairRule choose_pair_rule(const VirusOptions& options) {
  if (options.pair_rule.empty()) return PairRule::kEither;
  if (options.fastq.empty()) fail_usage(fmt::format("--pair-rule needs {} PREFIX", kFastqFlag));
  if (options.pair_rule == "either") return PairRule::kEither;
  if (options.pair_rule == "both") return PairRule::kBoth;
  fail_usage(fmt::format("--pair-rule {}: expected either or both", options.pair_rule));
}

}  // namespace

void add_virus_options(Command& command, VirusOptions& options, const std::string& group) {
  command.add_flag("--virus-fasta", options.fasta,
                   "Write the sequences called virus to virus.fasta", group);
  OptionRow& fastq =
      command.add_value(kFastqFlag, options.fastq,
                        "Write the reads called virus to PREFIX.fastq.gz", "PREFIX", group);
  fastq.more = "with their qualities; pairs to PREFIX_1.fastq.gz and PREFIX_2.fastq.gz";
  fastq.written = {kFastqEndings.begin(), kFastqEndings.end()};
  command
      .add_value("--pair-rule", options.pair_rule,
                 "Which pairs to write: with either mate called virus (default), or with both",
                 "either|both", group)
      .listed_by = ListedBy::kHelpAll;
}

VirusOutputs choose_viruses(const VirusOptions& options, const std::filesystem::path& run,
                            bool may_replace) {
  FastqOutput fastq{.prefix = options.fastq, .pair_rule = choose_pair_rule(options)};
  if (options.fastq.empty()) return {.fasta = options.fasta};
  if (!is_file_name(std::filesystem::path(options.fastq).filename().string())) {
    fail_usage(
        fmt::format("{} {}: expected a folder and the beginning of file names, such as out/viral",
                    kFastqFlag, options.fastq));
  }
  require_elsewhere(kFastqFlag, options.fastq, run);
  fastq.names.fill(may_replace ? AtName::kReplace : AtName::kNew);
  return {.fasta = options.fasta, .fastq = {fastq}};
}

}  // namespace virnucpro
