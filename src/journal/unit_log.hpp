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
// its frames have scores. Frames are numbered in input order from 0; scores may come in any order.
class UnitLog {
 public:
  using Sink = std::function<void(Unit)>;

  // `first_unit`: the number of the next unit. `scored` counts the sequences that have all their
  // scores.
  UnitLog(Sink sink, Counter& scored, std::uint64_t first_unit = 0)
      : sink_(std::move(sink)), scored_(scored), next_unit_(first_unit) {}

  // The number of the next frame.
  std::uint64_t next_number() const { return next_number_; }
  // Returns the number of the part's first frame; the others follow it.
  std::uint64_t add(SequencePart part);
  void set_score(std::uint64_t number, float others, float virus);
  // The frame could not be computed. It counts as absent.
  void give_up(std::uint64_t number);
  // The whole id of a frame that has no score yet.
  std::string id_of(std::uint64_t number);
  // Closes the last unit. Every frame must have its score.
  void end_inputs();
  // For a run that ends early: hands on the leading parts of the first open unit that have all
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

  Slot find(std::uint64_t number);
  void close(const Slot& slot);
  void count_sequence(const OpenUnit& unit, std::size_t part);
  void give_finished();

  Sink sink_;
  Counter& scored_;
  std::deque<OpenUnit> open_;  // by index
  std::uint64_t next_unit_;
  std::uint64_t next_number_ = 0;
};

}  // namespace virnucpro
