#include "engine/channel.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <span>
#include <vector>

#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kReadAtOnce = 1U << 18U;
constexpr int kReadsInTurn = 16;  // the most reads of one socket before other sockets are read

}  // namespace

ChannelEnds make_channel() {
  std::array<int, 2> ends{};
  constexpr int kType = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  if (::socketpair(AF_UNIX, kType, 0, ends.data()) != 0) {
    throw Error(kind_of_failure(errno, ErrorKind::kOutOfMemory),
                "the socket for a worker process cannot be made: " + errno_text(errno));
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

bool MessageReader::read() {
  thread_local std::vector<char> buffer(kReadAtOnce);
  for (int turn = 0; turn < kReadsInTurn; ++turn) {
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (got <= 0) return false;
    wire_.add(std::span(buffer).first(static_cast<std::size_t>(got)));
  }
  return true;
}

void MessageWriter::write() {
  while (has_more()) {
    const std::string& first = waiting_.front();
    const ssize_t done =
        ::send(socket_, first.data() + sent_, first.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (done < 0) {
      // Nothing more can be sent. Closes the connection, so that the other process notices this.
      ::shutdown(socket_, SHUT_RDWR);
      is_broken_ = true;
      return;
    }
    sent_ += static_cast<std::size_t>(done);
    if (sent_ < first.size()) continue;
    waiting_.pop_front();
    sent_ = 0;
  }
}

}  // namespace virnucpro
