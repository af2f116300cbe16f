#include "engine/worker_serve.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/threads.hpp"
#include "engine/bounded_queue.hpp"
#include "engine/channel.hpp"
#include "observe/trace.hpp"

namespace virnucpro {
namespace {

// The most messages that may wait; the parent sends far fewer at once.
constexpr std::size_t kMostWaiting = 4096;

void wait_for(int socket, short events) {
  pollfd waiting{.fd = socket, .events = events, .revents = 0};
  ::poll(&waiting, 1, -1);
}

WireLimits limits_for_the_parent() {
  WireLimits limits;
  limits.allow<WorkerSetup>(kMostSetup);
  limits.allow<BatchRequest>(kMostRequest);
  return limits;
}

// Sends messages; several threads may call send().
class SharedWriter {
 public:
  explicit SharedWriter(int socket) : socket_(socket), writer_(socket) {}

  // Returns when the whole message was sent, or when the parent is gone.
  void send(const WorkerMessage& message) {
    const std::lock_guard lock(mutex_);
    writer_.add(encode_message(message));
    for (writer_.write(); writer_.has_more(); writer_.write()) wait_for(socket_, POLLOUT);
  }

 private:
  const int socket_;
  std::mutex mutex_;
  MessageWriter writer_;
};

// Reads messages while the engine computes, so that a closed socket is noticed at once.
class Inbox {
 public:
  Inbox(int socket, Cancel& cancel)
      : socket_(socket), cancel_(cancel), thread_(start_thread([this] { run(); })) {}
  ~Inbox() {
    messages_.close();
    ::shutdown(socket_, SHUT_RD);
    thread_.join();
  }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  BoundedQueue<WorkerMessage>& messages() { return messages_; }

 private:
  void run() {
    name_thread("inbox");
    try {
      read();
    } catch (const std::exception& exception) {
      log_error("{}", exception.what());
    }
    cancel_.request_now(0);
    messages_.close();
  }

  void read() {
    MessageReader reader(socket_, limits_for_the_parent());
    while (true) {
      wait_for(socket_, POLLIN);
      if (!reader.read()) return;
      while (std::optional<WorkerMessage> message = reader.next_message()) {
        if (!messages_.push(*std::move(message))) return;
      }
    }
  }

  const int socket_;
  Cancel& cancel_;
  BoundedQueue<WorkerMessage> messages_{kMostWaiting};
  std::thread thread_;
};

WorkerFailure failure_of(const Error& error) {
  return {.kind = error.kind(),
          .place = error.place(),
          .detail = error.detail(),
          .remedy = std::string(error.remedy())};
}

class Server {
 public:
  Server(const UniqueFd& socket, const LoadWorkerModels& load)
      : load_(load), writer_(socket.get()), inbox_(socket.get(), cancel_) {
    send_log_to([this](LogLevel level, std::string_view text) {
      writer_.send(WorkerLogLine{.level = level, .text = std::string(text)});
    });
  }
  ~Server() { send_log_to({}); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void run() {
    try {
      if (!begin()) return;
      while (step()) {
      }
    } catch (const std::exception& exception) {
      if (cancel_.requested()) return;  // the parent is gone
      WorkerFailure failure = failure_of(error_of(exception));
      if (!begun_.empty()) failure.batch = begun_.front();
      failure.token_budget = token_budget_;
      writer_.send(failure);
    }
  }

 private:
  bool begin() {
    const std::optional<WorkerMessage> message = inbox_.messages().pop();
    if (!message) return false;
    const auto* setup = std::get_if<WorkerSetup>(&*message);
    if (setup == nullptr)
      throw Error(ErrorKind::kInternal, "the first message to a worker must be its setup");
    if (setup->trace) start_trace(*setup);
    WorkerModels models = load(*setup);
    engine_ = std::move(models.engine);
    token_budget_ = models.hello.facts.plan.tokens;
    writer_.send(models.hello);
    return true;
  }

  // Starts the trace. Call this before the GPU is opened.
  static void start_trace(const WorkerSetup& setup) {
    Tracer::here().start({.limit = {}, .cupti = setup.cupti});
    if (setup.engine.gpu) Tracer::here().trace_kernels();
  }

  WorkerModels load(const WorkerSetup& setup) {
    const TraceSpan span("load models");
    return load_(setup, cancel_);
  }

  // Begins or finishes a batch. Returns false if there are no more batches.
  bool step() {
    std::optional<WorkerMessage> message;
    if (begun_.size() < engine_->facts().depth) {
      message = begun_.empty() ? inbox_.messages().pop() : inbox_.messages().try_pop();
    }
    if (message) {
      const auto* request = std::get_if<BatchRequest>(&*message);
      if (request == nullptr)
        throw Error(ErrorKind::kInternal, "after its setup a worker accepts only batches");
      begin(*request);
      return true;
    }
    if (begun_.empty()) return false;
    finish();
    return true;
  }

  void finish() {
    WorkerResult answer{.result = engine_->finish(), .token_budget = token_budget_};
    begun_.pop_front();
    if (Tracer::here().is_on()) writer_.send(WorkerTrace{Tracer::here().drain()});
    writer_.send(answer);
  }

  // Finishes all batches, so that the trace has all their kernels, then ends the trace.
  void end_trace() {
    while (!begun_.empty()) finish();
    Tracer::here().stop();
  }

  void begin(const BatchRequest& request) {
    if (Tracer::here().is_on() && !request.traced) end_trace();
    begun_.push_back(request.id);
    try {
      engine_->begin(request);
    } catch (const std::exception& exception) {
      const Error error = error_of(exception);
      if (error.kind() != ErrorKind::kOutOfMemory) throw;
      begun_.pop_back();
      give_back(request, error);
    }
  }

  // Reports that a batch needs too much memory. Half as many tokens may fit.
  void give_back(const BatchRequest& request, const Error& error) {
    const PackedFrames& frames = request.frames;
    const std::uint64_t tokens = std::max(frames.esm_tokens.size(), frames.dna_tokens.size());
    token_budget_ = std::clamp<std::uint64_t>(tokens / 2, 1, token_budget_);
    WorkerFailure failure = failure_of(error);
    failure.batch = request.id;
    failure.token_budget = token_budget_;
    writer_.send(failure);
  }

  const LoadWorkerModels& load_;
  Cancel cancel_;
  SharedWriter writer_;
  std::unique_ptr<Engine> engine_;
  std::uint64_t token_budget_ = 1;
  std::deque<std::uint64_t> begun_;  // ids of the batches in progress
  Inbox inbox_;                      // last: its thread must end before the other members
};

}  // namespace

UniqueFd become_worker() {
  ucred peer{};
  socklen_t size = sizeof peer;
  // Reads the id of the process that made the socket pair, which is the parent.
  if (::getsockopt(kWorkerSocket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    throw Error(ErrorKind::kUsage, "worker is not a command for users: predict and embed start it");
  }
  UniqueFd socket(kWorkerSocket);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);  // a worker never needs more rights
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, program_invocation_short_name);  // ps shows this name
  // The parent may have ended before prctl() took effect.
  if (::getppid() != peer.pid) {
    throw Error(ErrorKind::kUsage, "the process that started this worker has ended");
  }
  return socket;
}

void serve_batches(const UniqueFd& socket, const LoadWorkerModels& load) {
  Server(socket, load).run();
}

}  // namespace virnucpro
