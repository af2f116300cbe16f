// A worker process for tests of WorkerPool: it speaks the protocol and computes numbers that are
// easy to check. Its setup's `esm2` says how it misbehaves: "MODE", "MODE:N" or "MODE:N:once". With
// "once" it leaves a file in `models_dir` and behaves well after a restart.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "engine/channel.hpp"
#include "engine/worker_process.hpp"
#include "engine/worker_serve.hpp"
#include "unit/engine/fake/fake_scores.hpp"

namespace virnucpro {
namespace {

class FakeWorker {
 public:
  explicit FakeWorker(int socket) : socket_(socket), reader_(socket, limits()), writer_(socket) {}

  void run() {
    const auto first = receive();
    if (!first) return;
    const auto& setup = std::get<WorkerSetup>(*first);
    choose(setup);
    if (is("dies_at_start")) ::_exit(9);
    if (is("hangs_at_start")) sleep_for_ever();
    if (is("says_a_long_hello")) claim(WorkerHello{});
    if (is("cannot_load")) {
      send(WorkerFailure{.kind = ErrorKind::kWeightsMissing,
                         .place = {.file = "a.pth"},
                         .detail = "it is not there",
                         .remedy = "Get it."});
      return;
    }
    send(WorkerLogLine{.level = LogLevel::kInfo, .text = "a fake one"});
    const std::string kernel = is("other_kernel") ? "fake-other" : "fake";
    for (std::uint64_t line = 0; is("logs") && line < number_; ++line) send(long_line());
    for (std::uint64_t part = 0; is("traces") && part < number_; ++part) send(large_trace());
    const std::string tokenizer = tokenizer_in(setup.models.lookup.share_dir);
    const std::uint64_t budget = is("takes_any_batch") ? std::uint64_t{1} << 40U : 100;
    WorkerHello hello;
    hello.description = {{"kernel_path", kernel},
                         {"model", "model.pt"},
                         {"model_hash", is("other_model") ? "12" : "34"},
                         {"tokenizer_hash", hash_of(tokenizer)}};
    hello.tokenizer = tokenizer;
    hello.facts.kernel_path = kernel;
    hello.facts.esm2_width = is("is_too_wide") ? 0x7fffffffU : 0;
    hello.facts.plan = {.tokens = budget, .wanted = budget, .threads = 1};
    send(hello);
    while (const auto message = receive()) answer(std::get<BatchRequest>(*message));
  }

 private:
  static WireLimits limits() {
    WireLimits limits;
    limits.allow<WorkerSetup>(kMostSetup);
    limits.allow<BatchRequest>(kMostRequest);
    return limits;
  }

  static std::string hash_of(const std::string& file) {
    constexpr std::size_t kMostBytes = 1U << 20U;
    return content_hash(beginning_of(file, kMostBytes));
  }

  // Needed by runs whose input is letters.
  static std::string tokenizer_in(const std::filesystem::path& share_dir) {
    return share_dir.empty() ? "" : share_dir / "dnabert-s/tokenizer.json";
  }

  void choose(const WorkerSetup& setup) {
    std::string_view rest = setup.models.esm2;
    const auto word = [&rest] {
      const std::string_view part = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      return part;
    };
    mode_ = word();
    number_ = parse_count(word()).value_or(0);
    if (word() != "once") return;
    const std::filesystem::path mark = setup.models.lookup.models_dir / mode_;
    if (std::filesystem::exists(mark)) mode_ = "good";
    std::ofstream(mark) << "was here";
  }

  bool is(std::string_view mode) const { return mode_ == mode; }

