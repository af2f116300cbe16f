#include "cli/compatibility.hpp"

#include <algorithm>
#include <array>

#include "base/log.hpp"

namespace virnucpro {
namespace {

using enum V2Effect;

constexpr const char* kWithEffect = "Flags of v2";
constexpr const char* kWithoutEffect = "Flags of v2 without effect";
constexpr std::string_view kByTokens =
    "has no effect: batches are filled by tokens (--token-budget)";
constexpr std::string_view kByThreads = "has no effect: --threads sets the number of host threads";
constexpr std::string_view kNoCuda = "has no effect: it tuned v2's use of CUDA";

constexpr std::string_view kModelsStay = "has no effect: models stay loaded for the run";

// The flags with an effect come first, because help shows them together.
constexpr std::array kFlags{
    V2Flag{"--parallel", false, kAllGpus,
           "is taken as --device cuda:all if --device is cuda; auto takes all GPUs anyway"},
    V2Flag{"--gpus", true, kGpus, "GPUs to compute on: 0,1 means --device cuda:0,1"},
    V2Flag{"--v1-fallback", false, kFp32,
           "is taken as --precision fp32, unless --precision is given"},
    V2Flag{"-b,--batch-size", true, kNone, kByTokens},
    V2Flag{"--dnabert-batch-size", true, kNone, kByTokens},
    V2Flag{"--esm-batch-size", true, kNone,
           "has no effect: it set the size of v2's padded batches (now --token-budget)"},
    V2Flag{"-w,--num-workers", true, kNone, kByThreads},
    V2Flag{"--dataloader-workers", true, kNone, kByThreads},
    V2Flag{"--merge-threads", true, kNone, "has no effect: nothing has to be merged"},
    V2Flag{"--pin-memory", false, kNone, kNoCuda},
    V2Flag{"--expandable-segments", false, kNone, kNoCuda},
    V2Flag{"--cache-clear-interval", true, kNone, kNoCuda},
    V2Flag{"--cuda-streams", false, kNone, kNoCuda},
    V2Flag{"--no-cuda-streams", false, kNone, kNoCuda},
    V2Flag{"--persistent-models", false, kNone, kModelsStay},
    V2Flag{"--no-persistent-models", false, kNone, kModelsStay},
    V2Flag{"--v1-attention", false, kNone, "has no effect: attention is always exact"},
};

}  // namespace

std::span<const V2Flag> v2_flags() {
  return kFlags;
}

std::vector<std::string_view> commands_with(const Command& program, ListedBy listed_by) {
  std::vector<std::string_view> names;
  for (const Command& command : program.commands) {
    const bool has =
        std::any_of(command.options.begin(), command.options.end(),
                    [listed_by](const OptionRow& row) { return row.listed_by == listed_by; });
    if (has) names.push_back(command.name());
  }
  return names;
}

void V2Options::add(Command& command, const V2Flag& flag) {
  Given& given = given_.emplace_back(Given{.flag = &flag, .row = nullptr, .value = {}});
  const std::string names(flag.names);
  const std::string says(flag.says);
  const bool has_effect = flag.effect != kNone;
  const std::string group = has_effect ? kWithEffect : kWithoutEffect;
  given.row = flag.takes_value ? &command.add_value(names, given.value, says, "N", group)
                               : &command.add_flag(names, given.on, says, group);
  given.row->may_be_empty = true;
  given.row->listed_by = has_effect ? ListedBy::kHelpAllAndV2 : ListedBy::kHelpV2;
}

void V2Options::add_used_to(Command& command) {
  for (const V2Flag& flag : kFlags) {
    if (flag.effect != kNone) add(command, flag);
  }
}

void V2Options::add_unused_to(Command& command) {
  for (const V2Flag& flag : kFlags) {
    if (flag.effect == kNone) add(command, flag);
  }
}

void V2Options::report() const {
  for (const Given& given : given_) {
    if (given.row->times == 0 || given.flag->effect == kGpus) continue;
    log_warning("{} {}", given.row->names.back(), given.flag->says);
  }
}

const V2Options::Given* V2Options::given(V2Effect effect) const {
  for (const Given& given : given_) {
    if (given.flag->effect == effect && given.row->times > 0) return &given;
  }
  return nullptr;
}

std::optional<std::string> V2Options::gpus() const {
  const Given* found = given(kGpus);
  return found == nullptr ? std::nullopt : std::optional(found->value);
}

bool V2Options::all_gpus() const {
  return given(kAllGpus) != nullptr;
}

bool V2Options::fp32() const {
  return given(kFp32) != nullptr;
}

}  // namespace virnucpro
