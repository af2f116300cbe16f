#include "engine/worker.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/threads.hpp"
#include "engine/bounded_queue.hpp"

namespace virnucpro {

struct Worker::State {
  State(Engine& worker_engine, std::size_t most_waiting)
      : engine(worker_engine),
        in_flight(most_waiting),
        requests(most_waiting),
        thread(start_thread([this] { serve(); })) {}

  ~State() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    requests.close();
    thread.join();
  }

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void serve() {
    name_thread("worker");
    try {
      std::size_t begun = 0;
      while (true) {
        // Waits for a request only if no batch is in progress.
        std::optional<BatchRequest> request;
        if (begun < engine.facts().depth)
          request = begun == 0 ? requests.pop() : requests.try_pop();
        if (is_stopping()) return;
        if (request) {
          engine.begin(*request);
          ++begun;
        } else if (begun > 0) {
          give(engine.finish());
          --begun;
        } else {
          return;
        }
      }
    } catch (...) {
      requests.close();
      const std::lock_guard lock(mutex);
      error = std::current_exception();
      answered.notify_one();
    }
  }

  void give(BatchResult result) {
    result.arrived = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex);
    results.push_back(std::move(result));
    answered.notify_one();
  }

  bool is_stopping() {
    const std::lock_guard lock(mutex);
    return stopping;
  }

  Engine& engine;
  const std::size_t in_flight;
  BoundedQueue<BatchRequest> requests;
  std::mutex mutex;
  std::condition_variable answered;
  std::deque<BatchResult> results;
  std::exception_ptr error;  // the engine's error; after it nothing is computed
  bool stopping = false;
  std::size_t outstanding = 0;  // only the owner's thread uses this
  std::thread thread;
};

Worker::Worker(Engine& engine, std::size_t in_flight)
    : state_(std::make_unique<State>(engine, in_flight)) {}

Worker::~Worker() = default;

EngineFacts Worker::facts() const {
  return state_->engine.facts();
}

// Returns the batches that may wait, plus the batch that the engine computes.
std::size_t Worker::most_outstanding() const {
  return state_->in_flight + 1;
}

void Worker::submit(BatchRequest request) {
  state_->requests.push(std::move(request));
  ++state_->outstanding;
}

std::optional<BatchResult> Worker::receive(bool wait) {
  std::unique_lock lock(state_->mutex);
  const auto answered = [this] { return state_->error || !state_->results.empty(); };
  if (wait) state_->answered.wait(lock, answered);
  if (!state_->results.empty()) {
    std::optional<BatchResult> result(std::move(state_->results.front()));
    state_->results.pop_front();
    --state_->outstanding;
    return result;
  }
  if (state_->error) std::rethrow_exception(state_->error);
  return std::nullopt;
}

std::size_t Worker::outstanding() const {
  return state_->outstanding;
}

}  // namespace virnucpro
