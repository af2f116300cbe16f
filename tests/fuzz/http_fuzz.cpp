// Parses the head of a server's reply, line by line. Headers are bounded, a Content-Range is one
// part of a whole, and a redirect leads only to http or https.

#include "download/http_headers.hpp"
#include "fuzz/target.hpp"

namespace {

using virnucpro::fuzz::require;

void check_line(std::string_view line) {
  if (const auto range = virnucpro::parse_content_range(line)) {
    require(range->first <= range->last && (!range->total || range->last < *range->total));
  }
  require(virnucpro::etag_value(line).size() <= line.size());
  for (const char* base : {"https://host:1/a/b?c", "http://host"}) {
    const std::string url = virnucpro::resolve_url(base, line);
    const std::string origin = virnucpro::origin_of(url);
    require(url.empty() == origin.empty());
    require(origin.find('@') == std::string::npos);
    require(origin.empty() || origin.starts_with("http://") || origin.starts_with("https://"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  virnucpro::HttpHeaders headers;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    headers.add(line);
    check_line(line);
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
  }
  for (const char* name : {"location", "etag", "content-length", "x-linked-size"}) {
    const std::string value = headers.get(name);
    require(value.size() <= size);
    check_line(value);
    headers.number(name);
  }
  return 0;
}
