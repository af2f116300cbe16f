#include "tokens/tokenizer_file.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <set>
#include <span>
#include <type_traits>
#include <variant>

#include "base/error.hpp"
#include "base/json.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kMaxTokens = std::numeric_limits<std::uint16_t>::max();  // 65535: no token
constexpr std::size_t kMaxAddedTokens = 256;
constexpr std::size_t kMaxShown = 64;  // letters of a value shown in an error

// Returns a JSON path as text, like "model.merges[3]".
std::string text_of(const JsonPath& path) {
  std::string text;
  for (const JsonStep& step : path) {
    if (step.is_element) {
      text += fmt::format("[{}]", step.index);
    } else {
      if (!text.empty()) text += '.';
      text += step.key.substr(0, kMaxShown);
    }
  }
  return text;
}

std::string text_of(const JsonScalar& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::nullptr_t>) {
          return "null";
        } else if constexpr (std::is_same_v<Held, std::string>) {
          return fmt::format("\"{}\"", held.substr(0, kMaxShown));
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

// True if a path fits a pattern: "[]" is any element, "*" any member, "**" everything below.
bool matches(const JsonPath& path, std::span<const std::string_view> pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == "**") return true;
    if (i >= path.size()) return false;
    if (path[i].is_element != (pattern[i] == "[]")) return false;
    if (path[i].is_element || pattern[i] == "*") continue;
    if (path[i].key != pattern[i]) return false;
  }
  return pattern.size() == path.size();
}

class Reader : public JsonVisitor {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  void scalar(const JsonPath& path, JsonScalar value) override;
  TokenizerFile finish();

 private:
  struct Added {
    std::string content;
    std::uint64_t id = kMaxTokens;  // no id
  };
  struct Rule {
    std::vector<std::string_view> path;
    void (Reader::*take)(const JsonPath&, JsonScalar&);
  };
  static const std::vector<Rule>& rules();

  [[noreturn]] void refuse(const std::string& detail) const {
    throw Error(ErrorKind::kTokenizer, Place{.file = file_}, detail);
  }
  void expect(bool holds, const JsonPath& path, const JsonScalar& value,
              std::string_view expected) const {
    if (!holds) {
      refuse(fmt::format("{} is {}, expected {}", text_of(path), text_of(value), expected));
    }
  }
  std::string& text(const JsonPath& path, JsonScalar& value) const {
    expect(std::holds_alternative<std::string>(value), path, value, "a text");
    return std::get<std::string>(value);
  }
  std::uint64_t number(const JsonPath& path, const JsonScalar& value) const {
    const auto* held = std::get_if<std::uint64_t>(&value);
    expect(held != nullptr && *held < kMaxTokens, path, value,
           fmt::format("a whole number below {}", kMaxTokens));
    return *held;
  }
  void word(const JsonPath& path, JsonScalar& value, std::string_view expected) {
    const auto* held = std::get_if<std::string>(&value);
    expect(held != nullptr && *held == expected, path, value, fmt::format("\"{}\"", expected));
    seen_.insert(text_of(path));
  }

  void ignore(const JsonPath&, JsonScalar&) {}
  void absent(const JsonPath& path, JsonScalar& value) {
    expect(std::holds_alternative<std::nullptr_t>(value), path, value, "null");
  }
  void empty(const JsonPath& path, JsonScalar& value) {
    const auto* held = std::get_if<std::string>(&value);
    if (held == nullptr || !held->empty()) absent(path, value);
  }
  void off(const JsonPath& path, JsonScalar& value) {
    const bool* held = std::get_if<bool>(&value);
    expect(held != nullptr && !*held, path, value, "false");
  }

  void version(const JsonPath& path, JsonScalar& value) { word(path, value, "1.0"); }
  void pre_tokenizer(const JsonPath& path, JsonScalar& value) { word(path, value, "Whitespace"); }
  void template_type(const JsonPath& path, JsonScalar& value) {
    word(path, value, "TemplateProcessing");
  }
  void model_type(const JsonPath& path, JsonScalar& value) { word(path, value, "BPE"); }
  void unknown(const JsonPath& path, JsonScalar& value) { found_.unknown = text(path, value); }