  void answer(const BatchRequest& request) {
    const bool is_canary = request.id == 0;
    const std::size_t frames = request.frames.frames();
    const bool is_due = !is_canary && ++batches_ == number_;
    if (is_due && is("dies")) ::_exit(7);
    if (is_due && is("is_killed")) ::kill(::getpid(), SIGKILL);
    if (is_due && is("hangs")) sleep_for_ever();
    if (is("is_slow")) std::this_thread::sleep_for(std::chrono::milliseconds(number_));
    if (is("dies_on_token") && !is_canary && has_token(request)) ::_exit(8);
    if (is("lacks_memory") && !is_canary && request.frames.esm_tokens.size() > number_) {
      send(WorkerFailure{.kind = ErrorKind::kOutOfMemory,
                         .detail = "as it was told",
                         .batch = request.id,
                         .token_budget = number_});
      return;
    }
    if (is_due && is("device_fails")) {
      send(WorkerFailure{
          .kind = ErrorKind::kDeviceFailed, .detail = "an illegal access", .batch = request.id});
      sleep_for_ever();
    }
    if (is_due && is("writes_rubbish")) {
      const std::string rubbish(100, 'x');
      writer_.add(rubbish);
      return flush();
    }
    if (is_due && is("claims_a_long_result")) claim(WorkerResult{});
    if (is_due && is("claims_a_long_log_line")) claim(WorkerLogLine{});
    while (is_due && is("logs_for_ever")) send(long_line());
    while (is_due && is("traces_for_ever")) send(large_trace());
    if (is_due && is("traces_long_names")) send(trace_of_long_names());
    WorkerResult result{.result = fake_result(request), .token_budget = 100};
    if (is("lacks_memory")) result.token_budget = number_;
    if (is_due && is("answers_too_little")) result.result.scores.pop_back();
    if (is_due && is("answers_too_much")) result.result.scores.resize(100U << 20U);
    if (is_due && is("answers_another")) result.result.id += 1000;
    if (is_due && is("is_nan")) spoil(result.result, 0);
    if (is("is_nan_on_token") || (is("is_nan_on_token_at_first") && request.model == kRunModel)) {
      for (std::uint32_t frame = 0; frame < frames && !is_canary; ++frame) {
        if (frame_has_token(request, frame)) spoil(result.result, frame);
      }
    }
    if (is_canary && is("wrong_canary")) result.result.scores[0] += 1;
    if (is_canary && request.model == kCheckModel && is("wrong_check_canary"))
      result.result.scores[0] += 1;
    send(result);
  }

  bool frame_has_token(const BatchRequest& request, std::size_t frame) const {
    const auto& tokens = request.frames.esm_tokens;
    const auto begin = tokens.begin() + request.frames.esm_offsets[frame];
    const auto end = tokens.begin() + request.frames.esm_offsets[frame + 1];
    return std::find(begin, end, number_) != end;
  }
  bool has_token(const BatchRequest& request) const {
    const auto& tokens = request.frames.esm_tokens;
    return std::find(tokens.begin(), tokens.end(), number_) != tokens.end();
  }
  static void spoil(BatchResult& result, std::uint32_t frame) {
    result.scores[2 * std::size_t{frame}] = std::numeric_limits<float>::quiet_NaN();
    result.not_finite.push_back(frame);
  }

  // A new one each time, because equal ones are logged once.
  WorkerLogLine long_line() {
    constexpr std::size_t kLetters = 16000;
    return {.level = LogLevel::kInfo,
            .text = std::to_string(++lines_) + std::string(kLetters, 'x')};
  }
  static WorkerTrace large_trace() {
    WorkerTrace trace{{.names = {{"work", TraceKind::kHost}}, .tracks = {"main"}}};
    trace.part.events.resize(kMostTraceEvents);
    return trace;
  }
  static WorkerTrace trace_of_long_names() {
    const std::string name(1U << 20U, 'x');
    return {{.names = std::vector<TraceName>(16, {name, TraceKind::kHost}), .tracks = {name}}};
  }

  // Writes the head of a message of 2 GiB, and bytes for as long as anybody reads.
  [[noreturn]] void claim(const WorkerMessage& message) {
    std::string head = encode_message(message).substr(0, kWireHead);
    constexpr std::size_t kLengthPlace = 8;
    head.replace(kLengthPlace, sizeof kMostPayload, bytes_of(kMostPayload));
    writer_.add(sealed_head(head));
    while (true) {
      flush();
      writer_.add(std::string(1U << 20U, '\0'));
    }
  }

  [[noreturn]] void sleep_for_ever() {
    while (true) ::pause();
  }

  std::optional<WorkerMessage> receive() {
    while (true) {
      if (auto message = reader_.next_message()) return message;
      wait(POLLIN);
      if (!reader_.read()) return reader_.next_message();
    }
  }
  void send(const WorkerMessage& message) {
    writer_.add(encode_message(message));
    flush();
  }
  void flush() {
    for (writer_.write(); writer_.has_more(); writer_.write()) wait(POLLOUT);
    if (writer_.unsent() > 0) ::_exit(1);  // nobody reads any more
  }
  void wait(short events) const {
    pollfd waiting{.fd = socket_, .events = events, .revents = 0};
    ::poll(&waiting, 1, -1);
  }

  int socket_;
  MessageReader reader_;
  MessageWriter writer_;
  std::string mode_;
  std::uint64_t number_ = 0;
  std::uint64_t batches_ = 0;
  std::uint64_t lines_ = 0;
};

}  // namespace
}  // namespace virnucpro

int main() {
  const virnucpro::UniqueFd socket = virnucpro::become_worker();
  virnucpro::FakeWorker(socket.get()).run();
  return 0;
}
