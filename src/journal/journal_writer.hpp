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

// Writes a journal on a thread of its own, so that computing threads do not wait for the disk. They
// wait only if the disk is slower than the models: once some megabytes of units are in the queue,
// so that memory does not fill up. The next call throws the error of a failed write.
class JournalWriter {
 public:
  // The journal must outlive the writer, and nobody else may write to the journal meanwhile. `time`
  // counts the time spent writing.
  JournalWriter(Journal& journal, TimeCounter& time);
  // Writes the waiting units, unless a write has failed.
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
    std::size_t bytes;  // the task's approximate size
  };

  void add(Task task, std::size_t bytes);
  void work();

  Journal& journal_;
  TimeCounter& time_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> tasks_;  // the first is being written
  std::size_t bytes_ = 0;      // of all tasks
  std::exception_ptr error_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace virnucpro
