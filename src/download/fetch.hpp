#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "download/download_progress.hpp"
#include "download/file_hashes.hpp"
#include "download/sources.hpp"

namespace virnucpro {

// Fetches a file into `partial`, going on behind what an earlier download left there (where no hash
// is known: of the version remote.etag), and returns what it is: of the expected size and hash, and
// synced. `name` is for people. It asks for parts (Range) and checks every answer: another part,
// another length, another version (ETag) or the whole file again is found, and never joined to what
// is there. What fails for a while is tried again, then the next mirror. No more is written than
// the expected bytes or, where the size is not known, expected.most. Errors: kNetwork;
// kDownloadMismatch, without `partial`; kNoSpace for a size that the server says only now;
// kOutputWrite, without a `partial` whose size nobody knows; Cancel's, with what came so far in
// `partial`.
FileHashes fetch_file(Sources& sources, const RemoteFile& remote, const ExpectedFile& expected,
                      const std::string& name, const std::filesystem::path& partial,
                      DownloadProgress& progress);

// kDownloadMismatch for a file of more bytes than it may have (ExpectedFile::most).
Error too_large_error(const std::string& url, std::uint64_t most);
// Errors: kNoSpace where the folder's disk has not so many bytes free; kOutputWrite.
void require_space(const std::filesystem::path& folder, std::uint64_t needed);

}  // namespace virnucpro