  void template_token(const JsonPath& path, JsonScalar& value) {
    template_.push_back(text(path, value));
  }
  void template_text(const JsonPath& path, JsonScalar& value) {
    word(path, value, "A");
    template_.emplace_back();
  }
  void template_id(const JsonPath& path, JsonScalar& value) {
    expect(path.back().index == 0, path, value, "one token");
    template_ids_[path[2].key].push_back(number(path, value));
  }

  void added_content(const JsonPath& path, JsonScalar& value) {
    std::string& content = text(path, value);
    const bool usable =
        !content.empty() && content.find_first_of(" \t\n\v\f\r") == std::string::npos;
    expect(usable, path, value, "a text without white space");
    if (added_.size() >= kMaxAddedTokens) {
      refuse(fmt::format("there are more than {} added tokens", kMaxAddedTokens));
    }
    added_[path[1].index].content = std::move(content);
  }
  void added_id(const JsonPath& path, JsonScalar& value) {
    added_[path[1].index].id = number(path, value);
  }

  void piece(const JsonPath& path, JsonScalar& value) {
    const std::string& content = path.back().key;
    for (const char letter : content) {
      expect(static_cast<unsigned char>(letter) < 0x80, path, value, "only ASCII tokens");
    }
    const std::uint64_t token = number(path, value);
    if (!tokens_.insert(token).second) {
      refuse(fmt::format("token {} occurs twice in the vocabulary", token));
    }
    found_.vocabulary.emplace(content, static_cast<std::uint16_t>(token));
  }
  // Adds an empty merge, which the caller fills.
  void add_merge() {
    if (found_.merges.size() >= kMaxTokens)
      refuse(fmt::format("there are more than {} merges", kMaxTokens));
    found_.merges.emplace_back();
  }
  void merge(const JsonPath& path, JsonScalar& value) {
    const std::string& both = text(path, value);
    const std::size_t space = both.find(' ');
    expect(space != std::string::npos && both.find(' ', space + 1) == std::string::npos, path,
           value, "two tokens with a space between them");
    add_merge();
    found_.merges.back() = {both.substr(0, space), both.substr(space + 1)};
  }
  void merge_part(const JsonPath& path, JsonScalar& value) {
    const std::size_t place = path.back().index;
    expect(place < 2, path, value, "two tokens");
    if (place == 0) add_merge();
    auto& [left, right] = found_.merges.back();
    (place == 0 ? left : right) = text(path, value);
  }

  void check_seen() const;
  void check_template();
  void check_added();

  const std::string& file_;
  TokenizerFile found_;
  std::set<std::string> seen_;  // paths of members with a fixed value
  std::set<std::uint64_t> tokens_;
  std::vector<std::string> template_;  // "" stands for the text
  std::map<std::string, std::vector<std::uint64_t>> template_ids_;
  std::map<std::size_t, Added> added_;  // by index in the file
};

