// A .pt file of embeddings, with corrected checksums: all its rows are read, or a typed error.
#include <vector>

#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"
#include "measure/compare/embedding_reader.hpp"
#include "unit/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  virnucpro::fuzz::repair_zip(bytes);
  const virnucpro::MemoryFile file(bytes);
  try {
    const auto reader = virnucpro::open_torch_embeddings(file.path());
    std::vector<double> values(reader->datasets().at(0).width);
    for (std::uint64_t row = 0; row < reader->rows(); ++row) {
      reader->id(row);
      reader->read(0, row, values);
    }
  } catch (const virnucpro::Error& error) {
    if (error.info().exit_code != 1) std::abort();  // so nothing too large was allocated
  }
  return 0;
}
