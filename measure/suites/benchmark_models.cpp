#include "measure/suites/benchmark_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "weights/load.hpp"
#include "weights/synthetic.hpp"
#include "weights/write_weights.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// Returns a model's folder, named after the model with _ in place of each colon.
fs::path place_of(const std::string& model, const fs::path& folder) {
  std::string name = model;
  std::ranges::replace(name, ':', '_');
  return Directory(folder.parent_path()).make_folder(folder.filename()).path_of(name);
}

// Returns the folder of a synthetic model, and writes its files first if they are missing. For any
// other model, returns its name. Renames the folder when it is complete, so that no run uses
// incomplete files.
template <typename Write>
std::string file_of(const std::string& model, const fs::path& folder,
                    const std::function<void(const std::string&)>& say, const Cancel& cancel,
                    const Write& write) {
  if (!is_synthetic(model)) return model;
  const fs::path place = place_of(model, folder);
  std::error_code unknown;
  if (fs::exists(place, unknown)) return place.string();
  cancel.check();
  say(fmt::format("random weights of {} are written to {}", model, printable(place.string())));
  const fs::path aside = AtomicFile::partial_name(place);
  fs::remove_all(aside, unknown);
  make_directory(aside);
  write(aside);
  fs::rename(aside, place);
  return place.string();
}

}  // namespace

bool some_synthetic(const ModelSettings& models) {
  return is_synthetic(models.esm2) || is_synthetic(models.dnabert_s) ||
         is_synthetic(models.classifier);
}

ModelSettings with_files(ModelSettings models, const fs::path& folder,
                         const std::function<void(const std::string&)>& say, const Cancel& cancel) {
  const ModelLookup& lookup = models.lookup;
  models.dnabert_s = file_of(models.dnabert_s, folder, say, cancel, [&](const fs::path& place) {
    export_dnabert_s(load_dnabert_s(models.dnabert_s, lookup), place);
  });
  models.esm2 = file_of(models.esm2, folder, say, cancel, [&](const fs::path& place) {
    export_esm2(load_esm2(models.esm2, lookup), place);
  });
  return models;
}

}  // namespace virnucpro
