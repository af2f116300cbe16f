#pragma once

#include <string>

#include "base/cancel.hpp"
#include "download/download.hpp"

namespace virnucpro {

// The texts that `download` prints about models, without fetching any.

// --list: for people, and as JSON.
std::string model_list_text(const DownloadSettings& settings);
std::string model_list_json(const DownloadSettings& settings);

// --print-urls: a file for `sha256sum -c`, whose comments are the commands that fetch the files.
std::string carry_list(const DownloadSettings& settings);

// --check: a line for each file, and whether all are there and whole.
struct CheckReport {
  std::string text{};
  bool is_whole = true;
};
CheckReport check_models(const DownloadSettings& settings, const Cancel& cancel);

}  // namespace virnucpro
