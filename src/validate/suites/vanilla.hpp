#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "validate/suites/benchmark.hpp"

namespace virnucpro {

inline constexpr std::string_view kNoVanilla =
    "the original is not here: --vanilla-command says how it is run";

// What it must leave.
inline constexpr std::array kOriginalTables{"prediction_results.txt",
                                            "prediction_results_highestscore.csv"};

struct VanillaRun {
  ChildEnd end{};
  std::filesystem::path directory{};  // its results
};

// Runs the original program by the user's own command, through the shell, with what it needs in the
// environment: INPUT, a FASTA file; OUTPUT, a folder that is there and empty; CHUNK_SIZE. Errors:
// kBenchmark when it does not end well.
VanillaRun run_vanilla(SuiteContext& context, const std::filesystem::path& input);

// That both tables are there and have the rows of a run of this program over the same sequences: a
// command that computes nothing is fast. Errors: kBenchmark; compare()'s.
void require_results(const VanillaRun& vanilla, const std::filesystem::path& own,
                     const Cancel& cancel);

}  // namespace virnucpro
