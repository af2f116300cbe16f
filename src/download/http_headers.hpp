#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace virnucpro {

// The parts of HTTP (RFC 9110) that a download reads. A server may send anything, so a value that
// cannot be read is empty.

// The headers of a reply, under their names in lower case.
class HttpHeaders {
 public:
  // Adds a line of a reply's head. A status line begins a new reply, and drops the previous
  // headers. Lines beyond 64 KiB in total are left out.
  void add(std::string_view line);

  std::string get(std::string_view name) const;  // `name` in lower case; empty if missing
  // Returns a header that is a number of bytes or seconds.
  std::optional<std::uint64_t> number(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::size_t bytes_ = 0;
};

// The values of a Content-Range such as "bytes 100-199/200"; the total may be unknown ("*").
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::optional<std::uint64_t> total{};
};
std::optional<ContentRange> parse_content_range(std::string_view text);

// Returns an ETag without quotes and "W/" (weak ETags); huggingface_hub names blobs in this form.
std::string etag_value(std::string_view etag);
// Returns true if an ETag may be used in If-Range, that is, if it is quoted and not weak.
bool is_strong_etag(std::string_view etag);

// Returns "https://host:443" for a URL, in lower case; empty if the URL is neither http nor https,
// or contains a user name.
std::string origin_of(std::string_view url);
// Resolves a reply's Location against the URL `base`; empty if the result is not http or https.
std::string resolve_url(std::string_view base, std::string_view location);
bool is_secure(std::string_view url);  // true for https

}  // namespace virnucpro
