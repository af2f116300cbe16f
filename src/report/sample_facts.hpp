#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "tables/call_rule.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// The last part of a run's path, through shown_text().
std::string directory_name(const std::filesystem::path& run);

// A run's path as the user gave it, without slashes at its end, through shown_text().
std::string run_text(std::string_view path);

// What a run's sample is called: by --name, else after its first input; where that has no name of
// its own (stdin, a pipe of the shell), after the run's directory. Through shown_text().
std::string sample_name(const Journal::Fingerprint& print, const std::filesystem::path& run);

// Sequences that viral-ngs calls virus, by its confidence.
struct ViralTiers {
  std::uint64_t high = 0;
  std::uint64_t moderate = 0;
  std::uint64_t low = 0;
  std::uint64_t review = 0;
};

// A setting that must be equal for the calls of two samples to be compared.
enum class SampleSetting : std::uint8_t {
  kDnabert,
  kEsm,
  kClassifier,
  kChunkSize,
  kMinLength,
  kCallRule
};
inline constexpr std::size_t kSampleSettings = 6;
using SampleSettings = std::array<std::string, kSampleSettings>;

// A row of the page of many samples. It is small whatever the run's size.
struct SampleFacts {
  std::string name{};
  std::string run{};  // run_text() of its directory
  bool finished = false;
  bool synthetic = false;
  std::uint64_t inputs = 0;
  std::uint64_t failed_inputs = 0;
  std::string shard{};  // "0/4"; empty for a whole run
  TableCounts counts{};
  std::uint64_t bases = 0;
  std::uint64_t virus_bases = 0;      // of the sequences called virus
  std::optional<ViralTiers> tiers{};  // of a run by viral-ngs
  std::optional<double> seconds{};    // of the session that computed last; empty if not measured
  std::string precision{};
  SampleSettings settings{};
};

// "finished", "partial" or "2 inputs failed".
std::string state_of(bool finished, std::uint64_t failed_inputs);

// `run`: as the user gave it. `change`: of the run's own rule of calls. Errors: kJournalDamaged,
// Cancel's.
SampleFacts read_sample(const Journal& journal, const std::filesystem::path& run,
                        const CallRuleChange& change, const Cancel& cancel);

}  // namespace virnucpro
