#include "journal/frame_book.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace virnucpro {

void FrameBook::begin_input(std::uint64_t first_unit) {
  close_unit();
  next_unit_ = first_unit;
}

std::uint64_t FrameBook::add(SequencePart part) {
  const std::uint64_t frames = part.frames.size();
  return add(std::move(part), frames);
}

void FrameBook::add_scored(SequencePart part) {
  add(std::move(part), 0);
}

std::uint64_t FrameBook::add(SequencePart part, std::uint64_t open_frames) {
  if (open_.empty() || open_.back().closed) {
    OpenUnit& fresh = open_.emplace_back();
    fresh.unit.input = part.input;
    fresh.unit.index = next_unit_++;
    fresh.first_number = next_number_;
    ++begun_;
  }
  OpenUnit& unit = open_.back();
  const std::uint64_t first = next_number_;
  next_number_ += part.frames.size();
  unit.open_frames += open_frames;
  unit.size.add(part);
  unit.part_begins.push_back(first);
  unit.part_opens.push_back(open_frames);
  unit.unit.parts.push_back(std::move(part));
  unit.closed = unit.size.is_full();
  count_sequence(unit, unit.part_opens.size() - 1);
  give_finished();
  return first;
}

void FrameBook::set_score(std::uint64_t number, const ScorePair& scores) {
  const Slot slot = find(number);
  slot.frame.scores = scores;
  close(slot);
}

void FrameBook::give_up(std::uint64_t number) {
  const Slot slot = find(number);
  slot.frame.failed = true;
  close(slot);
}

void FrameBook::close(const Slot& slot) {
  --slot.unit.open_frames;
  --slot.unit.part_opens[slot.part];
  count_sequence(slot.unit, slot.part);
  give_finished();
}

void FrameBook::count_sequence(const OpenUnit& unit, std::size_t part) {
  if (unit.part_opens[part] == 0 && unit.unit.parts[part].last) scored_.add();
}

const SequencePart& FrameBook::part_of(std::uint64_t number) {
  const Slot slot = find(number);
  return slot.unit.unit.parts[slot.part];
}

std::string FrameBook::id_of(std::uint64_t number) {
  const Slot slot = find(number);
  return frame_id(slot.unit.unit.parts[slot.part].id, slot.frame.chunk, slot.frame.name);
}

void FrameBook::close_unit() {
  if (!open_.empty()) open_.back().closed = true;
  give_finished();
}

void FrameBook::save() {
  if (open_.empty()) return;  // complete units are already in the sink
  OpenUnit& first = open_.front();
  const auto end = std::find_if(first.part_opens.begin(), first.part_opens.end(),
                                [](std::uint64_t open) { return open > 0; });
  first.unit.parts.resize(static_cast<std::size_t>(end - first.part_opens.begin()));
  Unit unit = std::move(first.unit);
  open_.clear();
  if (!unit.parts.empty()) sink_(std::move(unit));
}

FrameBook::Slot FrameBook::find(std::uint64_t number) {
  const auto unit = std::prev(std::upper_bound(
      open_.begin(), open_.end(), number,
      [](std::uint64_t value, const OpenUnit& open) { return value < open.first_number; }));
  const auto begin =
      std::prev(std::upper_bound(unit->part_begins.begin(), unit->part_begins.end(), number));
  const auto part = static_cast<std::size_t>(begin - unit->part_begins.begin());
  return {*unit, part, unit->unit.parts[part].frames[static_cast<std::size_t>(number - *begin)]};
}

void FrameBook::give_finished() {
  while (!open_.empty() && open_.front().closed && open_.front().open_frames == 0) {
    Unit unit = std::move(open_.front().unit);
    open_.pop_front();  // before the call, so that the other units stay valid if the sink throws
    sink_(std::move(unit));
  }
}

}  // namespace virnucpro
