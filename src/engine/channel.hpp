#pragma once

#include <deque>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "engine/wire.hpp"

namespace virnucpro {

// Both ends of a stream socket between two processes; neither blocks, nor lives on in a program
// that one of them starts.
struct ChannelEnds {
  UniqueFd one;
  UniqueFd other;
};
// Errors: kOutOfMemory where the system has no more descriptors.
ChannelEnds make_channel();

// Messages out of one end. One thread at a time.
class MessageReader {
 public:
  explicit MessageReader(int socket) : socket_(socket) {}

  // Reads what is there, without waiting, up to some megabytes; false once the other side is gone.
  bool read();
  // Errors: WireReader's.
  std::optional<WorkerMessage> next_message() { return wire_.next_message(); }

 private:
  int socket_;
  WireReader wire_;
};

// Messages into it. One thread at a time.
class MessageWriter {
 public:
  explicit MessageWriter(int socket) : socket_(socket) {}

  // Puts it behind those that wait. A large message is `encoded` once, however often it is sent.
  void add(std::string encoded) { waiting_.push_back(std::move(encoded)); }
  // Sends what goes without waiting. Where that fails, the other side gone or memory short, the
  // connection ends, which who reads from it learns.
  void write();
  bool has_more() const { return !is_broken_ && !waiting_.empty(); }
  // Messages of which the other side has not got all.
  std::size_t unsent() const { return waiting_.size(); }

 private:
  int socket_;
  std::deque<std::string> waiting_;
  std::size_t sent_ = 0;  // of the first
  bool is_broken_ = false;
};

}  // namespace virnucpro
