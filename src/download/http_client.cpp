#include "download/http_client.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/version.hpp"
#include "download/curl_library.hpp"

namespace virnucpro {
namespace {

constexpr long kConnectSeconds = 30;
constexpr std::uint64_t kMostUnwanted = 1U << 20U;  // bytes of a refused body that are read

constexpr std::array kBundles{
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian
    "/etc/pki/tls/certs/ca-bundle.crt",                   // RHEL
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // RHEL 10
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/var/lib/ca-certificates/ca-bundle.pem",             // SUSE, too
};

struct FreeHeaderList {
  void operator()(curl_slist* list) const { curl_library().slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeHeaderList>;

void add_header(HeaderList& list, const std::string& line) {
  curl_slist* const longer = curl_library().slist_append(list.get(), line.c_str());
  if (longer == nullptr) throw Error(ErrorKind::kOutOfMemory, "");
  static_cast<void>(list.release());
  list.reset(longer);
}

bool is_hopeless(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
}

[[noreturn]] void fail_certificates(std::string detail, std::string_view remedy) {
  throw Error(ErrorKind::kNetwork, std::move(detail))
      .advised(fmt::format("{} (Debian: apt-get install ca-certificates).", remedy));
}

}  // namespace

bool HttpReply::is_redirect() const {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string certificate_bundle() {
  const char* set = std::getenv("SSL_CERT_FILE");
  if (set != nullptr && *set != '\0') {
    if (is_there(set)) return set;
    fail_certificates(fmt::format("SSL_CERT_FILE names {}, which is not there", set),
                      "Correct SSL_CERT_FILE, or unset it to use the system's certificates");
  }
  for (const char* bundle : kBundles) {
    if (is_there(bundle)) return bundle;
  }
  fail_certificates(
      fmt::format("no certificates of trusted authorities found in {}", fmt::join(kBundles, ", ")),
      "Install certificates, or set SSL_CERT_FILE to a file with certificates");
}

// One request and its reply. libcurl's callbacks must not throw, so an exception of the sink is
// kept until the transfer has ended.
class HttpClient::Transfer {
 public:
  Transfer(CURL* handle, const HttpRequest& request, BodySink* sink, const Cancel& cancel,
           const Pace& pace)
      : curl_(curl_library()), handle_(handle), sink_(sink), cancel_(cancel), watch_(pace) {
    curl_.easy_reset(handle_);
    set_up(request);
    set_headers(request);
  }

  HttpReply run() {
    const CURLcode code = curl_.easy_perform(handle_);
    if (code == CURLE_OK && !asked_) take({});  // a reply without a body
    cancel_.check();
    if (thrown_) std::rethrow_exception(thrown_);
    curl_.easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status_);
    reply_.status = static_cast<int>(status_);
    if (code != CURLE_OK && !unwanted_) {
      reply_.failure = is_too_slow_ ? watch_.text() : failure_of(code);
      reply_.hopeless = is_hopeless(code);
    }
    return std::move(reply_);
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    require(curl_.easy_setopt(handle_, option, value), option);
  }

  std::string failure_of(CURLcode code) const {
    const std::string text = text_.data();
    const bool may_have_password = text.find('@') != std::string::npos;  // in a proxy's URL
    return text.empty() || may_have_password ? curl_.easy_strerror(code) : text;
  }

  void require(CURLcode code, CURLoption option) const {
    if (code == CURLE_OK) return;
    throw Error(ErrorKind::kNetwork, fmt::format("libcurl does not accept option {}: {}",
                                                 int{option}, curl_.easy_strerror(code)));
  }

  void set_up(const HttpRequest& request) {
    set(CURLOPT_URL, request.url.c_str());
    require(allow_only(curl_, handle_, is_secure(request.url) ? "https" : "http"),
            CURLOPT_PROTOCOLS_STR);
    if (is_secure(request.url)) {
      const std::string bundle = certificate_bundle();
      set(CURLOPT_CAINFO, bundle.c_str());
      set(CURLOPT_PROXY_CAINFO, bundle.c_str());
    }
    set(CURLOPT_NOBODY, request.head ? 1L : 0L);
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);  // leaves out a proxy's headers
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    set(CURLOPT_ERRORBUFFER, text_.data());
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_tick);
    set(CURLOPT_XFERINFODATA, this);
  }

  void set_headers(const HttpRequest& request) {
    add_header(headers_, fmt::format("User-Agent: virnucpro/{}", program_version()));
    if (request.from > 0) {
      set(CURLOPT_RANGE, fmt::format("{}-", request.from).c_str());
      if (!request.if_range.empty()) add_header(headers_, "If-Range: " + request.if_range);
    }
    if (!request.token.empty()) add_header(headers_, "Authorization: Bearer " + request.token);
    set(CURLOPT_HTTPHEADER, headers_.get());
  }

  static std::size_t on_header(char* text, std::size_t, std::size_t size, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    return transfer.guarded([&] {
      transfer.reply_.headers.add({text, size});
      return size;
    });
  }

  static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    return transfer.guarded([&] { return transfer.take({bytes, size}); });
  }

  static int on_tick(void* self, curl_off_t, curl_off_t came, curl_off_t, curl_off_t) {
    auto& transfer = *static_cast<Transfer*>(self);
    transfer.is_too_slow_ = transfer.watch_.is_too_slow(static_cast<std::uint64_t>(came));
    if (transfer.cancel_.requested() || transfer.is_too_slow_) return 1;
    return transfer.guarded([&]() -> std::size_t {
      if (transfer.sink_ != nullptr) transfer.sink_->tick();
      return 1;
    }) == 0;
  }

  // Returns the part's size, or any other number to end the transfer.
  std::size_t take(std::string_view part) {
    if (!asked_) {
      asked_ = true;
      curl_.easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status_);
      reply_.status = static_cast<int>(status_);
      unwanted_ = sink_ == nullptr || !sink_->accept(reply_);
    }
    if (!unwanted_) return sink_->take(part) ? part.size() : 0;
    dropped_ += part.size();
    return dropped_ <= kMostUnwanted ? part.size() : 0;
  }

  template <typename Work>
  std::size_t guarded(Work work) noexcept {
    try {
      return work();
    } catch (...) {
      thrown_ = std::current_exception();
      return 0;
    }
  }

  const CurlLibrary& curl_;
  CURL* handle_;
  BodySink* sink_;
  const Cancel& cancel_;
  PaceWatch watch_;
  bool is_too_slow_ = false;
  HeaderList headers_;
  std::array<char, CURL_ERROR_SIZE> text_{};
  long status_ = 0;
  HttpReply reply_;
  bool asked_ = false;
  bool unwanted_ = false;
  std::uint64_t dropped_ = 0;
  std::exception_ptr thrown_;
};

HttpClient::HttpClient(const Cancel& cancel, const Pace& pace) : cancel_(cancel), pace_(pace) {}
HttpClient::~HttpClient() = default;

HttpReply HttpClient::send(const HttpRequest& request, BodySink* sink) {
  if (!handle_) {
    handle_ = {curl_library().easy_init(), [](void* handle) {
                 if (handle != nullptr) curl_library().easy_cleanup(handle);
               }};
    if (!handle_) throw Error(ErrorKind::kOutOfMemory, "libcurl cannot be started");
  }
  return Transfer(handle_.get(), request, sink, cancel_, pace_).run();
}

}  // namespace virnucpro
