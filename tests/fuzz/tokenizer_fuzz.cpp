// The input is a tokenizer.json and, after a NUL byte, a text to encode with it.

#include "fuzz/target.hpp"
#include "tokens/dna_tokenizer.hpp"

using virnucpro::fuzz::may_refuse;
using virnucpro::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using virnucpro::ErrorKind;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t json_size = std::min(input.find('\0'), size);
  const std::string_view text = input.substr(std::min(json_size + 1, size));
  const auto encode = [&] {
    const auto tokenizer = virnucpro::DnaTokenizer::parse(input.substr(0, json_size), "fuzz.json");
    const auto tokens = tokenizer.encode(text);
    require(tokens.size() >= 2 && tokens.size() <= text.size() + 2);
    for (const std::uint16_t token : tokens) require(token < tokenizer.vocabulary());
  };
  may_refuse(encode, {ErrorKind::kJson, ErrorKind::kTokenizer});
  return 0;
}
