#include "base/json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "base/text.hpp"

namespace virnucpro {
namespace {

using Library = nlohmann::json;

constexpr std::size_t kShown = 64;      // most letters of a name in an error
constexpr int kNumberOutOfRange = 406;  // the library's number for a number out of range

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
                  fmt::format("member \"{}\" stands twice in one object", name.substr(0, kShown)));
    }
    path_.back().key = std::move(name);
    return true;
  }

  // Does not use the library's own message: the token that it quotes may be the whole file.
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const bool out_of_range = error.id == kNumberOutOfRange;
    throw Error(ErrorKind::kJson, Place{.file = file_, .offset = position},
                out_of_range ? "number out of range" : "syntax error, or the text ends too early");
  }

 private:
  // path_ leads to the current place: it has one step for each open container.
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
  std::size_t named_ = 0;  // members so far, also those of closed objects
};

}  // namespace

void walk_json(std::string_view text, const std::string& file, JsonVisitor& visitor) {
  if (text.size() > kMaxJsonBytes) {
    throw Error(ErrorKind::kJson, Place{.file = file},
                fmt::format("{} bytes; the limit is {}", text.size(), kMaxJsonBytes));
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

}  // namespace virnucpro
