#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// The four linears of an ESM-2 layer.
enum class Esm2Linear : std::uint8_t { kQkv, kOut, kFc1, kFc2 };
inline constexpr std::size_t kEsm2Linears = 4;
std::string_view name_of(Esm2Linear linear);  // "qkv"

// Names one linear of an ESM-2 model.
struct Esm2Place {
  std::size_t layer = 0;
  Esm2Linear linear = Esm2Linear::kQkv;
};

// Says which of ESM-2's linears Precision::kInt8 computes in 8 bits; the others stay in 16 bits.
class Int8Policy {
 public:
  // Makes a policy that computes all linears in 8 bits.
  Int8Policy() = default;

  // Reads the linears that stay in 16 bits: "none", or items separated by commas: "fc2" (in every
  // layer), "0.qkv" or "30-35.fc1". Layers count from 0. Returns nothing for any other text.
  static std::optional<Int8Policy> parse(std::string_view text);

  // Returns a policy that leaves only these linears in 16 bits.
  static Int8Policy keeping(std::span<const Esm2Place> places);

  bool in_8_bits(std::size_t layer, Esm2Linear linear) const;
  bool in_8_bits(const Esm2Place& place) const { return in_8_bits(place.layer, place.linear); }
  // Returns this policy for a model with `layers` layers: with 36 layers, 0-35.fc2 becomes fc2.
  Int8Policy of_model(std::size_t layers) const;
  // Returns a text that parse() accepts. Equal policies have the same text, whatever the order of
  // the user's list. "0-35.fc2" and "fc2" become equal through of_model(36).
  std::string text() const;
  // Returns the largest layer number in the text; empty if the text has no layer numbers.
  std::optional<std::size_t> last_layer() const;

  bool operator==(const Int8Policy&) const = default;

 private:
  struct Layers {
    std::size_t first = 0;
    std::size_t last = 0;  // inclusive

    bool operator==(const Layers&) const = default;
  };
  // The layers in which one linear stays in 16 bits: ascending ranges; adjacent ranges are merged.
  using Kept = std::vector<Layers>;

  bool add(std::string_view item);
  static std::optional<Layers> parse_layers(std::string_view text);
  static std::string text_of(const Layers& layers);
  static void merge(Kept& kept);

  std::array<Kept, kEsm2Linears> kept_{};
};

}  // namespace virnucpro
