// A file of cut-offs of any bytes, as it is and with a right hash at its end: it is refused, or its
// bins cover every number of chunks.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/hash.hpp"
#include "fuzz/target.hpp"
#include "tables/cut_offs.hpp"

namespace {

void read(const std::string& text) {
  using enum virnucpro::ErrorKind;
  virnucpro::fuzz::may_refuse(
      [&] {
        const auto found = virnucpro::parse_cut_offs(text, "c.json", "c.json", kCutOffs);
        for (const std::uint64_t chunks : {1UL, 2UL, 19UL, ~0UL}) {
          virnucpro::fuzz::require(found->of(chunks).bin.has(chunks));
        }
        (void)virnucpro::false_calls_text(*found, {3}, 2);
      },
      {kCutOffs, kJson});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  constexpr std::string_view kSeal = ",\n \"hash\": \"";
  if (const std::size_t at = text.rfind(kSeal); at != std::string::npos) text.resize(at);
  read(fmt::format("{}{}{}\"\n}}\n", text, kSeal, virnucpro::content_hash(text)));
  return 0;
}
