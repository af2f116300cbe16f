#include "download/http_headers.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostHeaderBytes = 64U << 10U;
constexpr std::size_t kLongestRedirect = 16U << 10U;  // bytes; signed URLs have thousands
constexpr std::string_view kHttpBlanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kHttpBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kHttpBlanks) - begin + 1);
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
    return static_cast<char>(letter < 0x80U ? std::tolower(letter) : letter);
  });
  return lower;
}

// Returns the index of a URL's path, which follows "https://host".
std::size_t path_begin(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string_view::npos;
  return std::min(url.find_first_of("/?#", scheme + 3), url.size());
}

bool is_clean_url(std::string_view text) {
  return text.size() <= kLongestRedirect && std::ranges::all_of(text, [](unsigned char letter) {
           return letter > 0x20U && letter < 0x7fU;
         });
}

}  // namespace

void HttpHeaders::add(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    values_.clear();
    bytes_ = 0;
    return;
  }
  bytes_ += line.size();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || bytes_ > kMostHeaderBytes) return;
  values_[in_lower_case(line.substr(0, colon))] = without_blanks(line.substr(colon + 1));
}

std::string HttpHeaders::get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string{} : found->second;
}

std::optional<std::uint64_t> HttpHeaders::number(std::string_view name) const {
  return parse_count(get(name));
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  if (!text.starts_with(kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || dash > slash) {
    return std::nullopt;
  }
  const auto first = parse_count(text.substr(0, dash));
  const auto last = parse_count(text.substr(dash + 1, slash - dash - 1));
  const std::string_view rest = text.substr(slash + 1);
  const auto total = parse_count(rest);
  if (!first || !last || *first > *last || (!total && rest != "*")) return std::nullopt;
  if (total && *last >= *total) return std::nullopt;
  return ContentRange{*first, *last, total};
}

std::string etag_value(std::string_view etag) {
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') {
    etag = etag.substr(1, etag.size() - 2);
  }
  return std::string(etag);
}

bool is_strong_etag(std::string_view etag) {
  return etag.size() > 2 && etag.front() == '"' && etag.back() == '"';
}

std::string origin_of(std::string_view url) {
  const std::size_t path = path_begin(url);
  if (path == std::string_view::npos || !is_clean_url(url)) return {};
  std::string origin = in_lower_case(url.substr(0, path));
  const bool secure = origin.starts_with("https://");
  if (!secure && !origin.starts_with("http://")) return {};
  const std::string_view host = std::string_view(origin).substr(secure ? 8 : 7);
  if (host.empty() || host.find('@') != std::string_view::npos) return {};
  const std::size_t colon = host.find(':', host.front() == '[' ? host.find(']') : 0);
  if (colon == std::string_view::npos) origin += secure ? ":443" : ":80";
  return origin;
}

std::string resolve_url(std::string_view base, std::string_view location) {
  std::string url;
  const std::size_t path = path_begin(base);
  if (location.empty() || path == std::string_view::npos) return {};
  if (location.find("://") != std::string_view::npos &&
      location.find("://") < location.find_first_of("/?#")) {
    url = location;
  } else if (location.starts_with("//")) {
    url = std::string(base.substr(0, base.find("://") + 1)) + std::string(location);
  } else if (location.starts_with("/")) {
    url = std::string(base.substr(0, path)) + std::string(location);
  } else {
    const std::string_view plain = base.substr(0, base.find_first_of("?#"));
    const std::size_t slash = plain.rfind('/');
    url = slash < path ? std::string(plain) + "/" : std::string(plain.substr(0, slash + 1));
    url += location;
  }
  return origin_of(url).empty() ? std::string{} : url;
}

bool is_secure(std::string_view url) {
  return origin_of(url).starts_with("https://");
}

}  // namespace virnucpro
