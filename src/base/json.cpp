#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kSealMember = ",\n \"hash\": \"";
constexpr std::string_view kSealEnd = "\"\n}\n";

using Library = nlohmann::json;

constexpr std::size_t kShown = 64;      // the most bytes of a name in an error
constexpr int kNumberOutOfRange = 406;  // the library's code for "number out of range"

class Walker : public nlohmann::json_sax<Library> {
 public:
  Walker(const std::string& file, JsonVisitor& visitor) : file_(file), visitor_(visitor) {}

  bool null() override { return leaf(nullptr); }
  bool boolean(bool value) override { return leaf(value); }
  bool number_integer(number_integer_t value) override { return leaf(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override { return leaf(std::uint64_t{value}); }
  bool number_float(number_float_t value, const string_t&) override { return leaf(value); }
  bool string(string_t& value) override { return leaf(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return enter(true); }
  bool start_array(std::size_t) override { return enter(false); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool key(string_t& name) override {
    if (++named_ > kMaxJsonMembers) {
      throw Error(ErrorKind::kJson, Place{.file = file_},
                  fmt::format("more than {} members", kMaxJsonMembers));
    }
    if (!members_.back().insert(name).second) {
      throw Error(ErrorKind::kJson, Place{.file = file_},
                  fmt::format("member \"{}\" occurs twice in one object", name.substr(0, kShown)));
    }
    path_.back().key = std::move(name);
    return true;
  }

  // Does not show the library's message, because the token in that message may be the whole file.
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const bool out_of_range = error.id == kNumberOutOfRange;
    throw Error(
        ErrorKind::kJson, Place{.file = file_, .offset = position},
        out_of_range ? "a number is out of range" : "syntax error, or the text ends too early");
  }

 private:
  // path_ leads to the current value: it has one step for each open object or array.
  bool leaf(JsonScalar value) {
    visitor_.scalar(path_, std::move(value));
    return advance();
  }

  bool enter(bool is_object) {
    if (path_.size() >= kMaxJsonDepth) {
      throw Error(ErrorKind::kJson, Place{.file = file_},
                  fmt::format("nested deeper than {} levels", kMaxJsonDepth));
    }
    visitor_.open(path_, is_object);
    path_.push_back(JsonStep{.key = {}, .index = 0, .is_element = !is_object});
    members_.emplace_back();
    return true;
  }

  bool leave() {
    path_.pop_back();
    members_.pop_back();
    visitor_.close(path_);
    return advance();
  }

  bool advance() {
    if (!path_.empty() && path_.back().is_element) ++path_.back().index;
    return true;
  }

  const std::string& file_;
  JsonVisitor& visitor_;
  JsonPath path_;
  std::vector<std::unordered_set<std::string>> members_;
  std::size_t named_ = 0;  // members so far, in all objects
};

constexpr std::size_t kLongestText = 4000;  // bytes; enough for a long command line

// Returns the first `steps` steps of a path as text; empty if the text is too long.
std::optional<std::string> path_text(const JsonPath& path, std::size_t steps) {
  std::string text;
  for (std::size_t k = 0; k < steps; ++k) {
    if (k > 0) text += '/';
    if (path[k].key.size() > JsonValues::kLongestPath) return std::nullopt;
    text += path[k].is_element ? std::to_string(path[k].index) : path[k].key;
    if (text.size() > JsonValues::kLongestPath) return std::nullopt;
  }
  return text;
}

std::optional<double> as_number(const JsonScalar& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  return std::nullopt;
}

void begin_line(std::string& text, std::size_t blanks) {
  text += '\n';
  text.append(blanks, ' ');
}

}  // namespace

void walk_json(std::string_view text, const std::string& file, JsonVisitor& visitor) {
  if (text.size() > kMaxJsonBytes) {
    throw Error(ErrorKind::kJson, Place{.file = file},
                fmt::format("it has {} bytes; the limit is {}", text.size(), kMaxJsonBytes));
  }
  Walker walker(file, visitor);
  Library::sax_parse(text, &walker);
}

std::string json_text(std::string_view text) {
  const bool is_escaped = !is_printable(text);
  return Library(text).dump(-1, ' ', is_escaped, Library::error_handler_t::replace);
}

std::string json_text(double number) {
  return Library(number).dump();
}

class JsonCollector : public JsonVisitor {
 public:
  JsonCollector(JsonValues& values, const std::string& file) : values_(values), file_(file) {}

  void scalar(const JsonPath& path, JsonScalar value) override {
    count_element(path);
    std::optional<std::string> text = path_text(path, path.size());
    if (!text) return;
    if (values_.values_.size() == JsonValues::kMostValues) {
      throw Error(ErrorKind::kJson, Place{.file = file_},
                  fmt::format("more than {} values", JsonValues::kMostValues));
    }
    values_.values_[*std::move(text)] = std::move(value);
  }

  void open(const JsonPath& path, bool /*is_object*/) override { count_element(path); }

 private:
  void count_element(const JsonPath& path) {
    if (path.empty() || !path.back().is_element) return;
    std::optional<std::string> array = path_text(path, path.size() - 1);
    if (array) values_.elements_[*std::move(array)] = path.back().index + 1;
  }

  JsonValues& values_;
  const std::string& file_;
};

JsonValues::JsonValues(std::string_view text, const std::string& file) {
  JsonCollector collector(*this, file);
  walk_json(text, file, collector);
}

JsonValues JsonValues::read(const std::filesystem::path& file) {
  return {read_small_text(file, kMaxJsonBytes, ErrorKind::kJson), file.string()};
}

std::optional<double> JsonValues::any_number(const std::string& path) const {
  const auto found = values_.find(path);
  return found == values_.end() ? std::nullopt : as_number(found->second);
}

std::optional<double> JsonValues::number(const std::string& path) const {
  const std::optional<double> value = any_number(path);
  const bool possible = value && *value >= 0 && *value <= kLargestNumber;
  return possible ? value : std::nullopt;
}

std::optional<std::uint64_t> JsonValues::count(const std::string& path) const {
  const std::optional<double> value = number(path);
  if (!value) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*value));
}

