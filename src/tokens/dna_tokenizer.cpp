#include "tokens/dna_tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "tokens/byte_pairs.hpp"
#include "tokens/tokenizer_file.hpp"

namespace virnucpro {
namespace {

// The class of a byte in the pre-tokenizer `\w+|[^\w\s]+`.
enum class ByteClass : std::uint8_t { kSpace, kWord, kOther, kNotAscii };

constexpr auto kClassOf = [] {
  std::array<ByteClass, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    const bool digit = byte >= '0' && byte <= '9';
    const bool letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
    const bool space = byte == ' ' || (byte >= '\t' && byte <= '\r');
    table[byte] = byte >= 0x80                     ? ByteClass::kNotAscii
                  : space                          ? ByteClass::kSpace
                  : digit || letter || byte == '_' ? ByteClass::kWord
                                                   : ByteClass::kOther;
  }
  return table;
}();

unsigned char byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

// True for the characters beyond ASCII that are White_Space in Unicode.
bool is_wide_space(std::uint32_t value) {
  constexpr std::array<std::uint32_t, 8> kOthers{0x85,   0xa0,   0x1680, 0x2028,
                                                 0x2029, 0x202f, 0x205f, 0x3000};
  return (value >= 0x2000 && value <= 0x200a) ||
         std::find(kOthers.begin(), kOthers.end(), value) != kOthers.end();
}

std::vector<PairMerge> resolve_merges(const TokenizerFile& source, const std::string& file) {
  const auto token = [&](std::string_view text, std::size_t rank) {
    const auto found = source.vocabulary.find(text);
    if (found == source.vocabulary.end() || text == source.unknown) {
      constexpr std::size_t kShown = 64;
      throw Error(
          ErrorKind::kTokenizer, Place{.file = file},
          fmt::format(
              "model.merges[{}]: \"{}\" is not a token of the vocabulary, or is the unknown token",
              rank, text.substr(0, kShown)));
    }
    return found->second;
  };
  std::vector<PairMerge> merges;
  merges.reserve(source.merges.size());
  for (std::size_t rank = 0; rank < source.merges.size(); ++rank) {
    const auto& [left, right] = source.merges[rank];
    merges.push_back({.left = token(left, rank),
                      .right = token(right, rank),
                      .made = token(left + right, rank)});
  }
  return merges;
}

BytePairs::Letters letters_of(const TokenizerFile& source) {
  BytePairs::Letters letters;
  letters.fill(kNoToken);
  for (const auto& [text, token] : source.vocabulary) {
    if (text.size() == 1 && text != source.unknown) letters[byte_at(text, 0)] = token;
  }
  return letters;
}

std::uint32_t size_of_vocabulary(const TokenizerFile& source) {
  std::uint32_t size = 0;
  for (const auto& [text, token] : source.vocabulary) size = std::max(size, token + 1U);
  return size;
}

struct AddedToken {
  std::string text;
  std::uint16_t token;
};

}  // namespace

struct DnaTokenizer::Tables {
  Tables(const TokenizerFile& source, const std::string& file, std::string json_hash)
      : hash(std::move(json_hash)),
        vocabulary(size_of_vocabulary(source)),
        opening(source.vocabulary.at(source.opening)),
        closing(source.vocabulary.at(source.closing)),
        unknown(source.vocabulary.at(source.unknown)),
        letters(letters_of(source)),
        pairs(letters, resolve_merges(source, file), vocabulary, file) {
    for (const std::string& text : source.added) {
      added.push_back({.text = text, .token = source.vocabulary.at(text)});
      if (added_starts.find(text.front()) == std::string::npos) added_starts += text.front();
    }
    // Longer tokens come first, because the longest match is taken.
    std::stable_sort(added.begin(), added.end(), [](const AddedToken& a, const AddedToken& b) {
      return a.text.size() > b.text.size();
    });
  }

