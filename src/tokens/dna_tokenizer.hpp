#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// The tokenizer of DNABERT-S, read from the published tokenizer.json. The tokens of every text
// equal those of the `tokenizers` library with the same file, without padding and truncation. The
// name of an added token in the text ("[SEP]") becomes this token. The rest is split at white space
// into words (runs of letters, digits and underscores; runs of other characters), and each word is
// encoded. A character without a token becomes one unknown token. So does a byte that is
// not UTF-8, which the library refuses. Time is linear in the text's length. Thread-safe.
class DnaTokenizer {
 public:
  // Reads a tokenizer. Errors: kTokenizer or kJson, naming the file and what was expected.
  static DnaTokenizer load(const std::filesystem::path& tokenizer_json);
  static DnaTokenizer parse(std::string_view json, const std::string& file);
  ~DnaTokenizer();
  DnaTokenizer(DnaTokenizer&&) noexcept;

  std::uint32_t vocabulary() const;  // the largest token + 1
  const std::string& hash() const;   // ContentHash of the JSON's bytes
  // Returns [CLS], the text's tokens, [SEP].
  std::vector<std::uint16_t> encode(std::string_view text) const;

 private:
  struct Tables;
  explicit DnaTokenizer(std::unique_ptr<const Tables> tables);
  std::unique_ptr<const Tables> tables_;
};

}  // namespace virnucpro
