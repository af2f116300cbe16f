#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace virnucpro {

// An environment variable that changes what the program does, or that v2 had.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view meaning;  // one line; for a variable without effect, why
  bool used;                 // false: of v2, and it has no meaning here
  bool own;                  // false: of the system or of another program, read where it is used
};

std::span<const EnvironmentVariable> environment_variables();

// The program's own environment variables, as they were at its start.
class Environment {
 public:
  Environment() = default;
  explicit Environment(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}

  static Environment of_process();

  // Empty when not set.
  std::string text(std::string_view name) const;
  // Whether a switch is on: set to anything but "", 0, no, off or false.
  bool enabled(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace virnucpro
