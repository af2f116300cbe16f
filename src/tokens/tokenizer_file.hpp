#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace virnucpro {

// The parts of a tokenizer.json that DNABERT-S's tokenizer needs. The file may be from the
// `tokenizers` library 0.13, or from a newer version, which writes merges in another form.
struct TokenizerFile {
  std::map<std::string, std::uint16_t, std::less<>> vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;  // in the order of their ranks
  std::string unknown;                                      // the token of an unknown letter
  std::string opening;                                      // the token before a text
  std::string closing;                                      // the token after a text
  std::vector<std::string> added;                           // tokens that a text can name: "[SEP]"
};

// Reads a tokenizer.json. Every setting that would change the tokens must be as in DNABERT-S's
// file: model BPE without dropout, prefixes, suffixes, byte fallback or fusing of unknown letters;
// no normalizer; pre-tokenizer Whitespace; a template of one token, the text, one token; added
// tokens that need not be whole words. Padding, truncation and decoding are ignored, and so are
// lstrip and rstrip of added tokens, because white space is never a token. Errors: kJson,
// kTokenizer (naming the member).
TokenizerFile read_tokenizer_file(std::string_view json, const std::string& file);

}  // namespace virnucpro
