#include "base/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <thread>

namespace virnucpro {

std::size_t usable_processors() {
  std::array<cpu_set_t, 16> sets{};  // of 1,024 processors each
  if (::sched_getaffinity(0, sizeof sets, sets.data()) != 0) {
    return std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  }
  const int count = CPU_COUNT_S(sizeof sets, sets.data());
  return static_cast<std::size_t>(std::max(count, 1));
}

}  // namespace virnucpro
