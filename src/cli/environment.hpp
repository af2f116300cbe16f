#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace virnucpro {

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
