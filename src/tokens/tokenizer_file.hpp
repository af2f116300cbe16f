#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace virnucpro {

// What a tokenizer.json of the `tokenizers` library (0.13; the merges also as newer ones write
// them) says, as far as DNABERT-S's kind of tokenizer goes.
struct TokenizerFile {
  std::map<std::string, std::uint16_t, std::less<>> vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;  // in the order of their ranks
  std::string unknown;                                      // token of a letter without one
  std::string opening;                                      // tokens the template puts around …
  std::string closing;                                      // … a text
  std::vector<std::string> added;  // tokens that are taken where they stand in a text literally
};

// Reads it. Every setting must be the one that DNABERT-S's file has, since each would change the
// tokens: model BPE without dropout, prefixes, suffixes, byte fallback or fusing of unknown
// letters; no normalizer; pre-tokenizer Whitespace; a template of one token, the text, one token;
// added tokens that need not be words of their own. The settings of padding, truncation and
// decoding are not looked at, nor are lstrip and rstrip of added tokens: white space is no token in
// any case. Errors: kJson, kTokenizer (naming the member).
TokenizerFile read_tokenizer_file(std::string_view json, const std::string& file);

}  // namespace virnucpro
