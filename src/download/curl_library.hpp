#pragma once

#include <curl/curl.h>

namespace virnucpro {

// libcurl, which is opened when the first request is sent. Linked, it would be loaded, with the
// twenty libraries that it needs, at every start of the program and of each worker, none of which
// may use it.
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

// Errors: kNetwork where this system has no libcurl.
const CurlLibrary& curl_library();

}  // namespace virnucpro
