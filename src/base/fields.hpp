#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

// Lists a record's fields in the order in which files have them. A field has its member's name.
#define VIRNUCPRO_FIELDS(...)     \
  auto members() {                \
    return std::tie(__VA_ARGS__); \
  }                               \
  auto members() const {          \
    return std::tie(__VA_ARGS__); \
  }                               \
  static constexpr std::string_view kNames = #__VA_ARGS__

// The same for a record whose base class has fields, too. The record's own fields come first.
#define VIRNUCPRO_FIELDS_BEFORE(Base, ...) \
  Base& inherited() {                      \
    return *this;                          \
  }                                        \
  const Base& inherited() const {          \
    return *this;                          \
  }                                        \
  VIRNUCPRO_FIELDS(__VA_ARGS__)

// Lists the fields of a record whose FieldRule is not kOfType. `rule` is keeps_most, keeps_least or
// not_added.
#define VIRNUCPRO_RULE(rule, ...) \
  auto rule() const {             \
    return std::tie(__VA_ARGS__); \
  }

namespace virnucpro {

template <typename T>
concept IsRecord = requires {
  T::kNames;
};

// Calls visit(name, a's member, b's member) for each field of two records with the same fields.
template <typename A, typename B, typename Visit>
void for_each_pair(A& a, B& b, const Visit& visit) {
  std::string_view names = A::kNames;
  const auto next = [&](auto& of_a, auto& of_b) {
    const std::size_t comma = names.find(", ");
    visit(names.substr(0, comma), of_a, of_b);
    if (comma != std::string_view::npos) names.remove_prefix(comma + 2);
  };
  const auto with_a = [&](auto&... of_a) {
    std::apply([&](auto&... of_b) { (next(of_a, of_b), ...); }, b.members());
  };
  std::apply(with_a, a.members());
  if constexpr (requires { a.inherited(); }) for_each_pair(a.inherited(), b.inherited(), visit);
}

// Calls visit(name, member) for each field of a record.
template <typename Record, typename Visit>
void for_each_field(Record& record, const Visit& visit) {
  for_each_pair(record, record,
                [&](std::string_view name, auto& member, auto& /*same*/) { visit(name, member); });
}

// How two values of a field are put together, for example those of two shards.
enum class FieldRule : std::uint8_t {
  kOfType,    // numbers are added, statistics combined; a text or flag keeps its first value
  kMost,      // the larger number is kept
  kLeast,     // the smaller number is kept
  kNotAdded,  // a sum would mean nothing; other code computes the field
};

template <typename Record>
FieldRule field_rule(const Record& record, const void* field) {
  const auto is_in = [field](const auto& fields) {
    return std::apply([field](const auto&... one) { return ((field == &one) || ...); }, fields);
  };
  if constexpr (requires { record.keeps_most(); }) {
    if (is_in(record.keeps_most())) return FieldRule::kMost;
  }
  if constexpr (requires { record.keeps_least(); }) {
    if (is_in(record.keeps_least())) return FieldRule::kLeast;
  }
  if constexpr (requires { record.not_added(); }) {
    if (is_in(record.not_added())) return FieldRule::kNotAdded;
  }
  return FieldRule::kOfType;
}

}  // namespace virnucpro
