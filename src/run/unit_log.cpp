#include "run/unit_log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/limits.hpp"

namespace virnucpro {
namespace {

// A unit is in memory as a whole, and thousands of long ids are more than all its scores.
constexpr std::size_t kIdBytesPerUnit = 16U << 20U;

}  // namespace

std::uint64_t UnitLog::add(SequencePart part) {
  if (open_.empty() || open_.back().closed) {
    OpenUnit& fresh = open_.emplace_back();
    fresh.unit.index = next_unit_++;
    fresh.first_number = next_number_;
  }
  OpenUnit& unit = open_.back();
  const std::uint64_t first = next_number_;
  next_number_ += part.frames.size();
  unit.open_frames += part.frames.size();
  unit.id_bytes += part.id.size();
  unit.part_begins.push_back(first);
  unit.unit.parts.push_back(std::move(part));
  unit.closed = next_number_ - unit.first_number >= limits().frames_per_unit ||
                unit.unit.parts.size() >= limits().sequences_per_unit ||
                unit.id_bytes >= kIdBytesPerUnit;
  append_finished();
  return first;
}

void UnitLog::set_score(std::uint64_t number, float others, float virus) {
  const Slot slot = find(number);
  slot.frame.others = others;
  slot.frame.virus = virus;
  --slot.unit.open_frames;
  append_finished();
}

std::string UnitLog::id_of(std::uint64_t number) {
  const Slot slot = find(number);
  return frame_id(slot.part.id, slot.frame.chunk, slot.frame.name);
}

void UnitLog::finish() {
  if (!open_.empty()) open_.back().closed = true;
  append_finished();
}

UnitLog::Slot UnitLog::find(std::uint64_t number) {
  const auto unit = std::prev(std::upper_bound(
      open_.begin(), open_.end(), number,
      [](std::uint64_t value, const OpenUnit& open) { return value < open.first_number; }));
  const auto begin =
      std::prev(std::upper_bound(unit->part_begins.begin(), unit->part_begins.end(), number));
  SequencePart& part =
      unit->unit.parts[static_cast<std::size_t>(begin - unit->part_begins.begin())];
  return {*unit, part, part.frames[static_cast<std::size_t>(number - *begin)]};
}

void UnitLog::append_finished() {
  while (!open_.empty() && open_.front().closed && open_.front().open_frames == 0) {
    journal_.append(open_.front().unit);
    open_.pop_front();
  }
}

}  // namespace virnucpro
