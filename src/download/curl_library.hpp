#pragma once

#include <curl/curl.h>

#include <string>

namespace virnucpro {

// The functions of libcurl, which is opened at the first request. The program does not link
// libcurl, because then every start of the program and of each worker would load it and its twenty
// dependencies. Only `download` uses a network.
struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
};

// Returns the opened library. Errors: kNetwork if this system has no libcurl.
const CurlLibrary& curl_library();

// Lets a request use only this scheme, "https" or "http". Also supports libcurl before 7.85 (RHEL
// 9, Ubuntu 22.04), which expects a set of bits instead of a name.
CURLcode allow_only(const CurlLibrary& curl, CURL* handle, const std::string& scheme);

}  // namespace virnucpro
