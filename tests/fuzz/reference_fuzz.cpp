// A reference for CRAM, and the index beside it: FASTA, a NUL byte, the index. htslib reads both.
// They are taken, or refused with a typed error, and no sequence is longer than all of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "sequence/reference_index.hpp"

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const virnucpro::TemporaryFolder folder;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\0'), size);
  const fs::path reference = folder.path() / "reference.fa";
  const fs::path index = folder.path() / "reference.fa.fai";
  write(reference, input.substr(0, end));
  fs::remove(index);
  if (end < size) write(index, input.substr(end + 1));
  try {
    virnucpro::ReferenceIndex read(reference.string());
    read.prepare();
    if (read.longest() > read.letters()) std::abort();
  } catch (const virnucpro::Error& error) {
    if (error.kind() != virnucpro::ErrorKind::kInputReference) std::abort();
  }
  return 0;
}
