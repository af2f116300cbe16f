#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/cancel.hpp"
#include "download/http_headers.hpp"
#include "download/pace.hpp"

namespace virnucpro {

struct HttpRequest {
  std::string url;
  bool head = false;       // ask for the headers only
  std::uint64_t from = 0;  // offset of the first byte to send
  std::string if_range{};  // an ETag; a server with another version sends the whole file
  std::string token{};     // sent as "Authorization: Bearer"
};

struct HttpReply {
  int status = 0;  // 0 without a reply
  HttpHeaders headers{};
  std::string failure{};  // why the reply is missing or incomplete; empty if it is complete
  bool hopeless = false;  // the same request would fail again, as for a wrong certificate

  bool is_redirect() const;
};

// Receives the body of a reply. An exception of a sink ends the transfer, and send() throws it.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // Called once, before the body's first byte; also if there is no body. Returns false to refuse
  // the body.
  virtual bool accept(const HttpReply& reply) = 0;
  // Receives some bytes of the body. Returns false to end the transfer.
  virtual bool take(std::string_view part) = 0;
  // Called about once a second, also while no data comes.
  virtual void tick() = 0;
};

// Sends HTTP requests by libcurl, one at a time. Redirects are not followed, because the caller
// decides which data may be sent to which server. Certificates are always verified. Proxies come
// from the environment (https_proxy, http_proxy, no_proxy). A connection slower than `pace` fails.
class HttpClient {
 public:
  explicit HttpClient(const Cancel& cancel, const Pace& pace = {});
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Errors: kNetwork without libcurl or a certificate bundle; those of Cancel and the sink.
  HttpReply send(const HttpRequest& request, BodySink* sink = nullptr);

 private:
  class Transfer;
  const Cancel& cancel_;
  const Pace pace_;
  std::shared_ptr<void> handle_;  // made by the first request
};

// Returns the file of certificates of trusted authorities: SSL_CERT_FILE, or the system's file (in
// the places of Debian, RHEL and SUSE). Errors: kNetwork.
std::string certificate_bundle();

}  // namespace virnucpro
