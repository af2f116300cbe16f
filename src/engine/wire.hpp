#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "engine/worker_messages.hpp"

namespace virnucpro {

// Messages on a stream. Each is a frame: a head (magic, version, type, the payload's length and
// CRC-32C, the head's own CRC-32C), then the payload; all numbers are little-endian. The reader
// does not trust the other side: any bytes become a message or an Error. A head is checked as soon
// as it is complete, so that no more than one payload of an allowed length is collected.

inline constexpr std::size_t kWireHead = 20;
// The limit of a payload: a batch of 65,536 frames with the widest published embeddings fits.
inline constexpr std::uint32_t kMostPayload = 0x7fffffffU;

// The longest payloads, in bytes. encode_message() shortens texts to fit. A setup has seven texts,
// mostly paths. A request is a batch of the largest token budget.
inline constexpr std::uint64_t kMostSetup = 64U << 10U;
inline constexpr std::uint64_t kMostHello = 256U << 10U;
inline constexpr std::uint64_t kMostRequest = 64U << 20U;
inline constexpr std::uint64_t kMostFailure = 64U << 10U;
inline constexpr std::uint64_t kMostLogLine = 17U << 10U;
inline constexpr std::uint64_t kMostTrace = 24U << 20U;

// Writes a complete frame. Errors: kInternal for a message that is too long.
std::string encode_message(const WorkerMessage& message);

// The longest payload that a reader accepts, by type of message; at first no type is accepted.
class WireLimits {
 public:
  template <typename Message>
  void allow(std::uint64_t bytes) {
    most_.at(WorkerMessage(Message{}).index()) = bytes;
  }
  std::uint64_t most(std::size_t type) const { return most_.at(type); }

 private:
  std::array<std::uint64_t, std::variant_size_v<WorkerMessage>> most_{};
};

// Splits a byte stream into messages.
class WireReader {
 public:
  explicit WireReader(const WireLimits& limits) : limits_(limits) {}

  // Returns the limits. They may change between messages: those sent decide which answers may come.
  WireLimits& limits() { return limits_; }
  void add(std::span<const char> bytes);
  // Returns the next message, or nothing until it is complete. Errors: kInternal for anything that
  // encode_message() would not write; the stream is useless after an error.
  std::optional<WorkerMessage> next_message();
  // True if the stream ends between two messages.
  bool at_end() const { return taken_ == bytes_.size(); }
  // Returns the size of the last message.
  std::size_t message_bytes() const { return message_bytes_; }

 private:
  WireLimits limits_;
  std::string bytes_;
  std::size_t taken_ = 0;  // number of bytes read so far
  std::size_t message_bytes_ = 0;
};

// Complete a frame, or its head alone, with length and checksums, for tests.
std::string sealed_frame(std::string frame);
std::string sealed_head(std::string frame);

}  // namespace virnucpro
