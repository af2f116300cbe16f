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

// Writes a journal on a separate thread, so that computing threads do not wait for the disk. They
// wait only while the queue has 4 MiB of tasks, so that a slow disk does not fill the memory. If a
// write fails, every function called later throws the write's error.
class JournalWriter {
 public:
  // The journal must outlive the writer, and only the writer may change it. `time` adds up the time
  // spent writing.
  JournalWriter(Journal& journal, TimeCounter& time);
  // Writes the waiting tasks, unless a write has failed.
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  void append(Unit unit);
  void record_input(std::uint32_t index, InputEntry entry);
  void cut_units(std::uint32_t input, std::uint64_t units);
  void keep_early(std::uint64_t row, std::vector<EarlyScore> scores);
  void drop_early(std::uint64_t row);
  // Waits until everything added so far is in the journal.
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
  std::deque<Waiting> tasks_;  // the first task is being written
  std::size_t bytes_ = 0;
  std::exception_ptr error_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace virnucpro