std::optional<std::uint64_t> JsonValues::whole_number(const std::string& path) const {
  const auto found = values_.find(path);
  if (found == values_.end()) return std::nullopt;
  const auto* number = std::get_if<std::uint64_t>(&found->second);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<std::string> JsonValues::text(const std::string& path) const {
  const auto found = values_.find(path);
  if (found == values_.end()) return std::nullopt;
  const auto* text = std::get_if<std::string>(&found->second);
  if (text == nullptr) return std::nullopt;
  return shown_text(*text, kLongestText);
}

std::optional<bool> JsonValues::flag(const std::string& path) const {
  const auto found = values_.find(path);
  if (found == values_.end()) return std::nullopt;
  const auto* flag = std::get_if<bool>(&found->second);
  return flag == nullptr ? std::nullopt : std::optional(*flag);
}

std::size_t JsonValues::elements(const std::string& path) const {
  const auto found = elements_.find(path);
  return found == elements_.end() ? 0 : found->second;
}

Json::Json(std::initializer_list<JsonMember> members) : kind_(Kind::kObject) {
  for (const JsonMember& member : members) {
    names_.push_back(member.name);
    values_.push_back(member.value);
  }
}

Json Json::object() {
  Json json;
  json.kind_ = Kind::kObject;
  return json;
}

Json& Json::operator[](std::string_view name) {
  if (kind_ == Kind::kArray || (kind_ == Kind::kScalar && scalar_ != "null")) {
    throw Error(ErrorKind::kInternal, "a JSON value that is not an object has no members");
  }
  kind_ = Kind::kObject;
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) {
    return values_[static_cast<std::size_t>(std::distance(names_.begin(), found))];
  }
  names_.emplace_back(name);
  return values_.emplace_back();
}

void Json::update(const Json& other) {
  for (std::size_t k = 0; k < other.names_.size(); ++k) {
    (*this)[other.names_[k]] = other.values_[k];
  }
}

std::string Json::dump(std::size_t indent) const {
  std::string text;
  write(text, indent, indent);
  return text;
}

void Json::write(std::string& text, std::size_t indent, std::size_t blanks) const {
  if (kind_ == Kind::kScalar) {
    text += scalar_;
    return;
  }
  const bool is_object = kind_ == Kind::kObject;
  text += is_object ? '{' : '[';
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (k > 0) text += ',';
    if (indent > 0) begin_line(text, blanks);
    if (is_object) text += json_text(names_[k]) + (indent > 0 ? ": " : ":");
    values_[k].write(text, indent, blanks + indent);
  }
  if (indent > 0 && !values_.empty()) begin_line(text, blanks - indent);
  text += is_object ? '}' : ']';
}

std::string sealed_json(const Json& json) {
  std::string text = json.dump(1);
  text.resize(text.rfind("\n}"));
  return fmt::format("{}{}{}{}", text, kSealMember, content_hash(text), kSealEnd);
}

std::string_view seal_of(std::string_view text) {
  const std::size_t at = text.rfind(kSealMember);
  if (at == std::string_view::npos || !text.ends_with(kSealEnd)) return {};
  const std::size_t from = at + kSealMember.size();
  const std::string_view hash = text.substr(from, text.size() - kSealEnd.size() - from);
  return content_hash(text.substr(0, at)) == hash ? hash : std::string_view();
}

}  // namespace virnucpro
