#include "download/model_places.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

std::uint64_t most_of(const std::string& model, const TableFile& file) {
  const TempDir folder;
  const TableModel row{.name = model};
  return expected_file(row, file, plain_place(folder.path(), row), {}).most;
}

TEST(ExpectedFile, HasAMostEvenIfNoSizeIsPublished) {
  EXPECT_EQ(most_of("m", {.name = "model.pt", .bytes_about = 1000}), 1020U);
  EXPECT_EQ(most_of("m", {.name = "config.json"}), kMaxJsonBytes);
  EXPECT_EQ(most_of("500", {.name = "500_model.pth"}), 1U << 30U);
  EXPECT_EQ(most_of("m", {.name = "model.pt"}), kMostWeightBytes);
}

}  // namespace
}  // namespace virnucpro
