#include "engine/worker_pool.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/threads.hpp"
#include "engine/batch_parts.hpp"
#include "engine/canary.hpp"
#include "engine/channel.hpp"
#include "observe/trace.hpp"

namespace virnucpro {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTurn{100};
constexpr std::chrono::milliseconds kLookAtCancel{50};
constexpr std::uint64_t kMostDepth = 64;
constexpr std::uint32_t kMostWidth = 1U << 14U;  // the widest published model has 5,120

// Limits in bytes for a worker's log and trace in the whole run. Anything beyond is dropped and
// counted. A process that logs more than kFlood bytes must be faulty, so it is treated as lost. A
// long trace is not a fault, because the user asked for a trace.
constexpr std::uint64_t kMostLog = 1U << 20U;
constexpr std::uint64_t kMostTraces = 64U << 20U;
constexpr std::uint64_t kFlood = 64U << 20U;
// Bytes of memory for a stored log line, in addition to its text.
constexpr std::uint64_t kLineCost = 100;
constexpr const char* kNaN = "its embeddings or scores are NaN or infinite";

// Counts seconds, but not while this process is stopped (Ctrl-Z) or the machine sleeps.
class AwakeClock {
 public:
  double now() {
    constexpr double kLongestStep = 2;
    const auto real = Clock::now();
    seconds_ += std::min(std::chrono::duration<double>(real - std::exchange(last_, real)).count(),
                         kLongestStep);
    return seconds_;
  }

 private:
  Clock::time_point last_ = Clock::now();
  double seconds_ = 0;
};

// Wakes a thread that waits in poll().
class Wakeup {
 public:
  Wakeup() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (fd_.get() < 0)
      throw Error(kind_of_failure(errno, ErrorKind::kOutOfMemory),
                  "a channel between threads (eventfd) cannot be made: " + errno_text(errno));
  }
  void wake() const {
    const std::uint64_t one = 1;
    static_cast<void>(::write(fd_.get(), &one, sizeof one));
  }
  void clear() const {
    std::uint64_t count = 0;
    static_cast<void>(::read(fd_.get(), &count, sizeof count));
  }
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

// Returns limits for messages that need no request. allow_result() adds the limit for results.
WireLimits limits_for_a_worker(bool traced) {
  WireLimits limits;
  limits.allow<WorkerHello>(kMostHello);
  limits.allow<WorkerFailure>(kMostFailure);
  limits.allow<WorkerLogLine>(kMostLogLine);
  if (traced) limits.allow<WorkerTrace>(kMostTrace);
  return limits;
}

// A worker process with its socket, and the messages from it and to it.
struct Link {
  Link(const WorkerCommand& command, ChannelEnds ends, bool traced)
      : socket(std::move(ends.one)),
        reader(socket.get(), limits_for_a_worker(traced)),
        writer(socket.get()),
        process(command, ends.other) {}

  UniqueFd socket;
  MessageReader reader;
  MessageWriter writer;
  WorkerProcess process;
  bool has_said_hello = false;
  std::uint32_t canary_model = 0;  // the model of the next canary answer
  std::size_t most_frames = 0;     // frames of the largest request
  std::uint64_t logged = 0;        // bytes of log messages
};

// Totals of a worker's log and trace in the run, over all its processes.
struct Said {
  std::uint64_t log = 0;    // bytes kept
  std::uint64_t trace = 0;  // bytes kept
  std::uint64_t lines_dropped = 0;
};

// A batch in progress.
struct OpenBatch {
  PackedFrames frames;
  bool traced = false;
  std::uint32_t model = kRunModel;
  BatchResult result;
  std::size_t frames_left = 0;
  std::size_t nan = 0;  // frames in result.failed because of NaN
};

// True if the lists of a result have the right sizes, and `not_finite` is ascending.
bool fits(const BatchResult& result, std::size_t frames, const EngineOutputs& outputs,
          const WorkerHello& hello) {
  const auto rows = [frames](bool wanted, std::size_t width) {
    return wanted ? frames * width : 0;
  };
  const auto& bad = result.not_finite;
  return result.scores.size() == rows(outputs.scores, 2) &&
         result.dnabert_s.size() == rows(outputs.dnabert_s, hello.facts.dnabert_s_width) &&
         result.esm2.size() == rows(outputs.esm2, hello.facts.esm2_width) &&
         (bad.empty() || bad.back() < frames) &&
         std::adjacent_find(bad.begin(), bad.end(), std::greater_equal<>()) == bad.end();
}

// Returns an upper bound, in bytes, of the payload of a result that fits() accepts.
std::uint64_t most_result(std::size_t frames, const EngineOutputs& outputs,
                          const WorkerHello& hello) {
  constexpr std::uint64_t kFixed = 256;  // bytes for single numbers and counts
  std::uint64_t numbers = outputs.scores ? 2 : 0;
  if (outputs.dnabert_s) numbers += hello.facts.dnabert_s_width;
  if (outputs.esm2) numbers += hello.facts.esm2_width;
  return kFixed + frames * (numbers * sizeof(float) + sizeof(std::uint32_t));
}

Error as_error(const WorkerFailure& failure) {
  return Error(failure.kind, failure.place, failure.detail).advised(failure.remedy);
}

}  // namespace

