#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"

namespace virnucpro {

// The effect of a flag of v2, another rewrite of VirNucPro.
enum class V2Effect : std::uint8_t { kNone, kFp32, kGpus, kAllGpus };

// A flag of v2 that is still accepted, so that v2's command lines run.
struct V2Flag {
  std::string_view names;  // "-b,--batch-size"
  bool takes_value;
  V2Effect effect;
  std::string_view says;  // text after "--batch-size " in the warning
};

std::span<const V2Flag> v2_flags();

// Returns the names of the commands that have an option with this `listed_by`.
std::vector<std::string_view> commands_with(const Command& program, ListedBy listed_by);

// The flags of v2 on a command line.
class V2Options {
 public:
  // Adds the flags with an effect.
  void add_used_to(Command& command);
  // Adds the flags without effect. Only commands that exist in v2 need them.
  void add_unused_to(Command& command);

  // Logs a warning for each given flag, except for the list of GPUs.
  void report() const;
  std::optional<std::string> gpus() const;  // as written on the command line
  bool all_gpus() const;
  bool fp32() const;

 private:
  struct Given {
    const V2Flag* flag;
    OptionRow* row;
    std::string value;
    bool on = false;
  };
  void add(Command& command, const V2Flag& flag);
  const Given* given(V2Effect effect) const;

  std::deque<Given> given_;  // deque: rows keep pointers to its elements
};

}  // namespace virnucpro
