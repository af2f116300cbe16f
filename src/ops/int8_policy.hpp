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

// The linears of a layer of ESM-2.
enum class Esm2Linear : std::uint8_t { kQkv, kOut, kFc1, kFc2 };
inline constexpr std::size_t kEsm2Linears = 4;
std::string_view name_of(Esm2Linear linear);  // "qkv"

// The place of one linear in a model.
struct Esm2Place {
  std::size_t layer = 0;
  Esm2Linear linear = Esm2Linear::kQkv;
};

// Says which of ESM-2's linears Precision::kInt8 computes in 8 bits, and which it keeps in 16.
// Equal policies have the same text, however they were written, so that they count as the same run.
class Int8Policy {
 public:
  // Makes the policy that computes all linears in 8 bits.
  Int8Policy() = default;

  // Reads the linears to keep in 16 bits: "none", or a comma list of "fc2" (in every layer),
  // "0.qkv" or "30-35.fc1". Layers count from 0. Returns nothing for any other text.
  static std::optional<Int8Policy> parse(std::string_view text);

  // Returns the policy that keeps only these linears in 16 bits.
  static Int8Policy keeping(std::span<const Esm2Place> places);

  bool in_8_bits(std::size_t layer, Esm2Linear linear) const;
  bool in_8_bits(const Esm2Place& place) const { return in_8_bits(place.layer, place.linear); }
  // Returns this policy for a model of `layers` layers: 0-35.fc2 becomes fc2 if the last is 35.
  Int8Policy of_model(std::size_t layers) const;
  // Returns a text that parse() reads. Two policies have the same text if they keep the same
  // linears in models of any size or, after of_model(), in that model.
  std::string text() const;
  // Returns the last layer that the text names by its number; empty if it names none.
  std::optional<std::size_t> last_layer() const;

  bool operator==(const Int8Policy&) const = default;

 private:
  struct Layers {
    std::size_t first = 0;
    std::size_t last = 0;  // inclusive

    bool operator==(const Layers&) const = default;
  };
  // Layers of one linear: ascending, without overlap, and joined where they touch.
  using Kept = std::vector<Layers>;

  bool add(std::string_view item);
  static std::optional<Layers> parse_layers(std::string_view text);
  static std::string text_of(const Layers& layers);
  static void merge(Kept& kept);

  std::array<Kept, kEsm2Linears> kept_{};
};

}  // namespace virnucpro
