#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "validate/benchmark.hpp"

namespace virnucpro {

inline constexpr std::string_view kNoVanilla =
    "the original is not here: --vanilla-command says how it is run";

struct VanillaRun {
  ChildEnd end{};
  std::filesystem::path directory{};  // its results
};

// Runs the original program by the user's own command, through the shell, with what it needs in the
// environment: INPUT, a FASTA file; OUTPUT, a folder that is there and empty; CHUNK_SIZE. Errors:
// kBenchmark when it does not end well; kUsage for more than one input.
VanillaRun run_vanilla(SuiteContext& context, const std::vector<std::filesystem::path>& inputs);

}  // namespace virnucpro
