#include "engine/worker.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <iterator>

#include "base/error.hpp"
#include "unit/engine/tiny_models.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kDozen = 12;

// The parameter is the number of batches that may wait for the worker.
struct Workers : testing::TestWithParam<std::size_t> {
  static BatchRequest request(std::uint64_t id) {
    std::mt19937 random(static_cast<unsigned>(id));
    return request_of(id, {random_frame(random, 1 + id), random_frame(random, 40)});
  }

  Cancel cancel;
  const std::unique_ptr<Engine> engine =
      make_engine(tiny_models(), {.threads = 2, .outputs = {}}, cancel);
};

TEST_P(Workers, AnswerInTheOrderSubmitted) {
  Worker worker(*engine, GetParam());
  const auto alone = make_engine(tiny_models(), {.threads = 2, .outputs = {}}, cancel);
  std::uint64_t received = 0;
  const auto check = [&](const BatchResult& result) {
    EXPECT_EQ(result.id, received);
    EXPECT_EQ(result.scores, alone->run(request(received)).scores);
    ++received;
  };
  EXPECT_FALSE(worker.receive(false));
  for (std::uint64_t id = 0; id < kDozen; ++id) {
    worker.submit(request(id));
    EXPECT_EQ(worker.outstanding(), id + 1 - received);
    while (const auto result = worker.receive(false)) check(*result);
  }
  while (worker.outstanding() > 0) check(worker.receive(true).value());
  EXPECT_EQ(received, kDozen);
  EXPECT_FALSE(worker.receive(false));
}

TEST_P(Workers, HandOnWhatTheEngineThrowsAndTakeNoMoreWork) {
  Worker worker(*engine, GetParam());
  cancel.request_now(SIGTERM);
  // None of these calls waits for room, which a failed engine never makes.
  for (std::uint64_t id = 0; id < kDozen; ++id) worker.submit(request(id));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(thrown_kind([&] { worker.receive(true); }), ErrorKind::kTerminated);
  }
}

TEST_P(Workers, HandOutWhatWasDoneBeforeAFailure) {
  Worker worker(*engine, GetParam());
  worker.submit(request(0));
  EXPECT_EQ(worker.receive(true).value().id, 0U);
  BatchRequest broken = request(1);
  broken.frames.esm_tokens.front() = 200;  // no such token
  worker.submit(request(2));
  worker.submit(std::move(broken));
  EXPECT_EQ(worker.receive(true).value().id, 2U);
  EXPECT_THROW(worker.receive(true), Error);
}

TEST_P(Workers, MayEndWithBatchesOutstanding) {
  const auto threads = [] {
    const std::filesystem::directory_iterator all("/proc/self/task");
    return std::distance(begin(all), end(all));
  };
  const auto before = threads();
  {
    Worker worker(*engine, GetParam());
    for (std::uint64_t id = 0; id < GetParam(); ++id) worker.submit(request(id));
    EXPECT_EQ(worker.outstanding(), GetParam());
    EXPECT_GT(threads(), before);
  }
  EXPECT_EQ(threads(), before);
}

INSTANTIATE_TEST_SUITE_P(InFlight, Workers, testing::Values(1, 4));

}  // namespace
}  // namespace virnucpro
