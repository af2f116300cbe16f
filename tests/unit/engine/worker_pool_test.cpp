#include "engine/worker_pool.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "observe/trace.hpp"
#include "unit/engine/fake/fake_scores.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kBatches = 30;
constexpr std::uint32_t kFrames = 5;
constexpr std::uint8_t kBadToken = 77;  // in no batch unless a test puts it there

// With workers that misbehave on demand: unit/engine/fake/fake_worker.cpp.
struct WorkerPools : testing::Test {
  WorkerPool::Settings settings(const std::vector<std::string>& modes) const {
    WorkerPool::Settings settings{.program = VIRNUCPRO_FAKE_WORKER, .workers = {}};
    for (const std::string& mode : modes) {
      WorkerPool::WorkerConfig place{.name = fmt::format("worker {}", settings.workers.size()),
                                     .visible_gpu = {}};
      place.setup.models.esm2 = mode;
      place.setup.models.lookup.models_dir = folder.path();
      settings.workers.push_back(place);
    }
    settings.schedule.first_delay = 0.01;
    settings.schedule.shortest_hang = 0.5;
    settings.schedule.hang_factor = 100;
    settings.schedule.parts_between_canaries = 4;
    return settings;
  }

  WorkerPool::Settings in_two_precisions(const std::vector<std::string>& modes) const {
    WorkerPool::Settings two = settings(modes);
    for (WorkerPool::WorkerConfig& worker : two.workers) {
      worker.setup.engine.precisions.push_back(Precision::kFp32);
    }
    return two;
  }

  static BatchRequest request(std::uint64_t id, std::optional<std::uint32_t> bad_frame = {}) {
    BatchRequest request;
    request.id = id;
    for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
      const auto token = static_cast<std::uint8_t>(frame == bad_frame ? kBadToken : id % 50);
      request.frames.esm_tokens.insert(request.frames.esm_tokens.end(), {1, token, 2});
      request.frames.esm_offsets.push_back(3 * (frame + 1));
      request.frames.dna_tokens.push_back(static_cast<std::uint16_t>(frame));
      request.frames.dna_offsets.push_back(frame + 1);
    }
    return request;
  }
  // Batch 10 has a bad frame.
  static std::optional<std::uint32_t> bad_frame_of(std::uint64_t id) {
    return id == 10 ? std::optional(3U) : std::nullopt;
  }

  // Checks every batch's results; frames without one are collected in `failed`.
  void run(WorkerPool& pool, bool with_bad_frame = false) {
    const auto make = [&](std::uint64_t id) {
      return request(id, with_bad_frame ? bad_frame_of(id) : std::nullopt);
    };
    std::set<std::uint64_t> answered;
    const auto take = [&](const BatchResult& result) {
      EXPECT_TRUE(answered.insert(result.id).second);
      const BatchResult expected = fake_result(make(result.id));
      for (const FailedFrame& frame : result.failed)
        failed[{result.id, frame.index}] = frame.reason;
      EXPECT_THAT(result.not_finite, IsEmpty());
      for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
        if (failed.count({result.id, frame}) > 0) continue;
        EXPECT_EQ(result.scores[2 * frame], expected.scores[2 * frame]);
        EXPECT_EQ(result.scores[2 * frame + 1], expected.scores[2 * frame + 1]);
      }
    };
    for (std::uint64_t id = 0; id < kBatches; ++id) {
      while (pool.outstanding() >= pool.most_outstanding()) take(pool.receive(true).value());
      pool.submit(make(id));
    }
    while (pool.outstanding() > 0) take(pool.receive(true).value());
    EXPECT_EQ(answered.size(), kBatches);
    EXPECT_FALSE(pool.receive(false));
  }
  void run(const std::vector<std::string>& modes, bool with_bad_frame = false) {
    WorkerPool pool(settings(modes), cancel);
    run(pool, with_bad_frame);
  }
  std::optional<Error> error_of_running(const WorkerPool::Settings& settings) {
    return caught([&] {
      WorkerPool pool(settings, cancel);
      run(pool);
    });
  }

  TemporaryFolder folder;
  Cancel cancel;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::string> failed;
};

TEST_F(WorkerPools, AnswerEveryBatch) {
  for (const std::size_t count : {1U, 2U, 4U}) {
    WorkerPool pool(settings(std::vector<std::string>(count, "good")), cancel);
    EXPECT_EQ(pool.facts().kernel_path, "fake");
    EXPECT_EQ(pool.facts().plan.tokens, 100U);
    EXPECT_EQ(pool.most_outstanding(), count * 3);
    run(pool);
  }
  EXPECT_THAT(failed, IsEmpty());
}

TEST_F(WorkerPools, OutliveOneWorkerThatMisbehaves) {
  for (const char* mode : {"dies:3", "is_killed:1", "hangs:2", "writes_rubbish:4", "device_fails:2",
                           "answers_too_little:1", "answers_another:2", "is_nan:2", "is_slow:20",
                           "dies_at_start", "lacks_memory:7", "is_too_wide", "takes_any_batch"}) {
    run({mode, "good"});
    EXPECT_THAT(failed, IsEmpty()) << mode;
  }
}

