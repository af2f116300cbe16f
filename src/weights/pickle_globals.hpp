#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace virnucpro {

// The uses of globals in a pickle. The comments show the arguments or the result of a call.
enum class GlobalUse : std::uint8_t {
  kDict,              // OrderedDict(), OrderedDict([(key, value) …])
  kList,              // set([…])
  kIdentity,          // returns its first argument: torch.Size, _codecs.encode
  kRebuildTensor,     // (storage, offset, sizes, strides …)
  kRebuildParameter,  // (tensor, requires_grad, hooks)
  kStorageType,       // named in persistent ids, never called
  kConstant,          // a value, never called: torch.float32
  kObject,            // a class; its instances are stored as their state
};

struct AllowedGlobal {
  std::string_view name;  // module.name
  GlobalUse use;
};

// Returns the globals that a pickle of weights may name; all others are refused. No global is
// imported or called: a global only tells how to read data.
std::span<const AllowedGlobal> weight_globals();
// Returns weight_globals() and numpy's globals for arrays and scalars, for checkpoints that are
// only inspected. An array becomes a kObject; its numbers are not read.
std::span<const AllowedGlobal> checkpoint_globals();

}  // namespace virnucpro
