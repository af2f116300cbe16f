#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "sequence/mapped_alignment.hpp"
#include "tables/contig_rollup.hpp"
#include "tables/external_sort.hpp"

namespace virnucpro {

// The call of a read whose alignments have different calls.
inline constexpr std::string_view kMultiMappedCall = "Multi-mapped";
inline constexpr std::array kReadCalls{kViralCall, kNonviralCall, kAmbiguousCall, kUnclassifiedCall,
                                       kMultiMappedCall};
// The number of reads with each call of kReadCalls.
using ReadCounts = std::array<std::uint64_t, kReadCalls.size()>;

// The rule by which the alignments of a read make one call (semantics.md, section 6).
struct LabelRule {
  bool mates_apart = false;           // false: both mates of a pair are one read
  bool ignores_unclassified = false;  // ignore unclassified contigs if the read has other contigs
};

// Gives each read the call of the contig that it aligns to best. Reads are sorted twice on disk, by
// name and by their first alignment, so memory does not grow with the number of reads. Errors:
// those of ExternalSort.
class ReadLabels {
 public:
  using CallOf = std::function<const ContigCall&(std::uint32_t reference)>;
  using Write = std::function<void(std::string_view text)>;

  // `folder` is for ExternalSort. The references and the Cancel must outlive this object.
  ReadLabels(const LabelRule& rule, const ReferenceList& references, CallOf call_of,
             const Directory& folder, std::size_t rows_in_memory, const Cancel& cancel);

  // Adds an alignment. Call it in the order of the file.
  void add(const MappedAlignment& alignment);
  // Writes the table: a row for each read, in the order of the reads' first alignments. Returns the
  // number of reads by call. Call it after the last alignment.
  ReadCounts finish(const Write& write);

 private:
  struct Placement;
  class Read;

  void group();
  void end_read(std::string_view key, const Read& all, const Read& classified);

  LabelRule rule_;
  const ReferenceList& references_;
  CallOf call_of_;
  ExternalSort by_name_;
  ExternalSort by_place_;
  ReadCounts counts_{};
};

}  // namespace virnucpro