TEST_F(WorkerPools, OutliveAFaultOfTheOnlyWorker) {
  for (const char* mode : {"dies:3:once", "is_killed:1:once", "hangs:2:once", "is_nan:2:once",
                           "writes_rubbish:4:once", "dies_at_start::once", "lacks_memory:7"}) {
    run({mode});
    EXPECT_THAT(failed, IsEmpty()) << mode;
  }
}

// The most memory that this process had since the last call, beyond what it has now. 0 under the
// sanitizers, which need memory of their own.
std::uint64_t peak_kib() {
#ifdef VIRNUCPRO_SANITIZED
  return 0;
#else
  const auto number_of = [](const std::string& key) {
    std::ifstream status("/proc/self/status");
    std::string word;
    std::uint64_t number = 0;
    while (status >> word && word != key) {
    }
    status >> number;
    return number;
  };
  const std::uint64_t peak = number_of("VmHWM:");
  const std::uint64_t now = number_of("VmRSS:");
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak is measured anew
  return peak - std::min(peak, now);
#endif
}

TEST_F(WorkerPools, KeepTheirMemoryWhateverAWorkerWrites) {
  for (const char* mode : {"claims_a_long_result:2", "claims_a_long_log_line:2", "logs_for_ever:2",
                           "answers_too_much:2", "traces_long_names:2", "says_a_long_hello"}) {
    peak_kib();
    run({mode, "good"});
    EXPECT_THAT(failed, IsEmpty()) << mode;
    EXPECT_LT(peak_kib(), 32U << 10U) << mode;
  }
}

TEST_F(WorkerPools, KeepTheMemoryOfATraceWhateverAWorkerWrites) {
  for (const char* mode : {"traces_long_names:2", "traces_for_ever:2", "traces:8"}) {
    Tracer::here().start({});
    peak_kib();
    run({mode, "good"});
    EXPECT_THAT(failed, IsEmpty()) << mode;
    EXPECT_LT(peak_kib(), 160U << 10U) << mode;
    Tracer::here().stop();
    std::size_t events = 0;
    for (const auto& process : Tracer::here().drain_all().processes) {
      events += process.part.events.size();
    }
    EXPECT_LE(events, 3 * kMostTraceEvents) << mode;
  }
}

TEST_F(WorkerPools, LeaveOutTheRestOfALongLog) {
  const std::filesystem::path log = folder.path() / "log.txt";
  start_log(LogLevel::kError, log);
  run({"logs:500"});
  const std::string text = read_text(log);
  EXPECT_LT(text.size(), 2U << 20U);
  EXPECT_THAT(text, AllOf(HasSubstr("worker 0: its log is longer than 1 MiB; the rest is left out"),
                          HasSubstr("worker 0: 435 of its log lines were left out")));
  start_log(LogLevel::kError, {});
}

TEST_F(WorkerPools, GiveUpTheFrameThatKillsEveryWorkerOrIsNaNForAll) {
  using Reason = testing::Matcher<std::string>;
  for (const auto& [mode, reason] :
       {std::pair{"dies_on_token",
                  Reason("two worker processes were lost while computing this frame")},
        std::pair{"is_nan_on_token", Reason(HasSubstr("NaN"))}}) {
    for (const std::size_t count : {1U, 3U}) {
      failed.clear();
      run(std::vector<std::string>(count, fmt::format("{}:{}", mode, kBadToken)), true);
      ASSERT_EQ(failed.size(), 1U) << mode;
      EXPECT_EQ(failed.begin()->first, (std::pair<std::uint64_t, std::uint32_t>(10, 3)));
      EXPECT_THAT(failed.begin()->second, reason);
    }
  }
}

TEST_F(WorkerPools, HandOnABatchOfNothingButNaN) {
  WorkerPool pool(settings({"is_nan_on_token:1"}), cancel);  // a token in every frame
  pool.submit(request(0));
  const BatchResult result = pool.receive(true).value();
  EXPECT_EQ(result.not_finite.size(), kFrames);
  EXPECT_THAT(result.failed, IsEmpty());
}

// A frame that is NaN in the first of two precisions is handed on; in the second it is given up.
TEST_F(WorkerPools, HandOnAFrameThatIsNaNInTheFirstOfTwoPrecisions) {
  WorkerPool pool(in_two_precisions({fmt::format("is_nan_on_token_at_first:{}", kBadToken),
                                     fmt::format("is_nan_on_token:{}", kBadToken)}),
                  cancel);
  for (const bool check : {false, true}) {
    BatchRequest first = request(1, 3);
    first.model = check ? kCheckModel : kRunModel;
    pool.submit(std::move(first));
    const BatchResult result = pool.receive(true).value();
    EXPECT_THAT(result.failed, IsEmpty());
    const std::vector<std::uint32_t> expected =
        check ? std::vector<std::uint32_t>() : std::vector{3U};
    EXPECT_EQ(result.not_finite, expected);
  }
}

