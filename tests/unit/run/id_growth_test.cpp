#include "run/id_growth.hpp"

#include <gtest/gtest.h>

#include "base/log.hpp"

namespace virnucpro {
namespace {

// Chunks of one sequence, six frames each.
SequencePart part_of(std::size_t id_bytes, std::uint64_t length, std::uint64_t chunks, bool last) {
  SequencePart part{.id = std::string(id_bytes, 'i'), .length = length, .last = last, .frames = {}};
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::uint8_t name = 0; name < 6; ++name) {
      part.frames.push_back({.chunk = chunk, .name = name});
    }
  }
  return part;
}

class IdGrowths : public testing::Test {
 protected:
  IdGrowths() {
    send_log_to([this](LogLevel level, std::string_view) {
      if (level == LogLevel::kWarning) ++warnings_;
    });
  }
  ~IdGrowths() override { send_log_to({}); }

  std::size_t warnings_of(const SequencePart& part, std::size_t parts) {
    warnings_ = 0;
    IdGrowth growth;
    for (std::size_t i = 0; i < parts; ++i) growth.add(part);
    return warnings_;
  }

 private:
  std::size_t warnings_ = 0;
};

TEST_F(IdGrowths, LongIdsOfManyRowsAreToldOnce) {
  EXPECT_EQ(warnings_of(part_of(4096, 300'000, 1000, true), 3), 1U);
}

TEST_F(IdGrowths, ALongSequenceIsToldBeforeItsEnd) {
  EXPECT_EQ(warnings_of(part_of(60'000, 3'000'000, 100, false), 2), 1U);
}

TEST_F(IdGrowths, UsualOnesAreNot) {
  EXPECT_EQ(warnings_of(part_of(40, 60'000, 1000, true), 1000), 0U);
  EXPECT_EQ(warnings_of(part_of(300, 300'000, 1000, true), 100), 0U);
  EXPECT_EQ(warnings_of(part_of(4096, 300, 1, true), 10), 0U) << "too few to matter";
}

}  // namespace
}  // namespace virnucpro
