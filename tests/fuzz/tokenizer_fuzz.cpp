// The input is a tokenizer.json and, after a NUL byte, a text to encode with it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "tokens/dna_tokenizer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using virnucpro::ErrorKind;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t json_size = std::min(input.find('\0'), size);
  const std::string_view text = input.substr(std::min(json_size + 1, size));
  try {
    const auto tokenizer = virnucpro::DnaTokenizer::parse(input.substr(0, json_size), "fuzz.json");
    const auto tokens = tokenizer.encode(text);
    if (tokens.size() < 2 || tokens.size() > text.size() + 2) std::abort();
    for (const std::uint16_t token : tokens) {
      if (token >= tokenizer.vocabulary()) std::abort();
    }
  } catch (const virnucpro::Error& error) {
    if (error.kind() != ErrorKind::kJson && error.kind() != ErrorKind::kTokenizer) std::abort();
  }
  return 0;
}
