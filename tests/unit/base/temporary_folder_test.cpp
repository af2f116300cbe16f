#include "base/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "unit/temp_dir.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolders, AreRemovedByASignalHandlerToo) {
  const TempDir temp;
  write_text(temp / "file", "text");
  fs::create_directory(temp / "tmp");
  const ScopedVariable place("TMPDIR", (temp / "tmp").string());
  const TemporaryFolder one;
  const TemporaryFolder other;
  { const TemporaryFolder gone; }
  fs::create_directories(one.path() / "run" / "logs");
  for (std::size_t k = 1; k <= 100; ++k) {
    write_text(one.path() / "run" / std::string(k, 'x'), "text");
  }
  fs::create_directory_symlink(temp.path(), other.path() / "link");
  remove_temporary_folders();
  EXPECT_TRUE(fs::is_empty(temp / "tmp"));
  EXPECT_TRUE(fs::exists(temp / "file"));
}

}  // namespace
}  // namespace virnucpro
