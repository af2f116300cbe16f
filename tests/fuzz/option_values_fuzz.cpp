// The small languages of option values, which a journal's settings and model names hold, too: a
// text is refused with a typed error, or means the same when it is written and read again.

#include "base/cancel.hpp"
#include "fuzz/target.hpp"
#include "measure/datasets/length_distribution.hpp"
#include "run/frame_stream.hpp"
#include "run/run_fingerprint.hpp"
#include "weights/synthetic.hpp"

namespace {

using virnucpro::fuzz::may_refuse;
using virnucpro::fuzz::require;

template <typename Read>
void read(const Read& read_one) {
  may_refuse(read_one, {virnucpro::ErrorKind::kUsage});
}

void read_lengths(std::string_view text) {
  if (text.starts_with("from:")) return;  // a file of any name
  const virnucpro::Cancel never;
  const auto lengths = virnucpro::parse_lengths(text, "--length", never);
  const std::string again = virnucpro::lengths_text(lengths);
  require(virnucpro::is_possible(lengths));
  require(virnucpro::lengths_text(virnucpro::parse_lengths(again, "--length", never)) == again);
  for (std::uint64_t index = 0; index < 4; ++index) {
    require(virnucpro::draw_length(lengths, 1, index) <= virnucpro::kMaxLetters);
  }
}

void read_decimal(std::string_view text) {
  if (const auto number = virnucpro::parse_decimal(text)) {
    const std::string again = virnucpro::decimal_text(*number);
    require(virnucpro::decimal_text(virnucpro::parse_decimal(again).value()) == again);
  }
}

void read_shard(std::string_view text) {
  if (const auto shard = virnucpro::parse_shard(text)) {
    require(shard->index < shard->count && shard->count <= virnucpro::Shard::kMost);
    require(virnucpro::parse_shard(virnucpro::shard_text(*shard))->index == shard->index);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read([&] { read_lengths(text); });
  read([&] { require(virnucpro::is_share(virnucpro::parse_share(text, "--gc"))); });
  read([&] {
    if (virnucpro::is_synthetic(text)) virnucpro::parse_synthetic(text);
  });
  read_decimal(text);
  read_shard(text);
  return 0;
}
