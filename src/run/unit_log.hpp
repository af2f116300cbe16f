#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "run/journal.hpp"
#include "run/unit.hpp"

namespace virnucpro {

// Gathers consecutive sequence parts into units and journals each, in order, once all its frames
// have their scores. Frames are numbered in input order from 0; scores may come in any order.
class UnitLog {
 public:
  explicit UnitLog(Journal& journal) : journal_(journal) {}

  // Returns the number of the part's first frame; the others follow it.
  std::uint64_t add(SequencePart part);
  void set_score(std::uint64_t number, float others, float virus);
  // The whole id of a frame that has no score yet.
  std::string id_of(std::uint64_t number);
  // Closes the last unit. Every frame must have its score.
  void finish();

 private:
  struct OpenUnit {
    Unit unit;
    std::uint64_t first_number = 0;
    std::uint64_t open_frames = 0;
    std::uint64_t id_bytes = 0;
    std::vector<std::uint64_t> part_begins;  // number of each part's first frame
    bool closed = false;
  };

  struct Slot {
    OpenUnit& unit;
    SequencePart& part;
    FrameScore& frame;
  };

  Slot find(std::uint64_t number);
  void append_finished();

  Journal& journal_;
  std::deque<OpenUnit> open_;  // by index
  std::uint64_t next_unit_ = 0;
  std::uint64_t next_number_ = 0;
};

}  // namespace virnucpro
