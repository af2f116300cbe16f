#include "base/threads.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/thread_pool.hpp"

namespace virnucpro {
namespace {

TEST(Threads, LeaveSignalsFromOutsideToOthers) {
  sigset_t inside;
  ::sigemptyset(&inside);
  start_thread([&inside] { ::pthread_sigmask(SIG_SETMASK, nullptr, &inside); }).join();
  EXPECT_TRUE(sigismember(&inside, SIGTERM));
  EXPECT_FALSE(sigismember(&inside, SIGXCPU));  // that ends a decoder which takes too long
  sigset_t here;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &here);
  EXPECT_FALSE(sigismember(&here, SIGTERM));
}

TEST(Repeater, RepeatsUntilItEnds) {
  std::atomic<int> calls{0};
  {
    const Repeater repeater(std::chrono::milliseconds(1), [&calls] { ++calls; });
    while (calls < 3) std::this_thread::yield();
  }
  const int before = calls;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(calls, before);
}

TEST(Repeater, DoesNotWaitForItsInterval) {
  const auto start = std::chrono::steady_clock::now();
  {
    const Repeater repeater(std::chrono::hours(1), [] { ADD_FAILURE(); });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(ThreadPool, CallsEveryIndexOnce) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    for (const std::size_t count : {0U, 1U, 3U, 1000U}) {
      std::vector<std::atomic<int>> calls(count);
      pool.parallel_for(count, [&](std::size_t index, std::size_t thread) {
        EXPECT_LT(thread, threads);
        ++calls[index];
      });
      for (const auto& call : calls) EXPECT_EQ(call, 1);
    }
  }
}

TEST(ThreadPool, RethrowsAndWorksAgain) {
  for (const std::size_t threads : {1U, 4U}) {
    ThreadPool pool(threads);
    std::atomic<std::size_t> calls = 0;
    const auto fail = [&](std::size_t index, std::size_t) {
      ++calls;
      if (index == 3) throw std::runtime_error("third");
    };
    EXPECT_THROW(pool.parallel_for(1U << 20U, fail), std::runtime_error);
    EXPECT_LT(calls, 1U << 20U);
    calls = 0;
    pool.parallel_for(100, [&](std::size_t, std::size_t) { ++calls; });
    EXPECT_EQ(calls, 100U);
  }
}

}  // namespace
}  // namespace virnucpro
