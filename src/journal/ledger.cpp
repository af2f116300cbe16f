#include "journal/ledger.hpp"

#include <utility>

namespace virnucpro {

Ledger::Ledger(Journal journal, RunCounters& counters)
    : counters_(counters),
      journal_(std::move(journal)),
      known_(journal_),
      writer_(journal_, counters.host.journal),
      units_([this](Unit unit) { write(std::move(unit)); }, counters.sequences_scored,
             journal_.units()),
      known_parts_(journal_.parts()),
      written_parts_(known_parts_) {}

std::optional<std::uint64_t> Ledger::add(SequencePart part) {
  if (parts_++ < known_parts_) {
    if (part.last) counters_.sequences_known.add();
    known_.check(part);
    return std::nullopt;
  }
  known_.check_new(part);
  return units_.add(std::move(part));
}

void Ledger::set_score(std::uint64_t number, float others, float virus) {
  units_.set_score(number, others, virus);
}

void Ledger::give_up(std::uint64_t number) {
  units_.give_up(number);
}

void Ledger::end_input(std::uint32_t index, InputEntry entry) {
  known_.check(index, entry);
  entries_.push_back(entry);
  if (known_.has(index)) return;
  waiting_entries_.push_back({index, std::move(entry), parts_});
  write_entries();
}

void Ledger::save() {
  units_.save();
  writer_.flush();
}

void Ledger::end_inputs() {
  units_.end_inputs();
  known_.end_inputs();
  writer_.flush();
}

void Ledger::finish() {
  if (!journal_.finished()) journal_.finish();
}

void Ledger::write(Unit unit) {
  written_parts_ += unit.parts.size();
  writer_.append(std::move(unit));
  write_entries();
}

// An entry says that its input is complete, so it is written after all parts.
void Ledger::write_entries() {
  while (!waiting_entries_.empty() && waiting_entries_.front().parts <= written_parts_) {
    WaitingEntry& first = waiting_entries_.front();
    writer_.record_input(first.index, std::move(first.entry));
    waiting_entries_.pop_front();
  }
}

}  // namespace virnucpro
