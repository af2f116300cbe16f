#include "sequence/cram_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "sequence/cram_decoder.hpp"

namespace virnucpro {
namespace {

constexpr int kPollMilliseconds = 200;

// What is left of this process when it decodes CRAM: the socket and nothing else.
[[noreturn]] void become_decoder(int socket, const std::string& reference) {
  ::dup2(socket, STDIN_FILENO);
  ::dup2(socket, STDOUT_FILENO);
  ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);  // htslib reports there
  ::close_range(STDERR_FILENO + 1, UINT_MAX, 0);
  // The one who started it decides when it ends.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_IGN);
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
  try {
    decode_cram(reference);
  } catch (...) {  // that it ends early says it
  }
  ::_exit(0);
}

}  // namespace

CramProcess::CramProcess(const std::string& reference, Input input, const Cancel& cancel)
    : input_(std::move(input)), cancel_(cancel) {
  start(reference);
  read_hello();
}

CramProcess::~CramProcess() {
  socket_.reset();
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void CramProcess::start(const std::string& reference) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(ErrorKind::kInputRead, errno_text(errno));
  }
  socket_ = UniqueFd(ends[0]);
  const UniqueFd theirs(ends[1]);
  process_ = ::fork();
  if (process_ == 0) become_decoder(theirs.get(), reference);
  if (process_ < 0) throw Error(ErrorKind::kInputRead, errno_text(errno));
}

void CramProcess::read_hello() {
  CramHello hello;
  std::array<char, sizeof(hello)> bytes{};
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::recv(socket_.get(), bytes.data() + size, bytes.size() - size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  std::memcpy(&hello, bytes.data(), bytes.size());
  base_ = hello.data_bytes;
}

void CramProcess::allow(std::uint64_t bytes) const {
  rlimit limit{};
  if (::prlimit(process_, RLIMIT_DATA, nullptr, &limit) != 0) {
    throw Error(ErrorKind::kInputRead, errno_text(errno));
  }
  limit.rlim_cur = std::min<rlim_t>(base_ + bytes, limit.rlim_max);
  if (::prlimit(process_, RLIMIT_DATA, &limit, nullptr) != 0) {
    throw Error(ErrorKind::kInputRead, errno_text(errno));
  }
}

// Both directions at once: whoever waits for one only would wait for ever.
std::size_t CramProcess::read(std::span<char> buffer) {
  while (true) {
    cancel_.check();
    refill();
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (taken_ < given_.size()) ready.events |= POLLOUT;
    if (::poll(&ready, 1, kPollMilliseconds) <= 0) continue;
    if ((ready.revents & POLLOUT) != 0) send_some();
    if ((ready.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    return got < 0 ? 0 : static_cast<std::size_t>(got);  // it is gone: as good as an end
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
  // Nobody reads it any more: what came out before that is still to be read.
  taken_ = done < 0 ? given_.size() : taken_ + static_cast<std::size_t>(done);
}

}  // namespace virnucpro
