#include "sequence/pipe_relay.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/threads.hpp"
#include "sequence/child_process.hpp"

namespace virnucpro {
PipeRelay::PipeRelay(UniqueFd source, const Cancel& cancel)
    : cancel_(cancel), source_(std::move(source)) {
  SocketPair ends = make_socket_pair();
  output_ = std::move(ends.one);
  input_ = std::move(ends.other);
  thread_ = start_thread([this] { serve(); });
}

PipeRelay::~PipeRelay() {
  stop_ = true;
  output_.reset();
  thread_.join();
}

UniqueFd PipeRelay::release_output() {
  return std::move(output_);
}

void PipeRelay::serve() {
  while (wait_for_data()) {
    const ssize_t got = ::read(source_.get(), buffer_.data(), buffer_.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) error_ = errno;
    if (got <= 0 || !send_all(std::span(buffer_).first(static_cast<std::size_t>(got)))) break;
  }
  input_.reset();
}

// Waits until the source has data or ends. Returns false if the relay was stopped or cancelled.
bool PipeRelay::wait_for_data() const {
  while (!stop_ && !cancel_.requested()) {
    if (wait_a_while(source_.get(), POLLIN) != 0) return true;
  }
  return false;
}

// Returns false if the reader has closed its end of the socket.
bool PipeRelay::send_all(std::span<const char> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace virnucpro
