#include "download/http_client.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "base/file.hpp"
#include "base/time.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

constexpr int kLetters = 50;
constexpr std::chrono::milliseconds kBetween{20};

// Answers one request, a letter at a time.
class SlowServer {
 public:
  SlowServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const where = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_.get(), where, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener_.get(), where, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { answer(); });
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  void answer() const {
    const UniqueFd client(::accept(listener_.get(), nullptr, nullptr));
    std::array<char, 4096> request{};
    bool is_wanted = ::recv(client.get(), request.data(), request.size(), 0) > 0;
    const auto say = [&](const std::string& text) {
      is_wanted = is_wanted && ::send(client.get(), text.data(), text.size(), MSG_NOSIGNAL) > 0;
    };
    say("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    for (int letter = 0; is_wanted && letter < kLetters; ++letter) {
      std::this_thread::sleep_for(kBetween);
      say("x");
    }
  }

  UniqueFd listener_;
  int port_ = 0;
  std::jthread thread_;
};

struct Letters : BodySink {
  std::size_t count = 0;

  bool accept(const HttpReply&) override { return true; }
  bool take(std::string_view part) override {
    count += part.size();
    return true;
  }
  void tick() override {}
};

class PaceOfHttpClient : public ::testing::Test {
 protected:
  HttpReply send(const Pace& pace) {
    const SlowServer server;
    return HttpClient(cancel_, pace).send({.url = server.url()}, &letters_);
  }

  ScopedVariable no_proxy_{"no_proxy", "127.0.0.1"};
  Cancel cancel_;
  Letters letters_;
};

TEST_F(PaceOfHttpClient, ASlowConnectionIsGivenUp) {
  const HttpReply reply = send({.bytes = 1000, .seconds = 0.2});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.failure, "received less than 1.00 kB in 0.2 s");
  EXPECT_FALSE(reply.hopeless);
  EXPECT_GT(letters_.count, 0U);
  EXPECT_LT(letters_.count, 1U * kLetters);
}

TEST_F(PaceOfHttpClient, OneThatIsNeverSlowMayTakeLong) {
  const HttpReply reply = send({.bytes = 2, .seconds = 0.5});
  EXPECT_EQ(reply.failure, "");
  EXPECT_EQ(letters_.count, 1U * kLetters);
}

}  // namespace
}  // namespace virnucpro
