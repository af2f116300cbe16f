#include "base/json_writer.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"

namespace virnucpro {
namespace {

void begin_line(std::string& text, std::size_t blanks) {
  text += '\n';
  text.append(blanks, ' ');
}

}  // namespace

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

}  // namespace virnucpro
