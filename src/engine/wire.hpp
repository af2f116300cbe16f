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

// Messages on a byte stream. Each message is a head (magic, version, type, the payload's length and
// CRC-32C, the head's own CRC-32C), followed by the payload. All numbers are little-endian. The
// reader does not trust the sender: any bytes become a message or an Error. A head is checked
// before its payload is read, so that at most one payload of an allowed length is collected.

inline constexpr std::size_t kWireHead = 20;
// The most bytes of a payload. 65,536 frames with the widest published embeddings fit.
inline constexpr std::uint32_t kMostPayload = 0x7fffffffU;

// The most bytes of a payload for each type. encode_message() cuts texts of errors and log lines to
// fit. A setup has seven texts, mostly paths. A request has at most kLargestBudget tokens.
inline constexpr std::uint64_t kMostSetup = 64U << 10U;
inline constexpr std::uint64_t kMostHello = 256U << 10U;
inline constexpr std::uint64_t kMostRequest = 64U << 20U;
inline constexpr std::uint64_t kMostFailure = 80U << 10U;
inline constexpr std::uint64_t kMostLogLine = 17U << 10U;
inline constexpr std::uint64_t kMostTrace = 24U << 20U;

// Returns a message's bytes, with its head. Errors: kInternal if its payload exceeds kMostPayload.
std::string encode_message(const WorkerMessage& message);

// The most bytes of a payload that a reader accepts, for each type of message; at first 0.
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

  // Returns the limits. The caller may change them between messages, e.g. to allow a result.
  WireLimits& limits() { return limits_; }
  void add(std::span<const char> bytes);
  // Returns the next message, or nothing until all its bytes were added. Errors: kInternal for
  // bytes that encode_message() does not write; after that, the stream cannot be read.
  std::optional<WorkerMessage> next_message();
  // True if all bytes so far were whole messages.
  bool at_end() const { return taken_ == bytes_.size(); }
  // Returns the size of the last message in bytes, with its head.
  std::size_t message_bytes() const { return message_bytes_; }

 private:
  WireLimits limits_;
  std::string bytes_;
  std::size_t taken_ = 0;  // bytes of `bytes_` that were already returned as messages
  std::size_t message_bytes_ = 0;
};

// Returns the message `frame` with its length and checksums set. Tests also call this.
std::string sealed_frame(std::string frame);
// Returns the message `frame` with its head's checksum set. Tests also call this.
std::string sealed_head(std::string frame);

}  // namespace virnucpro
