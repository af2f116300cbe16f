#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "journal/run_files.hpp"
#include "measure/suites/benchmark.hpp"

namespace virnucpro {

inline constexpr std::string_view kNoVanilla =
    "no command to run the original was given (--vanilla-command)";

// The tables that the original must write.
inline constexpr std::array kOriginalTables{run_files::kFrameTable.name,
                                            run_files::kConsensusTable.name};

// Runs the original program by the user's command, through the shell, with these environment
// variables: INPUT, a FASTA file; OUTPUT, an existing empty folder; CHUNK_SIZE. The trial has no
// telemetry. Errors: kBenchmark if the command fails.
Trial run_vanilla(SuiteContext& context, const std::filesystem::path& input);

// Throws kBenchmark if a table of the original is missing, or has other rows than that of this
// program: a command that computes nothing would seem fast. Other errors: those of compare().
void require_results(const std::filesystem::path& vanilla, const std::filesystem::path& own,
                     const Cancel& cancel);

}  // namespace virnucpro
