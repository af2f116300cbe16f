#pragma once

#include "base/file.hpp"

namespace virnucpro {

// Two connected sockets: what is written to one is read from the other.
struct SocketPair {
  UniqueFd one;
  UniqueFd other;
};

// Errors: kInputRead.
SocketPair make_socket_pair();

// Waits for one of poll()'s `events`, for a short time, so that a cancellation is seen soon.
// Returns the events that came, 0 for none.
int wait_a_while(int fd, int events);

}  // namespace virnucpro
