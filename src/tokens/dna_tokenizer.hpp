#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// The byte-pair encoding of DNABERT-S, read from its published tokenizer.json. Gives what the
// `tokenizers` library gives for the same file without its padding and truncation, for every text:
// tokens written out ("[SEP]") are those tokens, the rest is split into words (runs of letters,
// digits and underscores; runs of other characters) at white space, and each word encoded. A
// character without a token is one unknown token. So is a byte that is not part of UTF-8, for which
// the library has no answer.
// Time linear in the length of the text. Safe to use from many threads at once.
class DnaTokenizer {
 public:
  // Errors: kTokenizer or kJson, naming the file and what was expected.
  static DnaTokenizer load(const std::filesystem::path& tokenizer_json);
  static DnaTokenizer parse(std::string_view json, const std::string& file);
  ~DnaTokenizer();
  DnaTokenizer(DnaTokenizer&&) noexcept;

  std::uint32_t vocabulary() const;  // one more than the largest token
  // [CLS] … [SEP]
  std::vector<std::uint16_t> encode(std::string_view text) const;

 private:
  struct Tables;
  explicit DnaTokenizer(std::unique_ptr<const Tables> tables);
  std::unique_ptr<const Tables> tables_;
};

}  // namespace virnucpro