struct WorkerPool::Shared {
  explicit Shared(const Settings& pool_settings)
      : settings(pool_settings), facts(pool_settings.workers.size()) {}

  const Settings settings;
  Wakeup wakeup{};
  std::mutex mutex{};
  std::condition_variable changed{};
  bool stopping = false;
  bool is_ready = false;
  WorkerHello hello{};               // written once, before is_ready becomes true
  EngineFacts smallest{};            // the facts with the smallest token budget so far
  std::vector<EngineFacts> facts{};  // one for each worker
  std::deque<BatchRequest> submitted{};
  std::deque<BatchResult> results{};
  std::exception_ptr error{};
};

// The pool's thread. It owns the worker processes and carries out the schedule's actions.
class WorkerPool::Thread {
 public:
  explicit Thread(Shared& shared)
      : shared_(shared),
        schedule_(schedule_settings(shared.settings)),
        links_(shared.settings.workers.size()),
        said_by_(shared.settings.workers.size()),
        thread_(start_thread([this] { run(); })) {}
  ~Thread() {
    {
      const std::lock_guard lock(shared_.mutex);
      shared_.stopping = true;
    }
    shared_.wakeup.wake();
    thread_.join();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

 private:
  static WorkerSchedule::Settings schedule_settings(const Settings& settings) {
    WorkerSchedule::Settings schedule = settings.schedule;
    schedule.workers = settings.workers.size();
    return schedule;
  }

  void run() {
    name_thread("worker pool");
    try {
      while (schedule_submitted()) {
        schedule_.tick(clock_.now());
        act();
        say_when_ready();
        wait();
      }
    } catch (...) {
      const std::lock_guard lock(shared_.mutex);
      shared_.error = std::current_exception();
      shared_.changed.notify_all();
    }
    // Kills all processes first, so that they end at the same time while clear() waits for each.
    for (const auto& link : links_) {
      if (link) link->process.kill();
    }
    links_.clear();
    tell_what_was_dropped();
  }

  // Adds the submitted batches to the schedule. Returns false if the pool must stop.
  bool schedule_submitted() {
    std::deque<BatchRequest> submitted;
    {
      const std::lock_guard lock(shared_.mutex);
      if (shared_.stopping) return false;
      submitted.swap(shared_.submitted);
    }
    for (BatchRequest& request : submitted) {
      OpenBatch& batch = batches_[request.id];
      batch.frames = std::move(request.frames);
      batch.traced = request.traced;
      batch.model = request.model;
      batch.frames_left = batch.frames.frames();
      batch.result.id = request.id;
      schedule_.submit(request.id, batch.frames.esm_offsets, batch.frames.dna_offsets,
                       clock_.now());
    }
    return true;
  }

  void act() {
    for (auto actions = schedule_.next_actions(); !actions.empty();
         actions = schedule_.next_actions()) {
      for (const auto& action : actions) {
        std::visit([this](const auto& one) { this->perform(one); }, action);
      }
    }
  }

  void perform(const WorkerSchedule::Start& start) {
    const WorkerConfig& config = shared_.settings.workers[start.worker];
    const WorkerSetup setup = traced_setup(config.setup);
    try {
      auto& link = links_[start.worker];
      link =
          std::make_unique<Link>(WorkerCommand{.program = shared_.settings.program,
                                               .name = fmt::format("virnucpro-w{}", start.worker),
                                               .arguments = shared_.settings.arguments,
                                               .visible_gpu = config.visible_gpu},
                                 make_channel(), setup.trace);
      log_info("{} is process {}", config.name, link->process.id());
      send(start.worker, encode_message(setup));
    } catch (const Error& error) {
      // Uses only the detail of kWorkersLost: its summary says that every worker was lost.
      const bool is_of_all = error.kind() == ErrorKind::kWorkersLost;
      schedule_.lost(start.worker, is_of_all ? error.detail() : error.what(), clock_.now());
    }
  }

  static WorkerSetup traced_setup(WorkerSetup setup) {
    const Tracer& tracer = Tracer::here();
    setup.trace = tracer.is_on();
    if (setup.trace) setup.cupti = tracer.settings().cupti;
    return setup;
  }

  void perform(const WorkerSchedule::Kill& kill) {
    links_[kill.worker].reset();
    const std::string& name = name_of(kill.worker);
    if (kill.delay) {
      log_warning(
          "{} was lost: {}; this worker is started again, and its batches are computed again", name,
          kill.reason);
    } else {
      log_warning("{} was lost again: {}; this worker gets no more batches", name, kill.reason);
    }
  }

  void perform(const WorkerSchedule::SendCanary& canary) {
    BatchRequest request = canary_batch(shared_.hello.dnabert_s_vocabulary);
    request.id = canary.id;
    request.traced = true;  // otherwise the canary would end the worker's trace
    allow_result(canary.worker, request.frames.frames());
    for (request.model = 0; request.model < models_of(canary.worker); ++request.model) {
      send(canary.worker, encode_message(request));
    }
  }

  // Allows the worker to send a result of this many frames.
  void allow_result(std::size_t worker, std::size_t frames) {
    if (!links_[worker]) return;
    Link& link = *links_[worker];
    link.most_frames = std::max(link.most_frames, frames);
    link.reader.limits().allow<WorkerResult>(most_result(
        link.most_frames, shared_.settings.workers[worker].setup.engine.outputs, shared_.hello));
  }

  void perform(const WorkerSchedule::SendPart& part) {
    const TraceSpan span("send", part.part.batch);
    const OpenBatch& batch = batches_.at(part.part.batch);
    allow_result(part.worker, part.part.frames());
    send(part.worker, encode_message(BatchRequest{.id = part.id,
                                                  .frames = cut_frames(batch.frames, part.part),
                                                  .batch = part.part.batch,
                                                  .traced = batch.traced,
                                                  .model = batch.model}));
  }

  void perform(const WorkerSchedule::GiveUp& given_up) {
    log_warning("a frame of batch {} is given up and has no result: {}", given_up.part.batch,
                given_up.reason);
    OpenBatch& batch = batches_.at(given_up.part.batch);
    batch.result.failed.push_back({given_up.part.begin, given_up.reason});
    close(given_up.part);
  }

  [[noreturn]] void perform(const WorkerSchedule::End& end) {
    throw Error(ErrorKind::kWorkersLost,
                fmt::format("the last worker lost was {}: {}", name_of(end.worker), end.reason));
  }

  void send(std::size_t worker, std::string message) {
    if (!links_[worker]) return;
    links_[worker]->writer.add(std::move(message));
    links_[worker]->writer.write();
  }

  void say_when_ready() {
    if (is_ready_ || !schedule_.all_ready()) return;
    is_ready_ = true;
    const std::lock_guard lock(shared_.mutex);
    shared_.is_ready = true;
    shared_.changed.notify_all();
  }

  void wait() {
    std::vector<pollfd> waiting{{.fd = shared_.wakeup.fd(), .events = POLLIN, .revents = 0}};
    for (const auto& link : links_) {
      const bool sends = link && link->writer.has_more();
      waiting.push_back({.fd = link ? link->socket.get() : -1,
                         .events = static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN),
                         .revents = 0});
    }
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(kTurn.count())) <= 0) return;
    if (waiting.front().revents != 0) shared_.wakeup.clear();
    for (std::size_t worker = 0; worker < links_.size(); ++worker) {
      const int ready = waiting[worker + 1].revents;
      if ((ready & POLLOUT) != 0) links_[worker]->writer.write();
      if ((ready & (POLLIN | POLLHUP | POLLERR)) != 0) read_from(worker);
    }
  }

  void read_from(std::size_t worker) {
    Link& link = *links_[worker];
    const bool is_open = link.reader.read();
    while (true) {
      std::optional<WorkerMessage> message;
      try {
        message = link.reader.next_message();
      } catch (const Error& error) {
        return lose(worker, error.what());
      }
      if (!message) break;
      const bool goes_on =
          std::visit([&](auto& one) { return handle(worker, std::move(one)); }, *message);
      if (!goes_on) return;
    }
    if (!is_open) lose_ended(worker);
  }

  // Handles a process's end. Throws kOutOfMemory if the worker's first start ran out of memory.
  void lose_ended(std::size_t worker) {
    Link& link = *links_[worker];
    const std::string how = link.process.end();
    const bool is_loading = !link.has_said_hello && schedule_.starts_of(worker) == 1;
    if (is_loading && link.process.ran_out_of_memory()) {
      throw Error(ErrorKind::kOutOfMemory,
                  fmt::format("{}: {}", shared_.settings.workers[worker].name, how));
    }
    lose(worker, how);
  }

  void lose(std::size_t worker, const std::string& reason) {
    schedule_.lost(worker, reason, clock_.now(), links_[worker]->writer.unsent());
  }

  // Each handle() takes one message. It returns false if the worker is lost because of the message.

  bool handle(std::size_t worker, WorkerLogLine line) {
    Link& link = *links_[worker];
    link.logged += link.reader.message_bytes();
    if (link.logged > kFlood) {
      lose(worker, fmt::format("it logged more than {} MiB", kFlood >> 20U));
      return false;
    }
    // Shows each line only once, because all workers log the same lines while they load.
    if (said_.contains(line.text)) return true;
    Said& said = said_by_[worker];
    if (!has_room(said.log, line.text.size() + kLineCost, kMostLog)) {
      if (said.lines_dropped++ > 0) return true;
      log_warning("{}: its log is longer than {} MiB; the rest is left out", name_of(worker),
                  kMostLog >> 20U);
      return true;
    }
    log_message(line.level, fmt::format("{}: {}", name_of(worker), line.text));
    said_.insert(std::move(line.text));
    return true;
  }

  const std::string& name_of(std::size_t worker) const {
    return shared_.settings.workers[worker].name;
  }

  // Adds `bytes` to `kept` and returns true. If the sum would exceed `most`, only returns false.
  static bool has_room(std::uint64_t& kept, std::uint64_t bytes, std::uint64_t most) {
    if (bytes > most - kept) return false;
    kept += bytes;
    return true;
  }

  void tell_what_was_dropped() const {
    for (std::size_t worker = 0; worker < said_by_.size(); ++worker) {
      const std::uint64_t lines = said_by_[worker].lines_dropped;
      if (lines > 0) log_info("{}: {} of its log lines were left out", name_of(worker), lines);
    }
  }

  bool handle(std::size_t worker, WorkerHello hello) {
    Link& link = *links_[worker];
    if (std::exchange(link.has_said_hello, true) || !is_possible(hello)) return refuse(worker);
    if (first_) {
      require_same(worker, hello);
    } else {
      shared_.hello = hello;  // the owner reads it only after is_ready
      first_ = worker;
    }
    note_facts(worker, hello);
    schedule_.ready(worker, hello.facts.plan.tokens, hello.facts.depth, clock_.now());
    return true;
  }

  // True if the hello's numbers are possible. They set the sizes of batches, results and queues.
  bool is_possible(const WorkerHello& hello) const {
    const bool has_known_widths =
        !first_ || (hello.facts.dnabert_s_width == shared_.hello.facts.dnabert_s_width &&
                    hello.facts.esm2_width == shared_.hello.facts.esm2_width);
    return has_known_widths &&
           std::max(hello.facts.dnabert_s_width, hello.facts.esm2_width) <= kMostWidth &&
           hello.facts.depth > 0 && hello.facts.depth <= kMostDepth &&
           hello.facts.plan.tokens > 0 && hello.facts.plan.tokens <= kLargestBudget;
  }

  bool handle(std::size_t worker, WorkerResult message) {
    const std::uint64_t id = message.result.id;
    if (!schedule_.has(worker, id)) return refuse(worker);
    const TraceSpan span("receive",
                         schedule_.is_canary(id) ? kNoBatch : schedule_.part_of(id).batch);
    message.result.worker = static_cast<std::uint32_t>(worker);
    message.result.arrived = Clock::now();
    const std::size_t frames =
        schedule_.is_canary(id) ? canary_batch(shared_.hello.dnabert_s_vocabulary).frames.frames()
                                : schedule_.part_of(id).frames();
    const EngineOutputs& outputs = shared_.settings.workers[worker].setup.engine.outputs;
    if (!fits(message.result, frames, outputs, shared_.hello)) return refuse(worker);
    if (schedule_.is_canary(id)) return check_canary(worker, std::move(message.result));
    const WorkerSchedule::Acceptance acceptance = schedule_.answered(
        worker, id, message.result.not_finite, message.token_budget, clock_.now());
    if (acceptance.accepted) use(acceptance, std::move(message.result));
    return true;
  }

  std::size_t models_of(std::size_t worker) const {
    return shared_.settings.workers[worker].setup.engine.precisions.size();
  }

  // Checks one answer to the canary. Tells the schedule if the answer is wrong or is the last one.
  bool check_canary(std::size_t worker, BatchResult result) {
    std::uint32_t& model = links_[worker]->canary_model;
    const BatchResult& right = canaries_.try_emplace(model, result).first->second;
    const bool is_right = same_answer(right, result);
    const bool is_last = ++model == models_of(worker);
    if (is_last) model = 0;
    if (is_last || !is_right) schedule_.canary_answered(worker, is_right, clock_.now());
    return true;
  }

  bool handle(std::size_t worker, WorkerFailure failure) {
    const Error error = as_error(failure);
    const bool is_loading = !links_[worker]->has_said_hello;
    const bool is_first_time = schedule_.starts_of(worker) == 1;
    if (is_loading && is_first_time && error.kind() != ErrorKind::kDeviceFailed) throw Error(error);
    const bool is_batch = failure.batch && !schedule_.is_canary(*failure.batch) &&
                          schedule_.has(worker, *failure.batch);
    if (is_loading || !is_batch || error.kind() != ErrorKind::kOutOfMemory) {
      lose(worker, error.what());
      return false;
    }
    if (!schedule_.out_of_memory(worker, *failure.batch, failure.token_budget, clock_.now())) {
      fail_for_one_frame(worker, error);
    }
    if (!std::exchange(warned_of_memory_, true)) {
      log_warning("{}: {}; this worker now gets smaller batches; the results stay the same",
                  name_of(worker), error.what());
    }
    return true;
  }

  [[noreturn]] void fail_for_one_frame(std::size_t worker, const Error& error) const {
    throw Error(error.kind(), error.place(), fmt::format("{}: {}", name_of(worker), error.detail()))
        .advised(
            "One frame alone needs too much memory, so a smaller --token-budget does not help: use "
            "a GPU with more memory, or --device cpu; on the CPU, give the job more memory.");
  }

  bool handle(std::size_t worker, WorkerTrace trace) {
    const Link& link = *links_[worker];
    if (!has_room(said_by_[worker].trace, link.reader.message_bytes(), kMostTraces)) {
      trace.part = {.dropped = trace.part.dropped + trace.part.events.size()};
    }
    Tracer::here().add(link.process.id(), name_of(worker), trace.part);
    return true;
  }

  // Workers never send these messages.
  bool handle(std::size_t worker, const WorkerSetup& /*setup*/) { return refuse(worker); }
  bool handle(std::size_t worker, const BatchRequest& /*request*/) { return refuse(worker); }

  bool refuse(std::size_t worker) {
    lose(worker, "it sent an unexpected message");
    return false;
  }

  // In a description, a key with this suffix has a file's hash: "esm2_hash" has that of "esm2".
  static constexpr std::string_view kHash = "_hash";

  [[noreturn]] void fail_for_other_file(std::size_t worker, const WorkerHello& hello,
                                        const std::string& name) const {
    const auto file = hello.description.find(name.substr(0, name.size() - kHash.size()));
    throw Error(
        ErrorKind::kWeightsChanged,
        Place{.file = file == hello.description.end() ? hello.tokenizer : file->second},
        fmt::format("{} and {} read different contents of this file",
                    shared_.settings.workers[*first_].name, shared_.settings.workers[worker].name));
  }

  void require_same(std::size_t worker, const WorkerHello& hello) const {
    for (const auto& [name, text] : hello.description) {
      const auto other = shared_.hello.description.find(name);
      const std::string here = other == shared_.hello.description.end() ? "" : other->second;
      if (here == text) continue;
      if (name.ends_with(kHash)) fail_for_other_file(worker, hello, name);
      throw Error(
          ErrorKind::kDevice,
          fmt::format("the workers would compute different results: {} is {} for {} and {} for {}; "
                      "choose devices of the same model (--device)",
                      name, here, name_of(*first_), text, name_of(worker)));
    }
  }

  void note_facts(std::size_t worker, const WorkerHello& hello) {
    const std::lock_guard lock(shared_.mutex);
    const std::uint64_t least = shared_.smallest.plan.tokens;
    if (least == 0 || hello.facts.plan.tokens < least) shared_.smallest = hello.facts;
    shared_.facts[worker] = hello.facts;
  }

  void use(const WorkerSchedule::Acceptance& acceptance, BatchResult result) {
    OpenBatch& batch = batches_.at(acceptance.part.batch);
    // If a model of higher precision follows, NaN is no failure yet: its result may be finite.
    const bool has_finer = batch.model + 1 < models_of(result.worker);
    for (const std::uint32_t frame : acceptance.given_up) {
      const std::uint32_t index = acceptance.part.begin + frame;
      if (has_finer) {
        batch.result.not_finite.push_back(index);
      } else {
        batch.result.failed.push_back({index, kNaN});
        ++batch.nan;
      }
    }
    place_rows(result, acceptance.part, batch.frames.frames(), batch.result);
    close(acceptance.part);
  }

  void close(const BatchPart& part) {
    OpenBatch& batch = batches_.at(part.batch);
    batch.frames_left -= part.frames();
    if (batch.frames_left > 0) return;
    give(std::move(batch));
    batches_.erase(part.batch);
  }

  void give(OpenBatch batch) {
    BatchResult& result = batch.result;
    const std::size_t frames = batch.frames.frames();
    std::ranges::sort(result.failed, {}, &FailedFrame::index);
    std::ranges::sort(result.not_finite);
    // If the run never had a finite number, the models are faulty: all frames count as not finite.
    if (batch.nan == frames && !any_finite_ && frames > 0) {
      result.failed.clear();
      result.not_finite.resize(frames);
      std::iota(result.not_finite.begin(), result.not_finite.end(), 0U);
    }
    any_finite_ = any_finite_ || result.failed.size() + result.not_finite.size() < frames;
    const std::lock_guard lock(shared_.mutex);
    shared_.results.push_back(std::move(result));
    shared_.changed.notify_all();
  }

  Shared& shared_;
  AwakeClock clock_;
  WorkerSchedule schedule_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<Said> said_by_;  // one for each worker
  std::map<std::uint64_t, OpenBatch> batches_;
  std::optional<std::size_t> first_;               // the worker whose hello all others must match
  std::map<std::uint32_t, BatchResult> canaries_;  // each model's right answer
  std::set<std::string> said_;                     // log lines shown so far; kMostLog limits them
  bool is_ready_ = false;
  bool any_finite_ = false;
  bool warned_of_memory_ = false;
  std::thread thread_;  // last: the thread starts when all other members exist
};

