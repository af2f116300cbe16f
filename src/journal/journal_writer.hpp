#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "journal/journal.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// Writes a journal on its own thread, so that computing threads do not wait for the disk. They wait
// only if the disk is slower than the models, once some megabytes of units are waiting; otherwise
// memory would fill up. A failure is thrown by the next call.
class JournalWriter {
 public:
  // The journal must outlive it, and nobody else may write to it meanwhile. The time spent is added
  // to `time`.
  JournalWriter(Journal& journal, TimeCounter& time);
  // Writes what is still waiting, unless a write has failed.
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  void append(Unit unit);
  void record_input(std::uint32_t index, InputEntry entry);
  void cut_units(std::uint32_t input, std::uint64_t units);
  void keep_early(std::uint64_t row, std::vector<EarlyScore> scores);
  void drop_early(std::uint64_t row);
  // Returns once everything added so far is in the journal.
  void flush();

 private:
  using Task = std::function<void(Journal&)>;

  struct Waiting {
    Task task;
    std::size_t bytes;  // its approximate size
  };

  void add(Task task, std::size_t bytes);
  void work();

  Journal& journal_;
  TimeCounter& time_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> tasks_;  // the first is being done
  std::size_t bytes_ = 0;      // of all tasks
  std::exception_ptr error_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace virnucpro
