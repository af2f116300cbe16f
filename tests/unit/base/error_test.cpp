#include "base/error.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace virnucpro {
namespace {

using enum ErrorKind;
using testing::ElementsAre;

std::vector<ErrorKind> kinds_of(ErrorClass one) {
  std::vector<ErrorKind> kinds;
  for (const ErrorInfo& info : error_table()) {
    if (info.is(one)) kinds.push_back(info.kind);
  }
  return kinds;
}

TEST(ErrorTable, IsInTheOrderOfTheKindsAndHoldsEachOnce) {
  const auto table = error_table();
  ASSERT_EQ(table.size(), static_cast<std::size_t>(ErrorKind::kTerminated) + 1);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(table[i].kind), i) << table[i].name;
    EXPECT_TRUE(names.insert(table[i].name).second) << table[i].name;
    EXPECT_FALSE(table[i].summary.empty());
    EXPECT_TRUE(table[i].remedy.ends_with('.')) << table[i].name;
    EXPECT_EQ(&error_info(table[i].kind), &table[i]);
  }
}

TEST(ErrorTable, HasOnlyDocumentedExitCodes) {
  std::set<int> documented;
  for (const ExitCode& code : exit_codes()) EXPECT_TRUE(documented.insert(code.code).second);
  EXPECT_EQ(documented, (std::set<int>{0, 1, 2, 3, 4, 130, 143}));
  for (const ErrorInfo& info : error_table()) EXPECT_TRUE(documented.contains(info.exit_code));
}

TEST(ErrorTable, KnowsTheKindsOfAnInputAndOfAFile) {
  EXPECT_THAT(
      kinds_of(ErrorClass::kOneInput),
      ElementsAre(kUsage, kInputMissing, kInputRead, kInputFormat, kInputTruncated, kInputCorrupt,
                  kInputChanged, kInputMalformed, kInputTooLong, kInputRna, kInputReference));
  EXPECT_THAT(kinds_of(ErrorClass::kFile),
              ElementsAre(kInputMissing, kInputRead, kInputFormat, kInputTruncated, kInputCorrupt,
                          kInputChanged, kInputMalformed, kInputTooLong, kInputRna, kInputReference,
                          kWeightsMissing, kWeightsRead, kWeightsChanged, kWeightsFormat,
                          kWeightsTruncated, kWeightsCorrupt, kWeightsTensor, kWeightsNotFinite,
                          kPickleForbidden, kPickleTooLarge, kJson));
  EXPECT_THAT(
      kinds_of(ErrorClass::kDamage),
      ElementsAre(kInputFormat, kInputTruncated, kInputCorrupt, kInputMalformed, kInputTooLong));
  EXPECT_THAT(kinds_of(ErrorClass::kGeneralRemedy),
              ElementsAre(kInputMissing, kInputRead, kInputTruncated, kWeightsRead, kJson));
}

TEST(ErrorTable, KnowsTheKindsThatEndARun) {
  EXPECT_THAT(kinds_of(ErrorClass::kStop), ElementsAre(kInterrupted, kTerminated));
  EXPECT_THAT(kinds_of(ErrorClass::kResumable),
              ElementsAre(kDeviceFailed, kWorkersLost, kOutputWrite, kOutOfMemory, kTooManyFiles,
                          kInterrupted, kTerminated));
  EXPECT_THAT(kinds_of(ErrorClass::kAdvisesResume),
              ElementsAre(kWorkersLost, kInterrupted, kTerminated));
  EXPECT_THAT(kinds_of(ErrorClass::kOutput), ElementsAre(kOutputExists, kOutputWrite, kNoSpace));
  EXPECT_THAT(kinds_of(ErrorClass::kJournal), ElementsAre(kJournalDamaged, kJournalMismatch));
  EXPECT_THAT(kinds_of(ErrorClass::kServer), ElementsAre(kNetwork, kDownloadMismatch));
}

TEST(ErrorTable, LetsEveryRemedyThatSaysToResumeBeReplaced) {
  for (const ErrorInfo& info : error_table()) {
    if (info.is(ErrorClass::kAdvisesResume)) {
      EXPECT_TRUE(info.is(ErrorClass::kResumable)) << info.name;
      EXPECT_THAT(info.remedy, testing::HasSubstr("predict --resume")) << info.name;
    }
  }
}

TEST(Error, IsOfTheClassesOfItsKind) {
  const Error error(ErrorKind::kInputCorrupt, "");
  EXPECT_TRUE(error.is(ErrorClass::kDamage));
  EXPECT_FALSE(error.is(ErrorClass::kStop));
  EXPECT_TRUE(error.has_usual_remedy());
  EXPECT_FALSE(Error(error).advised("Give another file.").has_usual_remedy());
}

TEST(Error, SaysWhereWhatAndWhy) {
  const Error whole(ErrorKind::kInputTruncated,
                    Place{.file = "reads.fq.gz", .record = 12, .offset = 3456}, "gzip is cut");
  EXPECT_STREQ(whole.what(),
               "reads.fq.gz: record 12, byte 3456: input ends too early: gzip is cut");
  const Error tensor(ErrorKind::kWeightsTensor, Place{.file = "m.pt", .tensor = "a.b"}, "gone");
  EXPECT_STREQ(tensor.what(), "m.pt: tensor a.b: model does not have the expected tensors: gone");
  const Error offset(ErrorKind::kJson, Place{.file = "x.json", .offset = 7}, "");
  EXPECT_STREQ(offset.what(), "x.json: byte 7: JSON cannot be read");
  EXPECT_STREQ(Error(ErrorKind::kInternal, "odd").what(), "this is a bug: odd");
}

TEST(Error, ShowsNamesOfAnyKindInOneShortLine) {
  const std::string name("a\0\x1b[2J\n", 7);
  const Error odd(ErrorKind::kWeightsTensor, Place{.file = "m.pt", .tensor = name}, "of no use");
  EXPECT_STREQ(odd.what(),
               "m.pt: tensor a\\x00\\x1b[2J\\x0a: model does not have the expected tensors: of no "
               "use");
  std::string wide = "x";
  for (int i = 0; i < 5000; ++i) wide += "\u00e9";
  const std::string text = Error(ErrorKind::kJson, Place{.file = wide, .offset = 7}, wide).what();
  EXPECT_EQ(text.find(wide.substr(0, 2047) + "…: byte 7: JSON cannot be read: x"), 0U);
  EXPECT_LT(text.size(), 4200U);
}

TEST(ErrorOf, KnowsALackOfDescriptorsOrMemoryAndABrokenDisk) {
  const auto kind_of = [](int number) {
    return error_of(std::system_error(number, std::generic_category())).kind();
  };
  EXPECT_EQ(kind_of(EMFILE), ErrorKind::kTooManyFiles);
  EXPECT_EQ(kind_of(ENFILE), ErrorKind::kTooManyFiles);
  EXPECT_EQ(kind_of(ENOMEM), ErrorKind::kOutOfMemory);
  EXPECT_EQ(kind_of(EIO), ErrorKind::kInputRead);
  EXPECT_EQ(kind_of(EACCES), ErrorKind::kInternal);
}

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
