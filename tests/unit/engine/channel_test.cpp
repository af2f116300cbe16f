#include "engine/channel.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>

namespace virnucpro {
namespace {

TEST(MessageWriter, CountsTheMessagesOfWhichTheOtherSideHasNotGotAll) {
  const ChannelEnds ends = make_channel();
  MessageWriter writer(ends.one.get());
  writer.add("a short one");
  writer.write();
  EXPECT_EQ(writer.unsent(), 0U);

  constexpr std::size_t kMoreThanASocketHolds = 64U << 20U;
  writer.add(std::string(kMoreThanASocketHolds, 'x'));
  writer.add("behind it");
  writer.write();
  EXPECT_TRUE(writer.has_more());
  EXPECT_EQ(writer.unsent(), 2U);
}

TEST(MessageWriter, KeepsTheCountOnceTheConnectionIsBroken) {
  ChannelEnds ends = make_channel();
  MessageWriter writer(ends.one.get());
  ends.other = UniqueFd();
  writer.add("nobody is there");
  writer.write();
  EXPECT_FALSE(writer.has_more()) << "nothing is to be waited for";
  writer.add("nor now");
  writer.write();
  EXPECT_EQ(writer.unsent(), 2U);
}

}  // namespace
}  // namespace virnucpro
