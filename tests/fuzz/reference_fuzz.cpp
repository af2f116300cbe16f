// A reference for CRAM, plain or BGZF. It is indexed, or refused with a typed error, and no
// sequence is longer than all of them; htslib reads the index.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "base/error.hpp"
#include "sequence/reference_index.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const virnucpro::TemporaryFolder folder;
  const std::filesystem::path reference = folder.path() / "reference.fa";
  std::ofstream(reference, std::ios::binary)
      << std::string_view(reinterpret_cast<const char*>(data), size);
  try {
    virnucpro::ReferenceIndex read(reference.string());
    read.prepare(virnucpro::Cancel());
    if (read.longest() > read.letters() || !virnucpro::load_faidx(read.path())) std::abort();
  } catch (const virnucpro::Error& error) {
    if (error.kind() != virnucpro::ErrorKind::kInputReference) std::abort();
  }
  return 0;
}
