#include "run/unit.hpp"

#include <fmt/format.h>

#include "sequence/frames.hpp"

namespace virnucpro {

std::string chunk_id(const std::string& id, std::uint64_t chunk) {
  return fmt::format("{}_chunk_{}", id, chunk + 1);
}

std::string frame_id(const std::string& id, std::uint64_t chunk, std::uint8_t name) {
  return fmt::format("{}_chunk_{}{}", id, chunk + 1, kFrameNames.at(name));
}

}  // namespace virnucpro
