#pragma once

#include <string>

#include "base/cancel.hpp"
#include "download/download.hpp"

namespace virnucpro {

// The texts that `download` prints about models without fetching any.

// Returns the list of --list, for people or as JSON.
std::string model_list_text(const DownloadSettings& settings);
std::string model_list_json(const DownloadSettings& settings);

// Returns the text of --print-urls: a file for `sha256sum -c`, with commands in its comments that
// fetch the models' files.
std::string carry_list(const DownloadSettings& settings);

// The result of --check: a line for each file, and whether all files are there and whole.
struct CheckReport {
  std::string text{};
  bool is_whole = true;
};
CheckReport check_models(const DownloadSettings& settings, const Cancel& cancel);

}  // namespace virnucpro
