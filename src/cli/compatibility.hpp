#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"

namespace virnucpro {

// What a flag of v2 comes to.
enum class V2Effect : std::uint8_t { kNone, kTokenBudget, kFp32, kGpus, kAllGpus };

// A flag of v2 that is accepted so that its command lines still run.
struct V2Flag {
  std::string_view names;  // "-b,--batch-size"
  bool takes_value;
  V2Effect effect;
  std::string_view says;  // after "--batch-size "
};

std::span<const V2Flag> v2_flags();

// Those of them that a command line holds.
class V2Options {
 public:
  void add_to(Command& command);

  // One warning for each that was given, but for the list of GPUs.
  void report() const;
  std::optional<std::string> token_budget() const;  // as written
  std::optional<std::string> gpus() const;          // as written
  bool all_gpus() const;
  bool fp32() const;

 private:
  struct Given {
    const V2Flag* flag;
    OptionRow* row;
    std::string value;
    bool on = false;
  };
  const Given* given(V2Effect effect) const;

  std::vector<Given> given_;
};

}  // namespace virnucpro
