#include "base/processors.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>
#include <thread>

#include "base/temporary_folder.hpp"

namespace virnucpro {
namespace {

// A folder like /sys with one device.
struct StayNear : testing::Test {
  // The processors that a thread may use after it was restricted to those near the device.
  std::size_t usable_near(const std::string& list, const std::string& pci = "0000:3b:00.0") {
    const auto device = system.path() / "bus/pci/devices/0000:3b:00.0";
    std::filesystem::create_directories(device);
    std::ofstream(device / "local_cpulist") << list << "\n";
    std::size_t count = 0;
    std::thread([&] {
      stay_near_device(pci, system.path());
      count = usable_processors();
    }).join();
    return count;
  }
  static std::string first_processor() {
    cpu_set_t usable;
    EXPECT_EQ(::sched_getaffinity(0, sizeof usable, &usable), 0);
    int first = 0;
    while (!CPU_ISSET(static_cast<std::size_t>(first), &usable)) ++first;
    return std::to_string(first);
  }

  TemporaryFolder system;
  const std::size_t all = usable_processors();
};

TEST_F(StayNear, KeepsToTheProcessorsOfTheDevice) {
  EXPECT_EQ(usable_near(first_processor()), 1U);
  EXPECT_EQ(usable_near(first_processor() + ",16000-16001"), 1U);
  EXPECT_EQ(usable_near("0-16383"), all);
}

TEST_F(StayNear, ChangesNothingWhereNoneIsKnownOrMayBeUsed) {
  for (const char* list : {"", "x", "16000", "3-", "-", "99999999999", ",,", "0-99999999999"}) {
    EXPECT_EQ(usable_near(list), all) << list;
  }
  EXPECT_EQ(usable_near("0", ""), all);
  EXPECT_EQ(usable_near("0", "0000:00:00.0"), all);
}

}  // namespace
}  // namespace virnucpro
