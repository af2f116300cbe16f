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

// Returns the last part of a run's path, through shown_text().
std::string directory_name(const std::filesystem::path& run);

// Returns a run's path as the user gave it, without slashes at its end, through shown_text().
std::string run_text(std::string_view path);

// Returns the name of a run's sample: --name, or else the first input's. If that has no name of its
// own (stdin, a pipe of the shell), it is the run's directory: MultiQC would show hundreds of
// samples called stdin as one. Through shown_text().
std::string sample_name(const Journal::Fingerprint& print, const std::filesystem::path& run);

// Sequences that viral-ngs calls virus, by its confidence.
struct ViralTiers {
  std::uint64_t high = 0;
  std::uint64_t moderate = 0;
  std::uint64_t low = 0;
  std::uint64_t review = 0;
};

// A setting that must be equal for the calls of two samples to be compared. The precision is not
// among them, because its digits hardly change a call.
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

// A row of the page of many samples, small whatever the run's size. From the journal: report.json
// may be older.
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

// `run`: as the user gave it. `change`: applied to the run's own rule of calls. Errors:
// kJournalDamaged, Cancel's.
SampleFacts read_sample(const Journal& journal, const std::filesystem::path& run,
                        const CallRuleChange& change, const Cancel& cancel);

}  // namespace virnucpro
