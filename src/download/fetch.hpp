#pragma once

#include <filesystem>
#include <string>

#include "download/download_progress.hpp"
#include "download/file_hashes.hpp"
#include "download/sources.hpp"

namespace virnucpro {

// Fetches a file into `partial`, going on behind what an earlier download left there, and returns
// what it is: of the expected size and hash, and synced. `name` is for people. It asks for parts
// (Range) and checks every answer: another part, another length, another version (ETag) or the
// whole file again is found, and never joined to what is there. What fails for a while is tried
// again, then the next mirror. Errors: kNetwork; kDownloadMismatch, without `partial`;
// kOutputWrite; Cancel's, with what came so far in `partial`.
FileHashes fetch_file(Sources& sources, const RemoteFile& remote, const ExpectedFile& expected,
                      const std::string& name, const std::filesystem::path& partial,
                      DownloadProgress& progress);

}  // namespace virnucpro
