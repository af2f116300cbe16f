#include "tensor/host_buffer.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

TEST(HostBuffer, IsAlignedAtEverySize) {
  for (const std::size_t bytes : {1U, 63U, 4096U, 5U << 20U}) {
    const HostBuffer buffer(Purpose::kStaging, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U) << bytes;
    EXPECT_EQ(buffer.bytes(), bytes);
  }
}

TEST(HostBuffer, CountsBytesByPurposeAcrossMoves) {
  const std::uint64_t before = host_memory(Purpose::kStaging).current;
  {
    HostBuffer first(Purpose::kStaging, 100);
    HostBuffer second(std::move(first));
    EXPECT_EQ(host_memory(Purpose::kStaging).current, before + 100);
    second = HostBuffer(Purpose::kStaging, 10);
    EXPECT_EQ(host_memory(Purpose::kStaging).current, before + 10);
  }
  EXPECT_EQ(host_memory(Purpose::kStaging).current, before);
  EXPECT_GE(host_memory(Purpose::kStaging).peak, before + 110);
}

TEST(HostArray, RefusesSizesThatDoNotFit) {
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_THAT(
      reason_of(ErrorKind::kOutOfMemory, [&] { HostArray<float>(Purpose::kWeights, most / 2); }),
      testing::HasSubstr("weights"));
  EXPECT_THROW(checked_elements(Purpose::kActivations, most, 2), Error);
}

TEST(HostArray, RunningOutOfMemoryNamesBytesAndLeavesTheProcessWorking) {
  EXPECT_THAT(reason_of(ErrorKind::kOutOfMemory,
                        [] { HostBuffer(Purpose::kScratch, std::size_t{1} << 62U); }),
              testing::AllOf(testing::HasSubstr("4611686018427387904 bytes"),
                             testing::HasSubstr("scratch")));
  const HostArray<float> after(Purpose::kScratch, 8);
  EXPECT_EQ(after.size(), 8U);
}

}  // namespace
}  // namespace virnucpro
