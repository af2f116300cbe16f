#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "validate/suites/benchmark.hpp"

namespace virnucpro {

inline constexpr std::string_view kNoVanilla =
    "the original is not here: --vanilla-command says how it is run";

// The tables that it must write.
inline constexpr std::array kOriginalTables{"prediction_results.txt",
                                            "prediction_results_highestscore.csv"};

struct VanillaRun {
  ChildEnd end{};
  std::filesystem::path directory{};  // of its results
};

// Runs the original program with the user's command, through the shell. The environment tells it
// INPUT, a FASTA file; OUTPUT, an empty folder; CHUNK_SIZE. Errors: kBenchmark when it fails.
VanillaRun run_vanilla(SuiteContext& context, const std::filesystem::path& input);

// Checks that both tables exist and have the rows of this program's run over the same sequences: a
// command that computes nothing would be fast. Errors: kBenchmark; compare()'s.
void require_results(const VanillaRun& vanilla, const std::filesystem::path& own,
                     const Cancel& cancel);

}  // namespace virnucpro
