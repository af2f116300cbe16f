#include "ops/int8_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kNone = "none";
constexpr std::size_t kEveryLayer = std::numeric_limits<std::size_t>::max();
// The largest layer number that a policy's text may have; models have far fewer layers.
constexpr std::size_t kMostLayer = 999;
constexpr std::array<std::string_view, kEsm2Linears> kLinearNames{"qkv", "out", "fc1", "fc2"};

}  // namespace

std::string_view name_of(Esm2Linear linear) {
  return kLinearNames[static_cast<std::size_t>(linear)];
}

std::optional<Int8Policy> Int8Policy::parse(std::string_view text) {
  Int8Policy policy;
  if (text == kNone) return policy;
  for (const std::string_view item : split_list(text)) {
    if (!policy.add(item)) return std::nullopt;
  }
  for (Kept& kept : policy.kept_) merge(kept);
  return policy;
}

Int8Policy Int8Policy::keeping(std::span<const Esm2Place> places) {
  Int8Policy policy;
  for (const Esm2Place& place : places) {
    policy.kept_[static_cast<std::size_t>(place.linear)].push_back(
        {.first = place.layer, .last = place.layer});
  }
  for (Kept& kept : policy.kept_) merge(kept);
  return policy;
}

bool Int8Policy::in_8_bits(std::size_t layer, Esm2Linear linear) const {
  return std::ranges::none_of(kept_[static_cast<std::size_t>(linear)], [layer](const Layers& kept) {
    return kept.first <= layer && layer <= kept.last;
  });
}

Int8Policy Int8Policy::of_model(std::size_t layers) const {
  Int8Policy policy = *this;
  for (Kept& kept : policy.kept_) {
    if (kept.size() == 1 && kept[0].first == 0 && kept[0].last + 1 == layers) {
      kept[0].last = kEveryLayer;
    }
  }
  return policy;
}

std::string Int8Policy::text() const {
  std::string text;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    for (const Layers& layers : kept_[i]) {
      text += fmt::format("{}{}{}", text.empty() ? "" : ",", text_of(layers), kLinearNames[i]);
    }
  }
  return text.empty() ? std::string(kNone) : text;
}

std::optional<std::size_t> Int8Policy::last_layer() const {
  std::optional<std::size_t> last;
  for (const Kept& kept : kept_) {
    if (kept.empty() || kept.back().last == kEveryLayer) continue;
    last = std::max(last.value_or(0), kept.back().last);
  }
  return last;
}

// Adds an item like "fc2", "3.fc2" or "3-5.fc2". Returns false for any other text.
bool Int8Policy::add(std::string_view item) {
  const std::size_t dot = item.find('.');
  const bool has_layers = dot != std::string_view::npos;
  const std::string_view name = has_layers ? item.substr(dot + 1) : item;
  const auto found = std::ranges::find(kLinearNames, name);
  if (found == kLinearNames.end()) return false;
  const std::optional<Layers> layers =
      has_layers ? parse_layers(item.substr(0, dot)) : Layers{.first = 0, .last = kEveryLayer};
  if (!layers) return false;
  kept_[static_cast<std::size_t>(found - kLinearNames.begin())].push_back(*layers);
  return true;
}

// Reads one layer, "3", or a range of layers, "3-5".
std::optional<Int8Policy::Layers> Int8Policy::parse_layers(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_count(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_count(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last > kMostLayer) return std::nullopt;
  return Layers{.first = *first, .last = *last};
}

// Returns the layers as text before a linear's name: "3.", "3-5." or nothing for every layer.
std::string Int8Policy::text_of(const Layers& layers) {
  if (layers.last == kEveryLayer) return {};
  if (layers.first == layers.last) return fmt::format("{}.", layers.first);
  return fmt::format("{}-{}.", layers.first, layers.last);
}

void Int8Policy::merge(Kept& kept) {
  std::ranges::sort(kept, {}, &Layers::first);
  Kept merged;
  for (const Layers& next : kept) {
    const bool touches = !merged.empty() &&
                         (next.first <= merged.back().last || next.first == merged.back().last + 1);
    if (touches) {
      merged.back().last = std::max(merged.back().last, next.last);
    } else {
      merged.push_back(next);
    }
  }
  kept = std::move(merged);
}

}  // namespace virnucpro
