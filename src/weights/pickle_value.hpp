#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace virnucpro {

// The types of a pickle's values: plain data, and descriptions of objects that torch would build.
enum class PickleType : std::uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kString,
  kList,  // also a set
  kTuple,
  kDict,     // items: key, value, key, value …
  kGlobal,   // text: module.name of an allowed global
  kStorage,  // items: the tuple of the persistent id
  kTensor,   // items: the arguments of torch._utils._rebuild_tensor
  kObject,   // text: its class, module.name; items: its state, if known
};

using PickleId = std::uint32_t;

// One value. Values refer to values by id, so a value may contain itself: code that follows ids
// must limit its depth.
struct PickleNode {
  PickleType type = PickleType::kNone;
  std::int64_t integer = 0;  // bool, int; for a global: its row in the allow-list
  double real = 0;
  std::string_view text{};  // points into the pickle, or to a static string
  std::vector<PickleId> items{};
};

// All values of one pickle. The pickle's bytes must outlive them.
struct PickleDocument {
  std::vector<PickleNode> nodes;
  PickleId root = 0;

  const PickleNode& operator[](PickleId id) const { return nodes[id]; }
  // Returns a dict's member; null if there is none or `dict` is not a dict.
  const PickleNode* member(const PickleNode& dict, std::string_view key) const {
    if (dict.type != PickleType::kDict) return nullptr;
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
      const PickleNode& name = nodes[dict.items[i]];
      if (name.type == PickleType::kString && name.text == key) return &nodes[dict.items[i + 1]];
    }
    return nullptr;
  }
};

}  // namespace virnucpro