  const AddedToken* added_at(std::string_view text) const {
    for (const AddedToken& candidate : added) {
      if (text.starts_with(candidate.text)) return &candidate;
    }
    return nullptr;
  }
  void encode_plain(std::string_view text, std::vector<std::uint16_t>& tokens) const;
  std::size_t letters_from(std::string_view text, std::size_t begin) const;

  std::string hash;
  std::uint32_t vocabulary;
  std::uint16_t opening;
  std::uint16_t closing;
  std::uint16_t unknown;
  BytePairs::Letters letters;
  BytePairs pairs;
  std::vector<AddedToken> added;
  std::string added_starts;  // the bytes that added tokens start with
};

// Returns the end of the known letters from `begin` on that have the class of the letter there.
std::size_t DnaTokenizer::Tables::letters_from(std::string_view text, std::size_t begin) const {
  const ByteClass word = kClassOf[byte_at(text, begin)];
  std::size_t end = begin + 1;
  while (end < text.size() && letters[byte_at(text, end)] != kNoToken &&
         kClassOf[byte_at(text, end)] == word) {
    ++end;
  }
  return end;
}

// Encodes a text without added tokens. Each stretch of known letters is encoded alone, because no
// merge has the unknown token.
void DnaTokenizer::Tables::encode_plain(std::string_view text,
                                        std::vector<std::uint16_t>& tokens) const {
  std::size_t at = 0;
  while (at < text.size()) {
    const unsigned char byte = byte_at(text, at);
    if (kClassOf[byte] == ByteClass::kSpace) {
      ++at;
    } else if (letters[byte] != kNoToken) {
      const std::size_t end = letters_from(text, at);
      pairs.encode(text.substr(at, end - at), tokens);
      at = end;
    } else if (kClassOf[byte] != ByteClass::kNotAscii) {
      tokens.push_back(unknown);
      ++at;
    } else {
      const CodePoint character = first_code_point(text.substr(at));
      if (!is_wide_space(character.value)) tokens.push_back(unknown);
      at += character.bytes;
    }
  }
}

DnaTokenizer::DnaTokenizer(std::unique_ptr<const Tables> tables) : tables_(std::move(tables)) {}
DnaTokenizer::~DnaTokenizer() = default;
DnaTokenizer::DnaTokenizer(DnaTokenizer&&) noexcept = default;

DnaTokenizer DnaTokenizer::load(const std::filesystem::path& tokenizer_json) {
  return parse(read_small_text(tokenizer_json, kMaxJsonBytes, ErrorKind::kTokenizer),
               tokenizer_json.string());
}

DnaTokenizer DnaTokenizer::parse(std::string_view json, const std::string& file) {
  ContentHash hash;
  hash.update(as_bytes(json));
  return DnaTokenizer(
      std::make_unique<const Tables>(read_tokenizer_file(json, file), file, hash.hex()));
}

std::uint32_t DnaTokenizer::vocabulary() const {
  return tables_->vocabulary;
}

const std::string& DnaTokenizer::hash() const {
  return tables_->hash;
}

std::vector<std::uint16_t> DnaTokenizer::encode(std::string_view text) const {
  constexpr std::size_t kUsualLetters = 4;  // letters in one token of DNA
  std::vector<std::uint16_t> tokens;
  tokens.reserve(text.size() / kUsualLetters + 2);
  tokens.push_back(tables_->opening);
  std::size_t plain = 0;  // start of the text that is not encoded yet
  std::size_t at = text.find_first_of(tables_->added_starts);
  while (at != std::string_view::npos) {
    const AddedToken* added = tables_->added_at(text.substr(at));
    if (added == nullptr) {
      ++at;
    } else {
      tables_->encode_plain(text.substr(plain, at - plain), tokens);
      tokens.push_back(added->token);
      at += added->text.size();
      plain = at;
    }
    at = text.find_first_of(tables_->added_starts, at);
  }
  tables_->encode_plain(text.substr(plain), tokens);
  tokens.push_back(tables_->closing);
  return tokens;
}

}  // namespace virnucpro
