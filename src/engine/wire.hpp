#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/worker_messages.hpp"

namespace virnucpro {

// Messages on a stream. Each is a frame: magic, version, type, length and CRC-32C, then the
// payload; all numbers little-endian. Who reads takes the other side for hostile: whatever comes is
// a message or an Error, and no size is believed before so many bytes are there.

inline constexpr std::size_t kWireHead = 16;
// A batch of 65,536 frames with the embeddings of the widest published models stays below it.
inline constexpr std::uint32_t kMostPayload = 0x7fffffffU;

// The whole frame. Errors: kInternal for a message that is too long.
std::string encode_message(const WorkerMessage& message);

// What is left of a byte stream, from one whole frame to the next.
class WireReader {
 public:
  void add(std::span<const char> bytes);
  // The next message, empty while it is not all there. After an error the stream is useless.
  // Errors: kInternal for anything that encode_message() would not have written.
  std::optional<WorkerMessage> next_message();
  // Whether the stream stands between two messages.
  bool at_end() const { return taken_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t taken_ = 0;  // of them
};

// Puts the right checksum on what looks like a frame: for tests that write their own.
std::string sealed_frame(std::string frame);

}  // namespace virnucpro
