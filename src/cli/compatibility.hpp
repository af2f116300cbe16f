#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"

namespace virnucpro {

// The effect of a flag of v2.
enum class V2Effect : std::uint8_t { kNone, kFp32, kGpus, kAllGpus };

// A flag of v2 that is still accepted, so that v2's command lines run.
struct V2Flag {
  std::string_view names;  // "-b,--batch-size"
  bool takes_value;
  V2Effect effect;
  std::string_view says;  // follows "--batch-size "
};

std::span<const V2Flag> v2_flags();

// The flags of v2 on a command line.
class V2Options {
 public:
  // Adds them, and --help-v2, which lists them: --help shows only those with an effect.
  void add_to(Command& command);

  // Logs one warning for each, except for the list of GPUs.
  void report() const;
  std::optional<std::string> gpus() const;  // as written
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