WorkerPool::WorkerPool(const Settings& settings, const Cancel& cancel)
    : shared_(std::make_unique<Shared>(settings)),
      cancel_(cancel),
      thread_(std::make_unique<Thread>(*shared_)) {
  std::unique_lock lock(shared_->mutex);
  while (!shared_->changed.wait_for(lock, kLookAtCancel,
                                    [this] { return shared_->is_ready || shared_->error; })) {
    cancel_.check();
  }
  if (shared_->error) std::rethrow_exception(shared_->error);
}

WorkerPool::~WorkerPool() = default;

const WorkerHello& WorkerPool::hello() const {
  return shared_->hello;
}

EngineFacts WorkerPool::facts() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->smallest;
}

std::vector<EngineFacts> WorkerPool::facts_of_workers() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->facts;
}

std::size_t WorkerPool::workers() const {
  return shared_->settings.workers.size();
}

std::size_t WorkerPool::most_outstanding() const {
  const Settings& settings = shared_->settings;
  return workers() * (hello().facts.depth + settings.schedule.prefetch);
}

void WorkerPool::submit(BatchRequest request) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->submitted.push_back(std::move(request));
  }
  ++outstanding_;
  shared_->wakeup.wake();
}

std::size_t WorkerPool::outstanding() const {
  return outstanding_;
}

std::optional<BatchResult> WorkerPool::receive(bool wait) {
  std::unique_lock lock(shared_->mutex);
  const auto answered = [this] { return shared_->error || !shared_->results.empty(); };
  while (wait && !shared_->changed.wait_for(lock, kLookAtCancel, answered)) cancel_.check_late();
  if (!shared_->results.empty()) {
    std::optional<BatchResult> result(std::move(shared_->results.front()));
    shared_->results.pop_front();
    --outstanding_;
    return result;
  }
  if (shared_->error) std::rethrow_exception(shared_->error);
  return std::nullopt;
}

}  // namespace virnucpro
