#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace virnucpro {

// The parts of HTTP (RFC 9110) that a download reads. A server may send anything: values that
// cannot be read are empty.

// The headers of a reply, under their names in lower case.
class HttpHeaders {
 public:
  // One line of a reply's head. A status line begins a new reply, and drops what was before. Lines
  // beyond 64 KiB are left out.
  void add(std::string_view line);

  std::string get(std::string_view name) const;  // `name` in lower case; empty: none
  // A header that is a number of bytes or seconds.
  std::optional<std::uint64_t> number(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::size_t bytes_ = 0;
};

// "bytes 100-199/200"; the total may be unknown ("*").
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::optional<std::uint64_t> total{};
};
std::optional<ContentRange> parse_content_range(std::string_view text);

// Returns an ETag without its quotes and mark of weakness, as huggingface_hub names its blobs.
std::string etag_value(std::string_view etag);
// True if an ETag may stand in If-Range: quoted, and not a weak one.
bool is_strong_etag(std::string_view etag);

// "https://host:443" of a URL, in lower case; empty if it is no URL of http or https, or names a
// user.
std::string origin_of(std::string_view url);
// The URL that a reply's Location means; empty if it is of neither http nor https.
std::string resolve_url(std::string_view base, std::string_view location);
bool is_secure(std::string_view url);  // https

}  // namespace virnucpro
