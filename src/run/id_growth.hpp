#pragma once

#include <cstdint>

#include "journal/unit.hpp"

namespace virnucpro {

// Warns once, while a run reads its inputs, if long ids will make the tables many times larger than
// the sequences. The tables have a row for each frame and each chunk, and each row repeats the id.
class IdGrowth {
 public:
  // Adds a part. Call it with all parts in input order.
  void add(const SequencePart& part);

 private:
  std::uint64_t letters_ = 0;
  std::uint64_t id_bytes_ = 0;  // bytes of all ids in the tables
  std::uint64_t longest_ = 0;
  bool begins_ = true;  // the next part is a sequence's first part
  bool warned_ = false;
};

}  // namespace virnucpro
