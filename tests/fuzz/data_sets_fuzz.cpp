// The JSON beside data sets: the metadata of generated sequences, the provenance of real samples.
// Any bytes are read or refused with a typed error; files that metadata names lie beside it.
// "@VERSION@" becomes the program's version, without which metadata counts as another program's.
#include <filesystem>
#include <fstream>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "base/version.hpp"
#include "fuzz/target.hpp"
#include "measure/datasets/data_json.hpp"
#include "measure/datasets/sample_data.hpp"
#include "unit/memory_file.hpp"

namespace {

using virnucpro::fuzz::may_refuse;

namespace fs = std::filesystem;
using virnucpro::MemoryFile;

// The same settings as in the seeds.
const virnucpro::DataSetSettings kSettings{
    .sequences = {.seed = 1, .count = 3, .length = virnucpro::FixedLength{500}}};

std::string with_version(std::string text) {
  constexpr std::string_view kVersion = "@VERSION@";
  if (const std::size_t at = text.find(kVersion); at != std::string::npos) {
    text.replace(at, kVersion.size(), virnucpro::program_version());
  }
  return text;
}

void read_metadata(const std::string& text) {
  const MemoryFile file(text);
  for (const virnucpro::DataFile& named : virnucpro::files_in_metadata(file.path())) {
    if (fs::path(named.name).filename() != named.name || named.name == "..") std::abort();
  }
  const auto data = virnucpro::read_data_set(file.path(), kSettings);
  if (!data) return;
  const std::string again = virnucpro::data_set_json(kSettings, *data);
  const auto back = virnucpro::read_data_set(MemoryFile(again).path(), kSettings);
  if (!back || virnucpro::data_set_json(kSettings, *back) != again) std::abort();
}

void read_provenance(const std::string& text) {
  static const virnucpro::TemporaryFolder folder;
  static const virnucpro::Cancel never;
  std::ofstream(folder.path() / "reads.fa") << ">a\nACGT\n";
  std::ofstream(folder.path() / "provenance.json", std::ios::binary) << text;
  may_refuse([] { virnucpro::sample_data_json(virnucpro::load_sample_data(folder.path(), never)); },
             {virnucpro::ErrorKind::kJson});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_metadata(with_version(text));
  read_provenance(text);
  return 0;
}