// A fault of one worker's is none of the frame.
TEST_F(WorkerPools, AskAnotherWorkerWhatIsNaNInTheFirstOfTwoPrecisions) {
  WorkerPool pool(in_two_precisions({"is_nan:1:once"}), cancel);
  pool.submit(request(1));
  EXPECT_THAT(pool.receive(true).value().not_finite, IsEmpty());
}

TEST_F(WorkerPools, LeaveOutAWorkerWhoseCanaryIsWrong) {
  // The first to answer sets the reference, so either may be left out.
  for (const char* mode : {"wrong_canary", "wrong_check_canary"}) {
    WorkerPool::Settings two = in_two_precisions({"good", mode});
    two.schedule.strikes = 1;
    const std::filesystem::path log = folder.path() / "log.txt";
    start_log(LogLevel::kError, log);
    EXPECT_FALSE(error_of_running(two)) << mode;
    start_log(LogLevel::kError, {});
    EXPECT_THAT(read_text(log), HasSubstr("was lost again")) << mode;
  }
}

TEST_F(WorkerPools, EndWithAnErrorThatSaysWhy) {
  struct Ending {
    std::vector<std::string> modes;
    ErrorKind kind;
    std::string file;
    testing::Matcher<std::string> says;
  };
  const auto both = AllOf(HasSubstr("worker 0"), HasSubstr("worker 1"));
  for (const Ending& ending :
       {Ending{{"dies_at_start", "dies_at_start"},
               ErrorKind::kWorkersLost,
               "",
               AllOf(HasSubstr("the last worker lost was worker "),
                     HasSubstr(": it ended with exit code 9"))},
        Ending{{"good", "cannot_load"}, ErrorKind::kWeightsMissing, "a.pth", "it is not there"},
        Ending{{"good", "other_kernel"},
               ErrorKind::kDevice,
               "",
               AllOf(HasSubstr("kernel_path"), HasSubstr("fake-other"), both)},
        Ending{{"good", "other_model"}, ErrorKind::kWeightsChanged, "model.pt", both},
        // One frame needs more memory than there is.
        Ending{{"lacks_memory:2"}, ErrorKind::kOutOfMemory, "", "worker 0: as it was told"}}) {
    const std::optional<Error> error = error_of_running(settings(ending.modes));
    ASSERT_TRUE(error) << ending.modes.back();
    EXPECT_EQ(error->kind(), ending.kind);
    EXPECT_EQ(error->place().file, ending.file);
    EXPECT_THAT(error->detail(), ending.says);
    if (ending.file == "a.pth") {
      EXPECT_EQ(error->remedy(), "Get it.");
    }
  }
}

TEST_F(WorkerPools, EndWhereTheProgramIsNoWorker) {
  WorkerPool::Settings none = settings({"good"});
  none.program = "/bin/true";
  EXPECT_EQ(error_of_running(none).value().kind(), ErrorKind::kWorkersLost);
  none.program = folder.path() / "absent";
  const Error error = error_of_running(none).value();
  EXPECT_EQ(error.kind(), ErrorKind::kWorkersLost);
  EXPECT_EQ(error.detail(),
            "the last worker lost was worker 0: no worker process can be started from " +
                none.program.string() + ": No such file or directory");
}

TEST_F(WorkerPools, StopWaitingOnceCancelled) {
  WorkerPool::Settings slow = settings({"hangs:1"});
  slow.schedule.shortest_hang = 1000;
  WorkerPool pool(slow, cancel);
  pool.submit(request(0));
  cancel.request(SIGTERM);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(thrown_kind([&] { pool.receive(true); }), ErrorKind::kTerminated);
  EXPECT_GE(std::chrono::steady_clock::now() - start, Cancel::kGrace / 2);
  WorkerPool::Settings starting = settings({"hangs_at_start"});
  EXPECT_THROW(WorkerPool(starting, cancel), Error);
}

std::ptrdiff_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

bool has_children() {
  for (const auto& process : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string ids;
    if (std::getline(std::ifstream(process.path() / "children"), ids)) return true;
  }
  return false;
}

TEST_F(WorkerPools, MayEndWithBatchesOutstanding) {
  const auto before = open_files();
  {
    WorkerPool pool(settings({"is_slow:100", "is_slow:100"}), cancel);
    for (std::uint64_t id = 0; id < 4; ++id) pool.submit(request(id));
    EXPECT_TRUE(has_children());
  }
  EXPECT_FALSE(has_children());
  EXPECT_EQ(open_files(), before);
}

TEST_F(WorkerPools, LeaveNoProcessAndNoDescriptorBehind) {
  const auto before = open_files();
  for (int i = 0; i < 3; ++i) run({"is_killed:3:once", "good"});
  EXPECT_EQ(open_files(), before);
  EXPECT_FALSE(has_children());
}

}  // namespace
}  // namespace virnucpro
