#pragma once

#include <deque>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "engine/wire.hpp"

namespace virnucpro {

// Both ends of a stream socket between two processes. They do not block, and are closed in any
// program that one of the processes starts.
struct ChannelEnds {
  UniqueFd one;
  UniqueFd other;
};
// Throws kOutOfMemory if the system has no more descriptors.
ChannelEnds make_channel();

// Receives messages from one end. Only one thread at a time may use it.
class MessageReader {
 public:
  MessageReader(int socket, const WireLimits& limits) : socket_(socket), wire_(limits) {}

  // Reads available bytes without waiting, up to some megabytes; false if the other side is gone.
  bool read();
  // Returns the next message. Errors: those of WireReader.
  std::optional<WorkerMessage> next_message() { return wire_.next_message(); }
  std::size_t message_bytes() const { return wire_.message_bytes(); }
  WireLimits& limits() { return wire_.limits(); }

 private:
  int socket_;
  WireReader wire_;
};

// Sends messages into one end. Only one thread at a time may use it.
class MessageWriter {
 public:
  explicit MessageWriter(int socket) : socket_(socket) {}

  // Queues a message. A large message is `encoded` once, even if it is sent often.
  void add(std::string encoded) { waiting_.push_back(std::move(encoded)); }
  // Sends as much as possible without waiting. If the other side is gone, or memory is short, it
  // closes the connection, so that the reader notices.
  void write();
  bool has_more() const { return !is_broken_ && !waiting_.empty(); }
  // Returns the number of messages that were not sent completely.
  std::size_t unsent() const { return waiting_.size(); }

 private:
  int socket_;
  std::deque<std::string> waiting_;
  std::size_t sent_ = 0;  // bytes of the first message
  bool is_broken_ = false;
};

}  // namespace virnucpro
