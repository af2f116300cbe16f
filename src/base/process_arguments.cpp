#include "base/process_arguments.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace virnucpro {

std::vector<char*> argument_pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const bool is_replaced = std::ranges::any_of(variables, [text](const auto& own) {
      return text.starts_with(own.first) && text.substr(own.first.size()).starts_with('=');
    });
    if (!is_replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  return result;
}

}  // namespace virnucpro
