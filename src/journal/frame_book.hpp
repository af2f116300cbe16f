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

// Collects consecutive parts of sequences into units. Units go to the sink in order, each when all
// its frames have scores. Frames are numbered in order of add(), from 0; scores may come in any
// order.
class FrameBook {
 public:
  using Sink = std::function<void(Unit)>;

  // `scored` counts the sequences whose last part has all its scores.
  FrameBook(Sink sink, Counter& scored) : sink_(std::move(sink)), scored_(scored) {}

  std::uint64_t next_number() const { return next_number_; }
  // Returns the number of the first frame whose unit has not gone to the sink, or next_number() if
  // there is no such frame.
  std::uint64_t first_waiting() const {
    return open_.empty() ? next_number_ : open_.front().first_number;
  }
  // These return the number of units begun so far, and the next unit's index within its input.
  std::uint64_t begun() const { return begun_; }
  std::uint64_t next_unit() const { return next_unit_; }
  // Closes the last unit and begins an input, whose next unit has index `first_unit`.
  void begin_input(std::uint64_t first_unit);
  // Adds a part. Returns its first frame's number; its other frames have the following numbers.
  std::uint64_t add(SequencePart part);
  void add_scored(SequencePart part);
  void set_score(std::uint64_t number, const ScorePair& scores);
  // Marks a frame as failed, because it could not be computed. Tables leave the frame out.
  void give_up(std::uint64_t number);
  // These return the part and the id ("id_chunk_3R1") of a frame that has no score yet.
  const SequencePart& part_of(std::uint64_t number);
  std::string id_of(std::uint64_t number);
  void close_unit();
  // Passes the parts of the first open unit to the sink, up to the first part that lacks a score.
  // Call it when a run ends early. Nothing can be added afterwards.
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
    std::size_t part;
    FrameScore& frame;
  };

  std::uint64_t add(SequencePart part, std::uint64_t open_frames);
  Slot find(std::uint64_t number);
  void close(const Slot& slot);
  void count_sequence(const OpenUnit& unit, std::size_t part);
  void give_finished();

  Sink sink_;
  Counter& scored_;
  std::deque<OpenUnit> open_;
  std::uint64_t next_unit_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t next_number_ = 0;
};

}  // namespace virnucpro
