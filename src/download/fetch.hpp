#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "download/download_progress.hpp"
#include "download/file_hashes.hpp"
#include "download/sources.hpp"

namespace virnucpro {

// Fetches a file into `partial` and syncs it. Returns its hashes, if size and hash are as expected.
// It continues a part that an earlier download left (if no hash is known, only a part of the
// version remote.etag). `name` is for people. It asks for parts (Range) and checks every answer, so
// that another part, length or version (ETag) is never joined to the bytes in `partial`. After a
// passing failure it tries again, then the next mirror. It writes at most the expected bytes or, if
// their number is unknown, expected.most. Errors: kNetwork; kDownloadMismatch, which removes
// `partial`; kNoSpace for a size that the server says only now; kOutputWrite, which removes a
// `partial` of unknown size; those of Cancel, which leave the bytes so far in `partial`.
FileHashes fetch_file(Sources& sources, const RemoteFile& remote, const ExpectedFile& expected,
                      const std::string& name, const std::filesystem::path& partial,
                      DownloadProgress& progress);

// Makes kDownloadMismatch for a file of more bytes than allowed (ExpectedFile::most).
Error too_large_error(const std::string& url, std::uint64_t most);
// Throws kNoSpace if the folder's disk has fewer bytes free. Errors: also kOutputWrite.
void require_space(const std::filesystem::path& folder, std::uint64_t needed);

}  // namespace virnucpro
