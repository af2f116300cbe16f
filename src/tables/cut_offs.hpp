#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "tables/contig_rollup.hpp"

namespace virnucpro {

// Sequences with `least` to `most` scored chunks share a cut-off. More chunks make a score
// steadier, so a single cut-off for all bins would have another error rate in each bin.
struct ChunkBin {
  static constexpr std::uint64_t kNoMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = 1;
  std::uint64_t most = kNoMost;

  bool has(std::uint64_t chunks) const { return least <= chunks && chunks <= most; }
  bool operator==(const ChunkBin&) const = default;
};
// A list of bins in ascending order, without gaps, from 1 to any number of chunks.
inline constexpr std::string_view kDefaultBins = "1,2-4,5-19,20-";
std::optional<std::vector<ChunkBin>> parse_bins(std::string_view text);
std::string text_of(const ChunkBin& bin);  // "1", "2-4", "20-"

// A bin's cut-off, and the upper bound of the share of others that it calls virus.
struct BinCutOff {
  ChunkBin bin{};
  std::optional<double> cut_off{};  // empty: no sequence of the bin is called virus
  double bound = 0;                 // 0 without a cut-off
};

// The cut-offs that `evaluate` chose, which take the place of a rule's own thresholds. A sequence
// is virus if its SequenceScore is at least the cut-off of its bin.
struct CutOffs {
  std::string rule{};  // word_of(RuleName)
  // The rule's numbers, on which a SequenceScore depends.
  double min_share = 0;
  RollupRule viral_ngs{};
  // The cut-offs are valid only for scores of these models and settings: settings_of_cut_offs().
  std::map<std::string, std::string> made_for{};
  double false_rate = 0;  // the rate that the user asked for
  double confidence = 0;  // with this confidence, the bounds of all bins are right
  std::vector<BinCutOff> bins{};
  std::string file{};  // the file's name on one line, for people
  std::string text{};  // the file's text
  std::string hash{};  // hash of the file's text

  const BinCutOff& of(std::uint64_t chunks_scored) const { return bins[bin_of(chunks_scored)]; }
  std::size_t bin_of(std::uint64_t chunks_scored) const;
};

// Returns the text of a file of cut-offs. `more` has further members, for people.
std::string cut_offs_json(const CutOffs& cut_offs, const Json& more);
// Reads the text of a file of cut-offs. Errors, naming `place`: `kind` if the text was edited or
// cut, or is something else.
std::shared_ptr<const CutOffs> parse_cut_offs(std::string text, std::string file,
                                              const std::filesystem::path& place, ErrorKind kind);
// Reads a user's file. Errors: kCutOffs.
std::shared_ptr<const CutOffs> read_cut_offs(const std::filesystem::path& path);

// Returns the largest number of false calls to expect if no sequence is a virus: the sum of each
// bin's scored sequences times the bin's bound. `scored` has a count for each bin.
double most_false_calls(const CutOffs& cut_offs, const std::vector<std::uint64_t>& scored);
// Returns this number in a sentence without its full stop: "of 1,204 virus calls at most 31 are
// expected to be false if the sequences are like the negatives that cutoff.json was made from".
// Also says if all calls may be false, and how many sequences have no cut-off.
std::string false_calls_text(const CutOffs& cut_offs, const std::vector<std::uint64_t>& scored,
                             std::uint64_t virus_calls);

}  // namespace virnucpro
