#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "journal/journal.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// Writes a journal on a thread of its own, so that whoever computes never waits for a disk, but for
// one that is slower than the models: then it does, instead of some megabytes all of a run's units
// would wait in memory. What failed there is thrown by the next call.
class JournalWriter {
 public:
  // The journal outlives it; meanwhile nobody else writes to it. `time`: where what it takes is
  // added.
  JournalWriter(Journal& journal, TimeCounter& time);
  // Writes what it was given, unless something failed before.
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  void append(Unit unit);
  void record_input(std::uint32_t index, InputEntry entry);
  // Returns once everything given so far is in the journal.
  void flush();

 private:
  using Task = std::function<void(Journal&)>;

  struct Waiting {
    Task task;
    std::size_t bytes;  // about what it holds
  };

  void add(Task task, std::size_t bytes);
  void work();

  Journal& journal_;
  TimeCounter& time_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> tasks_;  // the first is being done
  std::size_t bytes_ = 0;      // of all of them
  std::exception_ptr error_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace virnucpro
