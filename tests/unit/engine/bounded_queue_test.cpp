#include "engine/bounded_queue.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace virnucpro {
namespace {

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

}  // namespace
}  // namespace virnucpro
