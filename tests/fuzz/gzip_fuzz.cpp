// The gzip and BGZF layer on the bytes of any file: it ends, fails only with its own errors, and
// returns the same text and failure for any sizes of reads.
#include <vector>

#include "base/cancel.hpp"
#include "fuzz/target.hpp"
#include "sequence/file_source.hpp"
#include "unit/memory_file.hpp"

namespace {

using virnucpro::fuzz::require;

std::string read(const std::string& path, std::size_t piece) {
  constexpr std::size_t kMostText = 4U << 20U;
  const virnucpro::Cancel cancel;
  std::string text;
  std::vector<char> buffer(piece);
  try {
    virnucpro::FileSource source(path, cancel);
    while (const std::size_t size = source.read(buffer)) {
      require(size <= buffer.size());
      text.append(buffer.data(), size);
      if (text.size() > kMostText) return {};
    }
    require(source.read(buffer) == 0);
  } catch (const virnucpro::Error& error) {
    using enum virnucpro::ErrorKind;
    require(error.kind() == kInputTruncated || error.kind() == kInputCorrupt);
    text += error.what();
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const virnucpro::MemoryFile file({reinterpret_cast<const char*>(data), size});
  require(read(file.path(), 7) == read(file.path(), 1U << 17U));
  return 0;
}
