#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace virnucpro {

// A fixed number of threads that share the iterations of a loop. The calling thread is one of them:
// a pool of size 1 starts no thread.
class ThreadPool {
 public:
  // Starts `threads` - 1 threads. Errors: kOutOfMemory if not all can be started.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const { return workers_.size() + 1; }

  // Calls body(index, thread) once for every index in [0, count), in any order, and waits for all
  // calls. `thread` is the thread's number in the pool. After an exception no more calls start, and
  // the first exception is rethrown here. Only one thread may call this function at a time.
  void parallel_for(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body);

 private:
  void stop();
  void serve(std::size_t thread);
  void work_on_indices(std::size_t thread);

  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  const std::function<void(std::size_t, std::size_t)>* body_ = nullptr;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::size_t busy_ = 0;
  std::size_t generation_ = 0;
  bool stopping_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> workers_;
};

}  // namespace virnucpro
