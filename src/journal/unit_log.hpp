#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "journal/unit.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// Collects consecutive parts of sequences into units. A unit goes to the sink, in order, once all
// its frames have scores. Frames are numbered in order of add(), from 0; scores may come in any
// order.
class UnitLog {
 public:
  using Sink = std::function<void(Unit)>;

  // `scored` counts the sequences that have all their scores.
  UnitLog(Sink sink, Counter& scored) : sink_(std::move(sink)), scored_(scored) {}

  // Returns the number of the next frame.
  std::uint64_t next_number() const { return next_number_; }
  // Returns the number of the first frame whose unit is not in the sink; else next_number().
  std::uint64_t first_waiting() const {
    return open_.empty() ? next_number_ : open_.front().first_number;
  }
  // These return the number of units begun so far, and the next unit's number within its input.
  std::uint64_t begun() const { return begun_; }
  std::uint64_t next_unit() const { return next_unit_; }
  // Closes the last unit. Units of another input follow, from number `first_unit` on.
  void begin_input(std::uint64_t first_unit);
  // Returns the number of the part's first frame; the others follow it.
  std::uint64_t add(SequencePart part);
  // Adds a part whose frames have their scores already.
  void add_scored(SequencePart part);
  void set_score(std::uint64_t number, float others, float virus);
  // Marks a frame that could not be computed. It counts as absent.
  void give_up(std::uint64_t number);
  // Returns the whole id of a frame that has no score yet.
  std::string id_of(std::uint64_t number);
  // Closes the last unit.
  void close_unit();
  // Call it when a run ends early. Passes on the leading parts of the first open unit that have all
  // their scores. Nothing can be added afterwards.
  void save();

 private:
  struct OpenUnit {
    Unit unit;
    std::uint64_t first_number = 0;
    std::uint64_t open_frames = 0;
    UnitSize size;
    std::vector<std::uint64_t> part_begins;  // number of each part's first frame
    std::vector<std::uint64_t> part_opens;   // number of frames without a score, per part
    bool closed = false;
  };

  struct Slot {
    OpenUnit& unit;
    std::size_t part;  // index into the unit's parts
    FrameScore& frame;
  };

  std::uint64_t add(SequencePart part, std::uint64_t open_frames);
  Slot find(std::uint64_t number);
  void close(const Slot& slot);
  void count_sequence(const OpenUnit& unit, std::size_t part);
  void give_finished();

  Sink sink_;
  Counter& scored_;
  std::deque<OpenUnit> open_;  // in order
  std::uint64_t next_unit_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t next_number_ = 0;
};

}  // namespace virnucpro
