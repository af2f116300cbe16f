#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace virnucpro {

// An environment variable that affects the program, or affected v2.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view meaning;  // one line: the effect, or why there is none
  bool used;                 // false: a variable of v2 without effect here
  bool own;                  // false: another program's or the system's variable
};

std::span<const EnvironmentVariable> environment_variables();

// The program's environment variables, with the values that they had when the program started.
class Environment {
 public:
  Environment() = default;
  explicit Environment(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}

  static Environment of_process();

  // Returns a variable's value; empty if it is not set.
  std::string text(std::string_view name) const;
  // True if a switch is set to any value except "", 0, no, off or false.
  bool enabled(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace virnucpro
