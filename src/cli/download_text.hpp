#pragma once

#include <string>

#include "base/cancel.hpp"
#include "download/download.hpp"

namespace virnucpro {

// These functions return texts that `download` prints about models without fetching any.

// Returns the text of --list, for people or as JSON.
std::string model_list_text(const DownloadSettings& settings);
std::string model_list_json(const DownloadSettings& settings);

// Returns the text of --print-urls: input for `sha256sum -c`, with curl commands in comments.
std::string carry_list(const DownloadSettings& settings);

// The result of --check: a line per file. `is_whole` tells if all files are there and undamaged.
struct CheckReport {
  std::string text{};
  bool is_whole = true;
};
CheckReport check_models(const DownloadSettings& settings, const Cancel& cancel);

}  // namespace virnucpro
