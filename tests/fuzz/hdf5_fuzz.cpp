// A file of embeddings in HDF5, read by a process of its own: all its rows, or a typed error. That
// process may crash; this one may not, and must not take more memory than the file has rows for.
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "fuzz/target.hpp"
#include "measure/compare/embedding_reader.hpp"

using virnucpro::fuzz::may_refuse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A real one, as the process closes all other descriptors.
  static const virnucpro::TemporaryFolder folder;
  static const virnucpro::Cancel never;
  const std::filesystem::path file = folder.path() / "embeddings.h5";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto read_all = [&] {
    const auto reader = virnucpro::open_hdf5_embeddings(file, never);
    if (reader->rows() > size) std::abort();
    for (std::size_t dataset = 0; dataset < reader->datasets().size(); ++dataset) {
      std::vector<double> values(reader->datasets()[dataset].width);
      for (std::uint64_t row = 0; row < reader->rows(); ++row) {
        reader->id(row);
        reader->read(dataset, row, values);
      }
    }
  };
  may_refuse(read_all, {virnucpro::ErrorKind::kInputMalformed});
  return 0;
}
