#include "sequence/socket_pair.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr int kPollMilliseconds = 200;

}  // namespace

SocketPair make_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(ErrorKind::kInputRead, errno_text(errno));
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

int wait_a_while(int fd, int events) {
  pollfd waiting{.fd = fd, .events = static_cast<short>(events), .revents = 0};
  return ::poll(&waiting, 1, kPollMilliseconds) > 0 ? waiting.revents : 0;
}

}  // namespace virnucpro
