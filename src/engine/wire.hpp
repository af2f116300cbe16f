#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/worker_messages.hpp"

namespace virnucpro {

// Messages on a stream. Each is a frame: magic, version, type, length and CRC-32C, then the
// payload; all numbers little-endian. The reader does not trust the other side: any bytes become a
// message or an Error, and nothing is allocated for a size before that many bytes have arrived.

inline constexpr std::size_t kWireHead = 16;
// Enough for a batch of 65,536 frames with the embeddings of the widest published models.
inline constexpr std::uint32_t kMostPayload = 0x7fffffffU;

// Writes a complete frame. Errors: kInternal for a message that is too long.
std::string encode_message(const WorkerMessage& message);

// Splits a byte stream into messages.
class WireReader {
 public:
  void add(std::span<const char> bytes);
  // The next message; empty until it is complete. Errors: kInternal for anything that
  // encode_message() would not write; the stream is useless after it.
  std::optional<WorkerMessage> next_message();
  // Whether the stream ends between two messages.
  bool at_end() const { return taken_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t taken_ = 0;  // bytes of them
};

// Sets the right checksum of a frame, for tests that write their own.
std::string sealed_frame(std::string frame);

}  // namespace virnucpro
