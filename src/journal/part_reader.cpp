#include "journal/part_reader.hpp"

#include <utility>

namespace virnucpro {

std::optional<SequencePart> PartReader::next() {
  while (!unit_ || at_ == unit_->parts.size()) {
    unit_ = reader_.next();
    at_ = 0;
    if (!unit_) return std::nullopt;
  }
  return std::move(unit_->parts[at_++]);
}

}  // namespace virnucpro