const std::vector<Reader::Rule>& Reader::rules() {
  // Rules are tried in this order, so to save time the rules for the longest lists come first.
  static const std::vector<Rule> kRules{
      {{"model", "vocab", "*"}, &Reader::piece},
      {{"model", "merges", "[]"}, &Reader::merge},
      {{"model", "merges", "[]", "[]"}, &Reader::merge_part},
      {{"version"}, &Reader::version},
      {{"truncation", "**"}, &Reader::ignore},
      {{"padding", "**"}, &Reader::ignore},
      {{"decoder", "**"}, &Reader::ignore},
      {{"normalizer"}, &Reader::absent},
      {{"pre_tokenizer", "type"}, &Reader::pre_tokenizer},
      {{"added_tokens", "[]", "id"}, &Reader::added_id},
      {{"added_tokens", "[]", "content"}, &Reader::added_content},
      {{"added_tokens", "[]", "single_word"}, &Reader::off},
      {{"added_tokens", "[]", "normalized"}, &Reader::off},
      {{"added_tokens", "[]", "lstrip"}, &Reader::ignore},
      {{"added_tokens", "[]", "rstrip"}, &Reader::ignore},
      {{"added_tokens", "[]", "special"}, &Reader::ignore},
      {{"post_processor", "type"}, &Reader::template_type},
      {{"post_processor", "single", "[]", "SpecialToken", "id"}, &Reader::template_token},
      {{"post_processor", "single", "[]", "Sequence", "id"}, &Reader::template_text},
      {{"post_processor", "single", "[]", "*", "type_id"}, &Reader::ignore},
      {{"post_processor", "pair", "**"}, &Reader::ignore},
      {{"post_processor", "special_tokens", "*", "ids", "[]"}, &Reader::template_id},
      {{"post_processor", "special_tokens", "*", "id"}, &Reader::ignore},
      {{"post_processor", "special_tokens", "*", "tokens", "[]"}, &Reader::ignore},
      {{"model", "type"}, &Reader::model_type},
      {{"model", "unk_token"}, &Reader::unknown},
      {{"model", "dropout"}, &Reader::absent},
      {{"model", "continuing_subword_prefix"}, &Reader::empty},
      {{"model", "end_of_word_suffix"}, &Reader::empty},
      {{"model", "fuse_unk"}, &Reader::off},
      {{"model", "byte_fallback"}, &Reader::off},
      {{"model", "ignore_merges"}, &Reader::off},
  };
  return kRules;
}

void Reader::scalar(const JsonPath& path, JsonScalar value) {
  for (const Rule& rule : rules()) {
    if (matches(path, rule.path)) {
      (this->*rule.take)(path, value);
      return;
    }
  }
  refuse(fmt::format("unexpected member {}; the tokenizer.json of DNABERT-S has no such member",
                     text_of(path)));
}

void Reader::check_seen() const {
  for (const char* member :
       {"version", "model.type", "pre_tokenizer.type", "post_processor.type"}) {
    if (!seen_.contains(member)) refuse(fmt::format("{} is missing", member));
  }
  // Without merges every letter would be a token: 500 bases would make 500 tokens instead of 100.
  if (found_.merges.empty()) refuse("model.merges is missing or empty");
  if (found_.unknown.empty()) refuse("model.unk_token is missing");
  if (!found_.vocabulary.contains(found_.unknown)) {
    refuse(fmt::format("model.unk_token \"{}\" is not in the vocabulary", found_.unknown));
  }
}

void Reader::check_template() {
  const bool usual = template_.size() == 3 && !template_[0].empty() && template_[1].empty() &&
                     !template_[2].empty();
  if (!usual) refuse("post_processor.single must have three parts: a token, the text, and a token");
  for (const std::string& token : {template_[0], template_[2]}) {
    const auto known = found_.vocabulary.find(token);
    const auto& ids = template_ids_[token];
    if (known == found_.vocabulary.end() || ids.size() != 1 || ids[0] != known->second) {
      refuse(fmt::format(
          "post_processor.special_tokens and model.vocab must give the token \"{}\" the same id",
          token.substr(0, kMaxShown)));
    }
  }
  found_.opening = template_[0];
  found_.closing = template_[2];
}

void Reader::check_added() {
  for (const auto& [place, token] : added_) {
    const auto known = found_.vocabulary.find(token.content);
    if (known == found_.vocabulary.end() || known->second != token.id) {
      refuse(
          fmt::format("added_tokens[{}] (\"{}\") must be in model.vocab and have the same id there",
                      place, token.content.substr(0, kMaxShown)));
    }
    found_.added.push_back(token.content);
  }
}

TokenizerFile Reader::finish() {
  check_seen();
  check_template();
  check_added();
  return std::move(found_);
}

}  // namespace

TokenizerFile read_tokenizer_file(std::string_view json, const std::string& file) {
  Reader reader(file);
  walk_json(json, file, reader);
  return reader.finish();
}

}  // namespace virnucpro
