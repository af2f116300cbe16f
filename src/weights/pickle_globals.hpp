#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace virnucpro {

// What a global of a pickle stands for, and so what calling it makes.
enum class GlobalUse : std::uint8_t {
  kDict,              // OrderedDict(), OrderedDict([(key, value) …])
  kList,              // set([…])
  kIdentity,          // gives its first argument: torch.Size, _codecs.encode
  kRebuildTensor,     // (storage, offset, sizes, strides …)
  kRebuildParameter,  // (tensor, requires_grad, hooks)
  kStorageType,       // named in persistent ids, never called
  kConstant,          // a value of its own, never called: torch.float32
  kObject,            // a class whose instances are held as their state
};

struct AllowedGlobal {
  std::string_view name;  // module.name
  GlobalUse use;
};

// The globals that a pickle of weights may name; every other is refused. Nothing of them is ever
// imported or called: they only tell how to read the data beside them.
std::span<const AllowedGlobal> allowed_globals();

}  // namespace virnucpro
