// A file of torch.save: as it is, and with correct checksums. Bytes that do not start like a ZIP
// become the pickle of one, with four storages.

#include "base/steady_file.hpp"
#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"
#include "unit/memory_file.hpp"
#include "unit/weights/zip_builder.hpp"
#include "weights/tensor_archive.hpp"

namespace {

using virnucpro::fuzz::may_refuse;

// Any bytes are accepted, or refused with a typed error.
void parse(const std::string& bytes) {
  const virnucpro::MemoryFile memory(bytes);
  may_refuse([&] { virnucpro::parse_torch_zip(virnucpro::SteadyFile(memory.path())); });
}

std::string zip_around(const std::string& pickle) {
  const std::string storage(64, '\x3f');
  return virnucpro::build_zip({{"a/data.pkl", pickle},
                               {"a/data/0", storage},
                               {"a/data/1", storage},
                               {"a/data/2", storage},
                               {"a/data/3", storage}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with("PK")) {
    parse(zip_around(bytes));
    return 0;
  }
  parse(bytes);
  virnucpro::fuzz::repair_zip(bytes);
  parse(bytes);
  return 0;
}
