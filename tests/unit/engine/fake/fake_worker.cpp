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

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/channel.hpp"
#include "engine/worker_process.hpp"
#include "engine/worker_serve.hpp"
#include "unit/engine/fake/fake_scores.hpp"

namespace virnucpro {
namespace {

class FakeWorker {
 public:
  explicit FakeWorker(int socket) : socket_(socket), reader_(socket), writer_(socket) {}

  void run() {
    const auto first = receive();
    if (!first) return;
    const auto& setup = std::get<WorkerSetup>(*first);
    choose(setup);
    if (is("dies_at_start")) ::_exit(9);
    if (is("hangs_at_start")) sleep_for_ever();
    if (is("cannot_load")) {
      send(WorkerFailure{.kind = ErrorKind::kWeightsMissing,
                         .place = {.file = "a.pth"},
                         .detail = "it is not there"});
      return;
    }
    send(WorkerLogLine{.level = LogLevel::kInfo, .text = "a fake one"});
    const std::string kernel = is("other_kernel") ? "fake-other" : "fake";
    send(WorkerHello{.kernel_path = kernel,
                     .token_budget = 100,
                     .depth = 1,
                     .description = {{"kernel_path", kernel}},
                     .tokenizer = tokenizer_in(setup.share_dir)});
    while (const auto message = receive()) answer(std::get<BatchRequest>(*message));
  }

 private:
  // Needed by runs whose input is letters.
  static std::string tokenizer_in(const std::string& share_dir) {
    return share_dir.empty() ? "" : share_dir + "/dnabert-s/tokenizer.json";
  }

  void choose(const WorkerSetup& setup) {
    std::string_view rest = setup.esm2;
    const auto word = [&rest] {
      const std::string_view part = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      return part;
    };
    mode_ = word();
    number_ = parse_count(word()).value_or(0);
    if (word() != "once") return;
    const std::filesystem::path mark = std::filesystem::path(setup.models_dir) / mode_;
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
    WorkerResult result{.result = fake_result(request), .token_budget = 100};
    if (is("lacks_memory")) result.token_budget = number_;
    if (is_due && is("answers_too_little")) result.result.scores.pop_back();
    if (is_due && is("answers_another")) result.result.id += 1000;
    if (is_due && is("is_nan")) spoil(result.result, 0);
    if (is("is_nan_on_token")) {
      for (std::uint32_t frame = 0; frame < frames && !is_canary; ++frame) {
        if (frame_has_token(request, frame)) spoil(result.result, frame);
      }
    }
    if (is_canary && is("wrong_canary")) result.result.scores[0] += 1;
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
};

}  // namespace
}  // namespace virnucpro

int main() {
  const virnucpro::UniqueFd socket = virnucpro::become_worker();
  virnucpro::FakeWorker(socket.get()).run();
  return 0;
}
