// A table of models of any bytes: it is refused with kJson, or what it names stays in its folder.

#include "base/file.hpp"
#include "fuzz/target.hpp"
#include "weights/model_table.hpp"

namespace {

using virnucpro::fuzz::may_refuse;
using virnucpro::fuzz::require;

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
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto check_all = [&] {
    for (const auto& model : virnucpro::parse_model_table(text, "fuzz.json").models) check(model);
  };
  may_refuse(check_all, {virnucpro::ErrorKind::kJson});
  return 0;
}
