#include "journal/journal_writer.hpp"

#include <cstddef>
#include <utility>

#include "base/threads.hpp"
#include "observe/trace.hpp"

namespace virnucpro {
namespace {

// The most bytes in the queue. Eight GPUs fill it in seconds; one unit with long ids may fill it
// alone.
constexpr std::size_t kMostBytes = 4U << 20U;

std::size_t bytes_of(const Unit& unit) {
  std::size_t bytes = sizeof(Unit) + unit.parts.capacity() * sizeof(SequencePart);
  for (const SequencePart& part : unit.parts) {
    bytes += part.id.size() + part.frames.capacity() * sizeof(FrameScore);
  }
  return bytes;
}

}  // namespace

JournalWriter::JournalWriter(Journal& journal, TimeCounter& time)
    : journal_(journal), time_(time), thread_(start_thread([this] { work(); })) {}

JournalWriter::~JournalWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JournalWriter::append(Unit unit) {
  const std::size_t bytes = bytes_of(unit);
  add([unit = std::move(unit)](Journal& journal) { journal.append(unit); }, bytes);
}

void JournalWriter::record_input(std::uint32_t index, InputEntry entry) {
  add([index, entry = std::move(entry)](Journal& journal) { journal.record_input(index, entry); },
      sizeof(InputEntry));
}

void JournalWriter::cut_units(std::uint32_t input, std::uint64_t units) {
  add([input, units](Journal& journal) { journal.cut_units(input, units); }, 0);
}

void JournalWriter::keep_early(std::uint64_t row, std::vector<EarlyScore> scores) {
  const std::size_t bytes = scores.size() * sizeof(EarlyScore);
  add([row, scores = std::move(scores)](Journal& journal) { journal.keep_early(row, scores); },
      bytes);
}

void JournalWriter::drop_early(std::uint64_t row) {
  add([row](Journal& journal) { journal.drop_early(row); }, 0);
}

void JournalWriter::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return error_ || tasks_.empty(); });
  if (error_) std::rethrow_exception(error_);
}

void JournalWriter::add(Task task, std::size_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ || tasks_.empty() || bytes_ + bytes <= kMostBytes; });
  if (error_) std::rethrow_exception(error_);
  tasks_.push_back({std::move(task), bytes});
  bytes_ += bytes;
  changed_.notify_all();
}

void JournalWriter::work() {
  name_thread("journal");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const Waiting& first = tasks_.front();  // stays valid while tasks are added
    lock.unlock();
    try {
      const TimedScope timed(time_);
      const TraceSpan span("journal");
      first.task(journal_);
    } catch (...) {
      lock.lock();
      error_ = std::current_exception();
      changed_.notify_all();
      return;
    }
    lock.lock();
    bytes_ -= first.bytes;
    tasks_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace virnucpro
