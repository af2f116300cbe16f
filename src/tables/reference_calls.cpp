#include "tables/reference_calls.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tables/sequence_walk.hpp"

namespace virnucpro {

ReferenceCalls::ReferenceCalls(const Journal& journal, const CallRule& rule,
                               const ReferenceList& references, const std::string& file,
                               const Cancel& cancel)
    : place_(references.size()), calls_{SequenceSummary(rule).contig()} {
  const auto fail = [&file](std::string why) {
    throw Error(ErrorKind::kUsage, Place{.file = file}, std::move(why));
  };
  const auto end = [&](const SequencePart& last, const SequenceSummary& sequence) {
    const std::optional<std::uint32_t> reference = references.find(last.id);
    if (!reference) return;
    const std::string name = shown_text(last.id);
    if (is_known(*reference)) {
      fail(fmt::format("the run has two sequences named {}: rename one, and run predict again",
                       name));
    }
    const std::uint64_t length = references.at(*reference).length;
    if (length != last.length) {
      fail(
          fmt::format("reference {} has {} letters in this file and {} in the run: align the reads "
                      "to the run's sequences",
                      name, length, last.length));
    }
    place_[*reference] = static_cast<std::uint32_t>(calls_.size());
    calls_.push_back(sequence.contig());
  };
  walk_sequences(journal, {.rule = rule, .part = {}, .end = end}, cancel);
  if (calls_.size() > 1) return;
  fail("no reference in the file is a sequence of the run: align the reads to the run's inputs");
}

}  // namespace virnucpro
