#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace virnucpro {

// The kinds of globals in a pickle, with the value that a call of one makes.
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

// The globals that a pickle of weights may name; all others are refused. None is ever imported or
// called: they only say how to read the data beside them.
std::span<const AllowedGlobal> weight_globals();
// Adds the globals of numpy's arrays and scalars, for checkpoints that are only looked at. An array
// becomes a kObject, whose numbers nobody reads.
std::span<const AllowedGlobal> checkpoint_globals();

}  // namespace virnucpro
