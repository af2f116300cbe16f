// A reference for CRAM, plain or BGZF. It is indexed, or refused with a typed error, and no
// sequence is longer than all of them; htslib reads the index.
#include <filesystem>
#include <fstream>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "fuzz/target.hpp"
#include "sequence/reference_index.hpp"

using virnucpro::fuzz::may_refuse;
using virnucpro::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const virnucpro::TemporaryFolder folder;
  const std::filesystem::path reference = folder.path() / "reference.fa";
  std::ofstream(reference, std::ios::binary)
      << std::string_view(reinterpret_cast<const char*>(data), size);
  const auto index = [&] {
    virnucpro::ReferenceIndex read(reference.string());
    read.prepare(virnucpro::Cancel());
    require(read.longest() <= read.letters() && virnucpro::load_faidx(read.path()));
  };
  may_refuse(index, {virnucpro::ErrorKind::kInputReference});
  return 0;
}
