// A table of models of any bytes: it is refused with kJson, or what it names stays in its folder.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "weights/model_table.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const virnucpro::TableModel& model) {
  require(virnucpro::is_file_name(model.name));
  for (const auto& part : {model.folder, model.revision, model.instead_of}) {
    require(part.empty() || virnucpro::is_file_name(part));
  }
  require(!model.files.empty() && !size_text(model.size()).empty());
  for (const virnucpro::TableFile& file : model.files) {
    require(virnucpro::is_file_name(file.name));
    require(file.sha256.empty() || file.sha256.size() == 64);
    require(file.git_blob.empty() || file.git_blob.size() == 40);
    for (const auto& url : file.urls) {
      require(url.starts_with("http") && url.find_first_of("'\\\"\n ") == std::string::npos);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto table =
        virnucpro::parse_model_table({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    for (const virnucpro::TableModel& model : table.models) check(model);
  } catch (const virnucpro::Error& error) {
    require(error.kind() == virnucpro::ErrorKind::kJson);
  }
  return 0;
}
