#include "download/curl_library.hpp"

#include <dlfcn.h>

#include <array>
#include <string>

#include "base/error.hpp"

namespace virnucpro {
namespace {

// The file names of libcurl: Debian's, which tools/package.sh packs, then the usual name.
constexpr std::array kCurlNames{"libcurl-gnutls.so.4", "libcurl.so.4"};

// CURLOPT_PROTOCOLS as a number, because newer headers warn if the name is used.
constexpr auto kProtocolBits = static_cast<CURLoption>(CURLOPTTYPE_LONG + 181);

void* open_curl() {
  for (const char* name : kCurlNames) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
  }
  throw Error(ErrorKind::kNetwork, std::string("libcurl cannot be loaded: ") + ::dlerror())
      .advised(
          "Install it (Debian: libcurl3-gnutls; elsewhere: libcurl), or fetch the files by hand: "
          "virnucpro download --print-urls.");
}

template <typename Function>
void find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) {
    throw Error(ErrorKind::kNetwork, std::string("libcurl is too old: it has no function ") + name)
        .advised(
            "Install a newer libcurl, or fetch the files by hand: virnucpro download "
            "--print-urls.");
  }
}

CurlLibrary load_curl() {
  void* const library = open_curl();
  CurlLibrary curl;
  find_function(library, "curl_global_init", curl.global_init);
  find_function(library, "curl_easy_init", curl.easy_init);
  find_function(library, "curl_easy_reset", curl.easy_reset);
  find_function(library, "curl_easy_setopt", curl.easy_setopt);
  find_function(library, "curl_easy_perform", curl.easy_perform);
  find_function(library, "curl_easy_getinfo", curl.easy_getinfo);
  find_function(library, "curl_easy_strerror", curl.easy_strerror);
  find_function(library, "curl_easy_cleanup", curl.easy_cleanup);
  find_function(library, "curl_slist_append", curl.slist_append);
  find_function(library, "curl_slist_free_all", curl.slist_free_all);
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    throw Error(ErrorKind::kNetwork, "libcurl cannot be started");
  }
  return curl;
}

}  // namespace

const CurlLibrary& curl_library() {
  static const CurlLibrary kCurl = load_curl();
  return kCurl;
}

CURLcode allow_only(const CurlLibrary& curl, CURL* handle, const std::string& scheme) {
  const CURLcode code = curl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, scheme.c_str());
  if (code != CURLE_UNKNOWN_OPTION) return code;
  const long bits = scheme == "https" ? CURLPROTO_HTTPS : CURLPROTO_HTTP;
  return curl.easy_setopt(handle, kProtocolBits, bits);
}

}  // namespace virnucpro
