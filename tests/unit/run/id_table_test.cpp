#include "run/id_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

std::string reason(const std::filesystem::path& file, auto action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInputMalformed);
    EXPECT_EQ(error.place().file, file.string());
    return error.detail();
  }
  return {};
}

TEST(IdTables, HaveARowForEachId) {
  const TempDir folder;
  write_text(folder / "t", "# labels\r\na\tvirus\r\n\nb b\tothers");
  IdTable table(folder / "t");
  EXPECT_EQ(table.take("a"), "virus");
  EXPECT_EQ(table.take("c"), "");
  EXPECT_EQ(table.take("b b"), "others");
  table.require_all_used();
  EXPECT_EQ(reason(folder / "t", [&] { table.take("a"); }),
            "line 2: a: the runs have two sequences of this id");
}

TEST(IdTables, NameTheLineOfABadRow) {
  const TempDir folder;
  for (const char* row : {"a", "a\tb\tc", "\tvirus"}) {
    write_text(folder / "t", std::string("x\ty\n") + row + "\n");
    EXPECT_EQ(reason(folder / "t", [&] { const IdTable table(folder / "t"); }),
              "line 2: expected an id, one tab and a value");
  }
  write_text(folder / "t", "x\ty\nz\ty\nx\tw\nz\tw\n");
  EXPECT_EQ(reason(folder / "t", [&] { const IdTable table(folder / "t"); }),
            "line 3: x is in line 1 already (and 1 more ids like it)");
  write_text(folder / "t", "x\t" + std::string(1U << 21U, 'y') + "\n");
  EXPECT_EQ(reason(folder / "t", [&] { const IdTable table(folder / "t"); }),
            "line 1: the line is too long");
}

TEST(IdTables, NameTheFirstUnknownIdAndCountTheOthers) {
  const TempDir folder;
  write_text(folder / "t", "d\t1\nb\t1\nc\t1\na\t1\n");
  IdTable table(folder / "t");
  table.take("d");
  EXPECT_EQ(reason(folder / "t", [&] { table.require_all_used(); }),
            "line 2: b: no run has a sequence of this id (and 2 more ids like it)");
  table.take("c");
  table.take("a");
  EXPECT_EQ(reason(folder / "t", [&] { table.require_all_used(); }),
            "line 2: b: no run has a sequence of this id");
}

TEST(IdTables, HaveAHashOfTheirRows) {
  const TempDir folder;
  const auto hash_of = [&](const std::string& text) {
    write_text(folder / "t", text);
    return IdTable(folder / "t").hash();
  };
  EXPECT_EQ(hash_of("a\tb\n"), hash_of("# other\na\tb"));
  EXPECT_NE(hash_of("a\tb\n"), hash_of("a\tc\n"));
}

}  // namespace
}  // namespace virnucpro
