#include "base/process.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

TEST(OwnProgram, IsItsFileWhereNothingElseStartsIt) {
  const OwnProgram program = program_of("/usr/local/bin/virnucpro");
  EXPECT_EQ(program.file, "/usr/local/bin/virnucpro");
  EXPECT_EQ(program.prefix, "/usr/local");
  EXPECT_FALSE(program.by_carried_loader);
}

TEST(OwnProgram, IsThePackagesLauncher) {
  const OwnProgram program = program_of("/opt/a folder/libexec/virnucpro");
  EXPECT_EQ(program.file, "/opt/a folder/bin/virnucpro");
  EXPECT_EQ(program.prefix, "/opt/a folder");
  EXPECT_FALSE(program.by_carried_loader);
}

TEST(OwnProgram, IsThePackagesLauncherAlsoByTheCarriedLoader) {
  const OwnProgram program = program_of("/opt/a folder/lib/virnucpro/glibc/ld-linux-x86-64.so.2");
  EXPECT_EQ(program.file, "/opt/a folder/bin/virnucpro");
  EXPECT_EQ(program.prefix, "/opt/a folder");
  EXPECT_TRUE(program.by_carried_loader);
}

TEST(OwnProgram, IsItsFileInFoldersOfOtherNames) {
  for (const char* file :
       {"/lib64/ld-linux-x86-64.so.2", "/a/virnucpro/glibc/ld-linux-x86-64.so.2",
        "/a/lib/virnucpro/glibc/ld.so", "/a/libexec2/virnucpro", "/libexec/other"}) {
    EXPECT_EQ(program_of(file).file, file);
  }
}

TEST(OwnProgram, IsFoundInThisProcess) {
  const OwnProgram program = own_program();
  EXPECT_EQ(program.file, std::filesystem::canonical("/proc/self/exe"));
  EXPECT_EQ(program.prefix, program.file.parent_path().parent_path());
  EXPECT_EQ(std::filesystem::canonical(same_program()), program.file);
}

}  // namespace
}  // namespace virnucpro
