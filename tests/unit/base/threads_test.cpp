#include "base/threads.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/bounded_queue.hpp"
#include "base/ordered_pipeline.hpp"
#include "base/repeater.hpp"
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

TEST(BoundedQueue, KeepsOrderWithinItsCapacity) {
  BoundedQueue<int> queue(2);
  std::thread producer([&] {
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(queue.push(i));
    queue.close();
  });
  for (int i = 0; i < 500; ++i) EXPECT_EQ(queue.pop(), i);
  EXPECT_FALSE(queue.pop());
  producer.join();
}

TEST(BoundedQueue, CloseWakesAndRefusesButKeepsWhatIsIn) {
  BoundedQueue<int> queue(1);
  EXPECT_TRUE(queue.push(1));
  std::thread producer([&] { EXPECT_FALSE(queue.push(2)); });
  queue.close();
  producer.join();
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_FALSE(queue.pop());
}

// A source that counts up to `count`, then ends.
std::function<std::optional<int>()> counter(int count) {
  return
      [next = 0, count]() mutable { return next < count ? std::optional(next++) : std::nullopt; };
}

TEST(OrderedPipeline, KeepsTheOrderOfTheSource) {
  for (const std::size_t threads : {1U, 4U}) {
    for (const std::size_t window : {1U, 2U, 64U}) {
      OrderedPipeline<int, int> pipeline(threads, window, counter(500), [](int item) {
        if (item % 7 == 0) std::this_thread::yield();
        return 2 * item;
      });
      for (int i = 0; i < 500; ++i) ASSERT_EQ(pipeline.next(), 2 * i);
      EXPECT_FALSE(pipeline.next());
      EXPECT_FALSE(pipeline.next());
    }
  }
}

TEST(OrderedPipeline, AnEmptySourceEndsAtOnce) {
  OrderedPipeline<int, int> pipeline(3, 2, counter(0), [](int item) { return item; });
  EXPECT_FALSE(pipeline.next());
}

TEST(OrderedPipeline, HoldsAtMostItsWindow) {
  std::atomic<int> taken = 0;
  std::atomic<int> given = 0;
  constexpr int kWindow = 3;
  OrderedPipeline<int, int> pipeline(
      4, kWindow,
      [&]() -> std::optional<int> {
        EXPECT_LE(taken - given, kWindow);
        return taken < 300 ? std::optional(taken++) : std::nullopt;
      },
      [](int item) { return item; });
  for (int i = 0; i < 300; ++i) {
    ++given;  // before, as next() makes room
    ASSERT_EQ(pipeline.next(), i);
  }
}

TEST(OrderedPipeline, AnExceptionOfTheWorkComesAtItsPlace) {
  for (const std::size_t threads : {1U, 4U}) {
    OrderedPipeline<int, int> pipeline(threads, 8, counter(100), [](int item) {
      if (item == 20 || item == 22) throw std::runtime_error(std::to_string(item));
      return item;
    });
    for (int i = 0; i < 20; ++i) ASSERT_EQ(pipeline.next(), i);
    try {
      pipeline.next();
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "20");
    }
    EXPECT_FALSE(pipeline.next());
  }
}

TEST(OrderedPipeline, AnExceptionOfTheSourceComesAtItsPlace) {
  for (const std::size_t threads : {1U, 4U}) {
    OrderedPipeline<int, int> pipeline(
        threads, 8,
        [next = 0]() mutable -> std::optional<int> {
          if (next == 30) throw std::runtime_error("source");
          return next++;
        },
        [](int item) { return item; });
    for (int i = 0; i < 30; ++i) ASSERT_EQ(pipeline.next(), i);
    EXPECT_THROW(pipeline.next(), std::runtime_error);
    EXPECT_FALSE(pipeline.next());
  }
}

TEST(OrderedPipeline, AnItemReadWhileWorkFailsIsNotWaitedFor) {
  std::atomic<bool> failed = false;
  OrderedPipeline<int, int> pipeline(
      2, 8,
      [&, next = 0]() mutable -> std::optional<int> {
        while (next == 1 && !failed) std::this_thread::yield();
        return next++;
      },
      [](int item) -> int { throw std::runtime_error(std::to_string(item)); });
  EXPECT_THROW(pipeline.next(), std::runtime_error);
  failed = true;
  EXPECT_FALSE(pipeline.next());
}

TEST(OrderedPipeline, AFailureAfterTheEndChangesNothing) {
  std::atomic<bool> first_seen = false;
  std::atomic<int> working = 0;
  OrderedPipeline<int, int> pipeline(2, 2, counter(2), [&](int item) -> int {
    ++working;
    while (working < 2 || (item == 1 && !first_seen)) std::this_thread::yield();
    throw std::runtime_error(std::to_string(item));
  });
  EXPECT_THROW(pipeline.next(), std::runtime_error);
  first_seen = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(pipeline.next());
}

TEST(OrderedPipeline, MayBeLeftEarly) {
  for (int taken = 0; taken < 20; ++taken) {
    OrderedPipeline<int, std::unique_ptr<int>> pipeline(
        4, 2, counter(1000), [](int item) { return std::make_unique<int>(item); });
    for (int i = 0; i < taken; ++i) EXPECT_EQ(**pipeline.next(), i);
  }
}

}  // namespace
}  // namespace virnucpro
