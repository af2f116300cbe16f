#include "base/error_of.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace virnucpro {
namespace {

TEST(ErrorOf, TakesAThreadThatCannotBeStartedForLackOfMemory) {
  const std::system_error no_thread(std::make_error_code(std::errc::resource_unavailable_try_again),
                                    "thread");
  EXPECT_EQ(error_of(no_thread).kind(), ErrorKind::kOutOfMemory);
  EXPECT_EQ(error_of(std::bad_alloc{}).kind(), ErrorKind::kOutOfMemory);
}

TEST(ErrorOf, IsTheProgramsOwnAsItIs) {
  const Error own(ErrorKind::kUsage, "odd");
  EXPECT_EQ(error_of(own).kind(), ErrorKind::kUsage);
  EXPECT_STREQ(error_of(own).what(), own.what());
}

TEST(ErrorOf, TakesAllElseForABug) {
  const std::system_error other(std::make_error_code(std::errc::invalid_argument), "thread");
  EXPECT_EQ(error_of(other).kind(), ErrorKind::kInternal);
  EXPECT_EQ(error_of(std::logic_error("odd")).kind(), ErrorKind::kInternal);
}

}  // namespace
}  // namespace virnucpro
