#pragma once

#include <deque>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "engine/wire.hpp"

namespace virnucpro {

// Both ends of a stream socket between two processes. Both are non-blocking, and programs that
// either process starts do not inherit them.
struct ChannelEnds {
  UniqueFd one;
  UniqueFd other;
};
// Throws kOutOfMemory or kTooManyFiles if the system has no more memory or descriptors.
ChannelEnds make_channel();

// Receives messages from a socket. Only one thread at a time may use this object.
class MessageReader {
 public:
  MessageReader(int socket, const WireLimits& limits) : socket_(socket), wire_(limits) {}

  // Reads at most 4 MiB without waiting. Returns false if the other process closed its end.
  bool read();
  // Returns the next message. Errors: those of WireReader.
  std::optional<WorkerMessage> next_message() { return wire_.next_message(); }
  std::size_t message_bytes() const { return wire_.message_bytes(); }
  WireLimits& limits() { return wire_.limits(); }

 private:
  int socket_;
  WireReader wire_;
};

// Sends messages into a socket. Only one thread at a time may use this object.
class MessageWriter {
 public:
  explicit MessageWriter(int socket) : socket_(socket) {}

  // Queues a message, as encode_message() returned it.
  void add(std::string encoded) { waiting_.push_back(std::move(encoded)); }
  // Sends as much as possible without waiting. If sending fails, closes the connection, so that the
  // readers of both processes notice the failure.
  void write();
  bool has_more() const { return !is_broken_ && !waiting_.empty(); }
  // Returns the number of messages that were not sent completely.
  std::size_t unsent() const { return waiting_.size(); }

 private:
  int socket_;
  std::deque<std::string> waiting_;
  std::size_t sent_ = 0;  // bytes of the first message that were sent
  bool is_broken_ = false;
};

}  // namespace virnucpro
