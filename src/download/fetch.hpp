#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "download/download_progress.hpp"
#include "download/file_hashes.hpp"
#include "download/sources.hpp"

namespace virnucpro {

// Fetches a file into `partial`, syncs it and returns its hashes, if size and hash are as expected.
// Continues a file that an earlier download left in `partial`; without a known hash, only if the
// server's version is still remote.etag. `name` is for messages. Asks for byte ranges (Range) and
// checks every answer, so that another range, length or version (ETag) is never appended to
// `partial`. After a temporary failure, tries again, then tries the next mirror. Writes at most the
// expected number of bytes or, if that is unknown, expected.most. Errors: kNetwork;
// kDownloadMismatch, which removes `partial`; kNoSpace if the reply is the first to tell the size;
// kOutputWrite, which removes a `partial` of unknown size; those of Cancel, which keep `partial`.
FileHashes fetch_file(Sources& sources, const RemoteFile& remote, const ExpectedFile& expected,
                      const std::string& name, const std::filesystem::path& partial,
                      DownloadProgress& progress);

// Returns the error kDownloadMismatch for a file of more than `most` bytes.
Error too_large_error(const std::string& url, std::uint64_t most);
// Throws kNoSpace if the folder's disk has fewer than `needed` bytes free, and kOutputWrite if the
// free space cannot be read.
void require_space(const std::filesystem::path& folder, std::uint64_t needed);

}  // namespace virnucpro
