#include "download/download_progress.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

constexpr std::size_t kWide = 1000;

TEST(TransferText, SaysWhatIsKnown) {
  TransferState state{.what = "300/300_model.pth", .done = 1'200'000};
  EXPECT_EQ(transfer_text(state, kWide), "300/300_model.pth · 1.20 MB");
  state.total = 4'000'000;
  EXPECT_EQ(transfer_text(state, kWide), "300/300_model.pth · 1.20 MB of 4.00 MB · 30.0 %");
  state.bytes_per_second = 100'000;
  EXPECT_EQ(transfer_text(state, kWide),
            "300/300_model.pth · 1.20 MB of 4.00 MB · 30.0 % · 100.0 kB/s · ETA 0:00:28");
}

TEST(TransferText, RoundsDownToTheEnd) {
  EXPECT_EQ(transfer_text({.what = "a", .done = 999'999, .total = 1'000'000}, kWide),
            "a · 1000.0 kB of 1.00 MB · 99.9 %");
  EXPECT_EQ(transfer_text({.what = "a", .done = 0, .total = 0}, kWide), "a · 0 bytes of 0 bytes");
}

TEST(TransferText, FitsTheTerminal) {
  const TransferState state{.what = "a/b", .done = 5, .total = 10};
  EXPECT_EQ(transfer_text(state, 30), "a/b · 5 bytes of 10 bytes");
  EXPECT_EQ(transfer_text(state, 3), "a/b");
  EXPECT_EQ(transfer_text(state, 2), "");
}

}  // namespace
}  // namespace virnucpro
