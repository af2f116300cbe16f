#include "run/journal_writer.hpp"

#include <utility>

namespace virnucpro {
namespace {

// Units that may wait for the disk: some megabytes.
constexpr std::size_t kMostTasks = 256;

}  // namespace

JournalWriter::JournalWriter(Journal& journal) : journal_(journal), thread_([this] { work(); }) {}

JournalWriter::~JournalWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JournalWriter::append(Unit unit) {
  add([unit = std::move(unit)](Journal& journal) { journal.append(unit); });
}

void JournalWriter::record_input(std::uint32_t index, InputEntry entry) {
  add([index, entry = std::move(entry)](Journal& journal) { journal.record_input(index, entry); });
}

void JournalWriter::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return error_ || tasks_.empty(); });
  if (error_) std::rethrow_exception(error_);
}

void JournalWriter::add(Task task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return error_ || tasks_.size() < kMostTasks; });
  if (error_) std::rethrow_exception(error_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

void JournalWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const Task& task = tasks_.front();  // its place stays while others are added behind it
    lock.unlock();
    try {
      task(journal_);
    } catch (...) {
      lock.lock();
      error_ = std::current_exception();
      changed_.notify_all();
      return;
    }
    lock.lock();
    tasks_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace virnucpro
