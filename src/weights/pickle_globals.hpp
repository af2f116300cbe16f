#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace virnucpro {

// What a global of a pickle is, and what a call of it makes.
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
// Those, and what arrays and scalars of numpy are made of, for files that are only looked at: an
// array becomes a kObject, whose numbers nobody reads.
std::span<const AllowedGlobal> checkpoint_globals();

}  // namespace virnucpro
