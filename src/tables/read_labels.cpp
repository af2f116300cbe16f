#include "tables/read_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/bytes.hpp"
#include "tables/rounded_text.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kAlignmentColumns =
    "read_id\tread_length\tcontig_id\tcontig_length\tstrand\tmapping_quality\tpct_identity\t"
    "pct_query_cov\tmapped_well";
constexpr char kKeyEnd = '\0';  // stands between name and mate in a key; names lack NUL

constexpr int kLeastQuality = 5;
constexpr double kLeastIdentity = 90;
constexpr double kLeastCoverage = 80;

// Returns the number as big-endian bytes, so that sorting by bytes sorts by number.
std::string number_key(std::uint64_t number) {
  std::string key(bytes_of(number));
  std::reverse(key.begin(), key.end());
  return key;
}

}  // namespace

// An alignment as it is stored for sorting.
struct ReadLabels::Placement {
  std::uint64_t number;  // number of the alignment's record
  std::uint64_t read_length;
  double identity;
  double coverage;
  std::uint32_t reference;
  std::uint8_t mapping_quality;
  std::uint8_t mate;
  std::uint8_t is_reverse;
  std::uint8_t unused;  // fills the padding, so that every byte has a value

  bool is_better_than(const Placement& other) const {
    return std::tie(mapping_quality, identity) > std::tie(other.mapping_quality, other.identity);
  }
  bool is_mapped_well() const {
    return mapping_quality >= kLeastQuality && identity >= kLeastIdentity &&
           coverage >= kLeastCoverage;
  }
};

// The best alignment of one read, and facts about all its alignments, which come in file order.
class ReadLabels::Read {
 public:
  void add(const Placement& alignment, std::string_view call) {
    if (!best_) first_ = alignment.number;
    has_several_calls_ = has_several_calls_ || (best_ && call != call_);
    call_ = call;
    if (!best_ || alignment.is_better_than(*best_)) best_ = alignment;
  }

  bool empty() const { return !best_; }
  const Placement& best() const { return best_.value(); }
  std::uint64_t first() const { return first_; }  // the number of the first record
  bool has_several_calls() const { return has_several_calls_; }

 private:
  std::optional<Placement> best_;
  std::uint64_t first_ = 0;
  std::string_view call_;  // call of the last alignment
  bool has_several_calls_ = false;
};

ReadLabels::ReadLabels(const LabelRule& rule, const ReferenceList& references, CallOf call_of,
                       const Directory& folder, std::size_t rows_in_memory, const Cancel& cancel)
    : rule_(rule),
      references_(references),
      call_of_(std::move(call_of)),
      by_name_(folder, rows_in_memory, cancel),
      by_place_(folder, rows_in_memory, cancel) {}

void ReadLabels::add(const MappedAlignment& alignment) {
  const unsigned mate = mate_of(alignment.flags);
  const Placement placement{.number = alignment.number,
                            .read_length = alignment.read_length(),
                            .identity = alignment.identity(),
                            .coverage = alignment.coverage(),
                            .reference = alignment.reference,
                            .mapping_quality = static_cast<std::uint8_t>(alignment.mapping_quality),
                            .mate = static_cast<std::uint8_t>(mate),
                            .is_reverse = static_cast<std::uint8_t>(is_reverse(alignment.flags)),
                            .unused = 0};
  std::string key = alignment.name;
  if (rule_.mates_apart) key.append(1, kKeyEnd).append(1, static_cast<char>(mate));
  by_name_.add(key, bytes_of(placement));
}

// Makes a row for each read from its alignments, which are sorted by name.
void ReadLabels::group() {
  std::string key;
  Read all;
  Read classified;  // without the alignments to unclassified contigs
  by_name_.drain([&](std::string_view next, std::string_view value) {
    if (!all.empty() && next != key) {
      end_read(key, all, classified);
      all = {};
      classified = {};
    }
    key = next;
    const auto alignment = value_at<Placement>(value);
    const std::string_view call = call_of_(alignment.reference).call;
    all.add(alignment, call);
    if (call != kUnclassifiedCall) classified.add(alignment, call);
  });
  if (!all.empty()) end_read(key, all, classified);
}

void ReadLabels::end_read(std::string_view key, const Read& all, const Read& classified) {
  const Read& read = rule_.ignores_unclassified && !classified.empty() ? classified : all;
  const Placement& best = read.best();
  const ReferenceSequence& contig = references_.at(best.reference);
  ContigCall call = call_of_(best.reference);
  if (read.has_several_calls()) {
    call.call = kMultiMappedCall;
    call.tier = kReviewTier;
  }
  const auto* const counted = std::find(kReadCalls.begin(), kReadCalls.end(), call.call);
  ++counts_.at(static_cast<std::size_t>(counted - kReadCalls.begin()));
  by_place_.add(number_key(all.first()),
                fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                            key.substr(0, key.find(kKeyEnd)), best.read_length, contig.name,
                            contig.length, best.is_reverse != 0 ? '-' : '+', best.mapping_quality,
                            python_rounded_text(best.identity), python_rounded_text(best.coverage),
                            best.is_mapped_well() ? "True" : "False", columns_of(call), best.mate));
}

ReadCounts ReadLabels::finish(const Write& write) {
  group();
  write(fmt::format("{}\t{}\tmate\n", kAlignmentColumns, kContigCallColumns));
  by_place_.drain([&write](std::string_view, std::string_view row) { write(row); });
  return counts_;
}

}  // namespace virnucpro
