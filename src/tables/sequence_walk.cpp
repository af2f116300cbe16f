#include "tables/sequence_walk.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "base/error.hpp"

namespace virnucpro {
namespace {

// Joins the parts of each sequence.
class Walk {
 public:
  Walk(const Journal& journal, const SequenceVisitor& visitor)
      : journal_(journal.path()),
        inputs_(journal.inputs()),
        finished_(journal.finished()),
        visitor_(visitor) {}

  void visit(const SequencePart& part) {
    if (left_out(part.input)) return;
    const bool continued = summary_.has_value();
    if (continued && (part.input != input_ || part.id != id_)) fail("lacks its last part");
    if (!continued) begin(part);
    const std::vector<ChunkScore> chunks = scored_chunks(part);
    summary_->add(part, chunks);
    if (visitor_.part) visitor_.part(part, chunks);
    if (!part.last) return;
    if (visitor_.end) visitor_.end(part, *summary_);
    summary_.reset();
  }

  // Throws if a finished run's journal ends inside a sequence. An unfinished run may stop there.
  void finish() const {
    if (finished_ && summary_) fail("lacks its last part");
  }

 private:
  // True if the input failed. The input that an unfinished run was reading has no entry yet.
  bool left_out(std::uint32_t input) const {
    if (input < inputs_.size()) return inputs_[input].failed;
    if (!finished_) return false;
    throw Error(ErrorKind::kJournalDamaged, Place{.file = journal_.string()},
                fmt::format("it has no entry for input {}", std::uint64_t{input} + 1));
  }

  void begin(const SequencePart& part) {
    summary_.emplace(visitor_.rule);
    input_ = part.input;
    id_ = part.id;
  }

  [[noreturn]] void fail(const char* why) const {
    throw Error(ErrorKind::kJournalDamaged, Place{.file = journal_.string()},
                fmt::format("sequence {} {}", id_, why));
  }

  const std::filesystem::path journal_;
  const std::vector<InputEntry> inputs_;
  const bool finished_;
  const SequenceVisitor& visitor_;
  std::optional<SequenceSummary> summary_;
  std::uint32_t input_ = 0;
  std::string id_;
};

}  // namespace

void walk_sequences(const Journal& journal, const SequenceVisitor& visitor, const Cancel& cancel) {
  Walk walk(journal, visitor);
  journal.for_each_unit([&](const Unit& unit) {
    cancel.check();
    for (const SequencePart& part : unit.parts) walk.visit(part);
  });
  walk.finish();
}

}  // namespace virnucpro
