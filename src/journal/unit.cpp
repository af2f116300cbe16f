#include "journal/unit.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "sequence/frames.hpp"

namespace virnucpro {
namespace {

// The most bytes of ids in a unit: a unit must fit in memory, and long ids outweigh its scores.
constexpr std::uint64_t kIdBytesPerUnit = 16U << 20U;

}  // namespace

void UnitSize::add(const SequencePart& part) {
  ++parts_;
  frames_ += part.frames.size();
  id_bytes_ += part.id.size();
}

bool UnitSize::is_full() const {
  return frames_ >= limits().frames_per_unit || parts_ >= limits().sequences_per_unit ||
         id_bytes_ >= kIdBytesPerUnit;
}

std::string unit_name(std::uint32_t input, std::uint64_t index) {
  return fmt::format("unit {} of input {}", index + 1, std::uint64_t{input} + 1);
}

std::string chunk_id(const std::string& id, std::uint64_t chunk) {
  return fmt::format(FMT_COMPILE("{}_chunk_{}"), id, chunk + 1);
}

std::string frame_id(const std::string& id, std::uint64_t chunk, std::uint8_t name) {
  return fmt::format(FMT_COMPILE("{}_chunk_{}{}"), id, chunk + 1, kFrameNames.at(name));
}

}  // namespace virnucpro
