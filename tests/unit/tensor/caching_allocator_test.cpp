#include "tensor/caching_allocator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20U;

// A device with this many bytes; its addresses are only numbers.
class Device {
 public:
  explicit Device(std::size_t bytes) : free_(bytes) {}

  MemorySource source() {
    return {.allocate = [this](std::size_t bytes) { return allocate(bytes); },
            .release = [this](void* memory) { release(memory); }};
  }
  std::size_t free() const { return free_; }
  std::size_t pieces() const { return sizes_.size(); }

 private:
  void* allocate(std::size_t bytes) {
    if (bytes > free_) return nullptr;
    free_ -= bytes;
    next_ += 1U << 30U;
    auto* const memory = reinterpret_cast<void*>(next_);  // NOLINT: never looked into
    sizes_[memory] = bytes;
    return memory;
  }
  void release(void* memory) {
    ASSERT_TRUE(sizes_.contains(memory)) << "released twice, or never given";
    free_ += sizes_[memory];
    sizes_.erase(memory);
  }

  std::size_t free_;
  std::uintptr_t next_ = 0;
  std::map<void*, std::size_t> sizes_;
};

struct CachedDevice : testing::Test {
  Device device{100 * kMiB};
  CachingAllocator allocator{device.source()};
};

TEST_F(CachedDevice, KnowsHowMuchWasInUseAtOnce) {
  void* const weights = allocator.allocate(Purpose::kWeights, 30 * kMiB);
  allocator.give_back(weights);
  void* const scratch = allocator.allocate(Purpose::kScratch, 20 * kMiB);
  EXPECT_EQ(allocator.use().current, 20 * kMiB);
  EXPECT_EQ(allocator.use().peak, 30 * kMiB);  // not 50: they were not in use at once
  allocator.give_back(scratch);
  EXPECT_EQ(allocator.use().current, 0U);
}

TEST_F(CachedDevice, AsksItsSourceOnlyOnce) {
  for (int batch = 0; batch < 10; ++batch) {
    void* const x = allocator.allocate(Purpose::kActivations, 30 * kMiB);
    void* const y = allocator.allocate(Purpose::kActivations, 20 * kMiB);
    EXPECT_NE(x, y);
    allocator.give_back(x);
    allocator.give_back(y);
  }
  EXPECT_EQ(allocator.asked(), 2U);
  EXPECT_EQ(allocator.kept(), 50 * kMiB);
}

TEST_F(CachedDevice, WastesNoLargePiece) {
  allocator.give_back(allocator.allocate(Purpose::kActivations, 40 * kMiB));
  void* const other = allocator.allocate(Purpose::kActivations, 20 * kMiB);
  EXPECT_EQ(allocator.asked(), 2U);
  EXPECT_EQ(allocator.kept(), 40 * kMiB);
  allocator.give_back(allocator.allocate(Purpose::kActivations, 36 * kMiB));
  EXPECT_EQ(allocator.asked(), 2U) << "an eighth of waste is allowed";
  allocator.give_back(other);
}

TEST_F(CachedDevice, GivesBackWhatItKeepsBeforeItFails) {
  allocator.give_back(allocator.allocate(Purpose::kActivations, 60 * kMiB));
  void* const large = allocator.allocate(Purpose::kActivations, 90 * kMiB);
  EXPECT_EQ(device.free(), 10 * kMiB);
  EXPECT_EQ(allocator.kept(), 0U);
  allocator.give_back(large);
}

TEST_F(CachedDevice, SaysWhatItHadNoMemoryFor) {
  for (const std::size_t bytes : {101 * kMiB, SIZE_MAX, SIZE_MAX - kMiB}) {
    EXPECT_THAT(
        reason_of(ErrorKind::kOutOfMemory, [&] { allocator.allocate(Purpose::kWeights, bytes); }),
        HasSubstr("weights"));
  }
  allocator.give_back(allocator.allocate(Purpose::kWeights, 100 * kMiB));
}

TEST_F(CachedDevice, CountsByPurpose) {
  void* const weights = allocator.allocate(Purpose::kWeights, 10 * kMiB);
  void* const batch = allocator.allocate(Purpose::kActivations, 1);
  EXPECT_EQ(allocator.use(Purpose::kWeights).current, 10 * kMiB);
  EXPECT_EQ(allocator.use(Purpose::kActivations).current, 512U);
  allocator.give_back(batch);
  EXPECT_EQ(allocator.use(Purpose::kActivations).current, 0U);
  EXPECT_EQ(allocator.use(Purpose::kActivations).peak, 512U);
  allocator.give_back(weights);
  allocator.trim();
  EXPECT_EQ(device.pieces(), 0U);
}

TEST(CachingAllocator, ReturnsEverythingInTheEnd) {
  Device device(100 * kMiB);
  {
    CachingAllocator allocator(device.source());
    allocator.give_back(allocator.allocate(Purpose::kScratch, kMiB));
    allocator.give_back(allocator.allocate(Purpose::kScratch, 7));
  }
  EXPECT_EQ(device.pieces(), 0U);
  EXPECT_EQ(device.free(), 100 * kMiB);
}

}  // namespace
}  // namespace virnucpro
