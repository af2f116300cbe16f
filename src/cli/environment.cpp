#include "cli/environment.hpp"

#include <array>
#include <cstdlib>

#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::array kVariables{
    "VIRNUCPRO_MODELS",       "VIRNUCPRO_SHARE",        "VIRNUCPRO_DISABLE_PACKING",
    "VIRNUCPRO_DISABLE_FP16", "VIRNUCPRO_V1_ATTENTION", "VIRNUCPRO_DISABLE_CHECKPOINTING",
};

}  // namespace

Environment Environment::of_process() {
  std::map<std::string, std::string, std::less<>> values;
  for (const char* name : kVariables) {
    const char* value = std::getenv(name);
    if (value != nullptr) values.emplace(name, value);
  }
  return Environment(std::move(values));
}

std::string Environment::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string{} : found->second;
}

bool Environment::enabled(std::string_view name) const {
  const std::string value = text(name);
  return !value.empty() && parse_bool(value).value_or(true);
}

}  // namespace virnucpro
