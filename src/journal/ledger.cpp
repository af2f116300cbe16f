#include "journal/ledger.hpp"

#include <utility>

namespace virnucpro {

Ledger::Ledger(Journal journal, double interval, RunCounters& counters)
    : counters_(counters),
      journal_(std::move(journal)),
      known_(journal_),
      known_parts_(known_.bound_parts()),
      writer_(journal_, counters.host.journal),
      early_(journal_.early_scores(), journal_.next_early_row(), interval, writer_),
      book_([this](Unit unit) { write(std::move(unit)); }, counters.sequences_scored) {}

std::optional<std::uint64_t> Ledger::add(SequencePart part) {
  if (known_.has(part)) {
    if (part.last) counters_.sequences_known.add();
    return std::nullopt;
  }
  if (begun_input_ != part.input) begin_units(part.input);
  return book_.add(std::move(part));
}

std::optional<ScorePair> Ledger::known_score(std::uint64_t number, const FrameTokens& tokens) {
  return early_.find(number, tokens);
}

void Ledger::keep_early(std::uint64_t number, const ScorePair& scores) {
  early_.keep(number, scores);
  early_.write_due(book_.first_waiting());
}

void Ledger::set_score(std::uint64_t number, const ScorePair& scores) {
  book_.set_score(number, scores);
}

void Ledger::give_up(std::uint64_t number) {
  book_.give_up(number);
}

void Ledger::end_input(std::uint32_t index, InputEntry entry) {
  known_.check_end(index, entry);
  if (!entry.failed && known_.has_rest(index)) begin_units(index);
  if (begun_input_ == index) book_.close_unit();
  entries_.push_back(entry);
  if (begun_input_ != index && known_.has_entry(index, entry)) return;
  WaitingEntry& waiting = waiting_entries_.emplace_back();
  waiting = {.units = book_.begun(), .index = index, .entry = std::move(entry), .cut = {}};
  if (begun_input_ == index) waiting.cut = book_.next_unit();
  write_entries();
}

void Ledger::save() {
  const std::uint64_t waiting = book_.first_waiting();
  // book_.save() may write a unit without its last parts, so no input may be marked as ended.
  waiting_entries_.clear();
  book_.save();
  early_.write_all(waiting);
  writer_.flush();
}

void Ledger::end_inputs() {
  book_.close_unit();
  writer_.flush();
}

// Begins new units of an input, after the parts that the journal has.
void Ledger::begin_units(std::uint32_t input) {
  begun_input_ = input;
  KnownParts::Rest rest = known_.rest(input);
  book_.begin_input(rest.unit);
  for (SequencePart& part : rest.parts) book_.add_scored(std::move(part));
}

void Ledger::write(Unit unit) {
  ++written_units_;
  writer_.append(std::move(unit));
  write_entries();
}

// Writes the entries of the inputs whose units are all written.
void Ledger::write_entries() {
  while (!waiting_entries_.empty() && waiting_entries_.front().units <= written_units_) {
    WaitingEntry& first = waiting_entries_.front();
    if (first.cut) writer_.cut_units(first.index, *first.cut);
    writer_.record_input(first.index, std::move(first.entry));
    waiting_entries_.pop_front();
  }
}

}  // namespace virnucpro
