#include "sequence/cram_process.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "sequence/child_process.hpp"
#include "sequence/cram_decoder.hpp"

namespace virnucpro {

CramProcess::CramProcess(const std::string& reference, Input input, const Cancel& cancel)
    : input_(std::move(input)), cancel_(cancel) {
  socket_ = process_.start("decode CRAM", [&reference] { decode_cram(reference); });
  read_hello();
}

void CramProcess::read_hello() {
  std::array<char, sizeof(CramHello)> bytes{};
  std::size_t size = 0;
  while (size < bytes.size()) {
    cancel_.check();
    if (process_.wait(socket_.get(), POLLIN) == 0) continue;
    const ssize_t got = ::recv(socket_.get(), bytes.data() + size, bytes.size() - size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  base_ = value_at<CramHello>({bytes.data(), bytes.size()}).data_bytes;
  if (base_ == 0) {
    throw Error(ErrorKind::kInputRead,
                "the process that decodes CRAM did not begin: it needs /proc and /dev/null")
        .advised("Run again on a system or in a container that has both.");
  }
}

void CramProcess::allow(std::uint64_t bytes, std::uint64_t seconds) {
  process_.allow(base_ + bytes, seconds);
}

// Returns the next bytes of the frames, and sends input meanwhile: if this process did only one of
// the two at a time, it and the decoder could wait for each other for ever.
std::size_t CramProcess::read(std::span<char> buffer) {
  while (true) {
    cancel_.check();
    refill();
    const int ready =
        process_.wait(socket_.get(), taken_ < given_.size() ? POLLIN | POLLOUT : POLLIN);
    if ((ready & POLLOUT) != 0) send_some();
    if ((ready & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    return got < 0 ? 0 : static_cast<std::size_t>(got);  // if got < 0, the process has ended
  }
}

void CramProcess::refill() {
  if (ended_ || taken_ < given_.size()) return;
  taken_ = 0;
  given_.clear();
  if (std::optional<std::string> next = input_()) {
    given_ = *std::move(next);
    return;
  }
  ended_ = true;
  ::shutdown(socket_.get(), SHUT_WR);
}

void CramProcess::send_some() {
  const ssize_t done = ::send(socket_.get(), given_.data() + taken_, given_.size() - taken_,
                              MSG_NOSIGNAL | MSG_DONTWAIT);
  if (done < 0 && (errno == EINTR || errno == EAGAIN)) return;
  // If the process no longer reads, drops the input; read() still returns the frames it has sent.
  taken_ = done < 0 ? given_.size() : taken_ + static_cast<std::size_t>(done);
}

}  // namespace virnucpro
