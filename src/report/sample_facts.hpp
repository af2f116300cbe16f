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

// Returns the name of a run's sample, through shown_text(): --name, or else the first input's name.
// If the input has no name (stdin, a shell's pipe), returns the name of the run's directory,
// because MultiQC would show hundreds of samples called stdin as one sample.
std::string sample_name(const Journal::Fingerprint& print, const std::filesystem::path& run);

// Counts of the sequences that viral-ngs calls virus, by its confidence.
struct ViralTiers {
  std::uint64_t high = 0;
  std::uint64_t moderate = 0;
  std::uint64_t low = 0;
  std::uint64_t review = 0;
};

// The settings that must be equal before the calls of two samples are compared, because they change
// which sequences are called virus. The precision is left out, because it hardly changes a call.
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

// A row of the page of many samples; its size does not grow with the run. The row is read from the
// journal, because report.json may be older than the journal.
struct SampleFacts {
  std::string name{};
  std::string run{};  // run_text() of the run's directory
  bool finished = false;
  bool synthetic = false;
  std::uint64_t inputs = 0;
  std::uint64_t failed_inputs = 0;
  std::string shard{};  // "0/4"; empty for a whole run
  TableCounts counts{};
  std::uint64_t bases = 0;
  std::uint64_t virus_bases = 0;      // bases of the sequences called virus
  std::string false_calls{};          // TableCounts::false_calls()
  std::optional<ViralTiers> tiers{};  // only with the rule viral-ngs
  std::optional<double> seconds{};    // time of the last session that computed; empty: not measured
  std::string precision{};
  SampleSettings settings{};
};

// Returns a run's state: "finished", "partial" or "2 inputs failed".
std::string state_of(bool finished, std::uint64_t failed_inputs);

// Reads a sample's row, with `change` applied to the run's own rule of calls. `run` is the path as
// the user gave it. Errors: kJournalDamaged; those of Cancel.
SampleFacts read_sample(const Journal& journal, const std::filesystem::path& run,
                        const CallRuleChange& change, const Cancel& cancel);

}  // namespace virnucpro
