#include "run/ordered_pipeline.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace virnucpro {
namespace {

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
