#pragma once

#include "base/file.hpp"

namespace virnucpro {

// Two ends of a stream; what is written to one is read from the other.
struct SocketPair {
  UniqueFd one;
  UniqueFd other;
};

// Errors: kInputRead.
SocketPair make_socket_pair();

// Waits for one of poll()'s `events`, or so long that a cancellation is seen soon. What came of
// them, 0 for none.
int wait_a_while(int fd, int events);

}  // namespace virnucpro
