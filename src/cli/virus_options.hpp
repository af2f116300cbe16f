#pragma once

#include <filesystem>
#include <string>

#include "cli/command_line.hpp"
#include "run/virus_files.hpp"

namespace virnucpro {

// The values of --virus-fasta, --virus-fastq and --pair-rule.
struct VirusOptions {
  bool fasta = false;
  std::string fastq{};
  std::string pair_rule{};
};

void add_virus_options(Command& command, VirusOptions& options,
                       const std::string& group = kOptions);

// Chooses the files of viruses. FASTQ files must not lie in the directory `run`. Errors: kUsage.
VirusOutputs choose_viruses(const VirusOptions& options, const std::filesystem::path& run,
                            bool may_replace);

}  // namespace virnucpro
