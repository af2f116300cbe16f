#include "weights/locate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "weights/model_folders.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::array kModels{
    PublishedModel{.family = ModelFamily::kDnabert,
                   .aliases = {"DNABERT-S", "DNABERT_S", "dnabert_s"},
                   .repository = "zhihan1996/DNABERT-S",
                   .download = "dnabert-s"},
    PublishedModel{ModelFamily::kEsm2,
                   {"esm2_t6_8M_UR50D", "esm2_t6_8M"},
                   "facebook/esm2_t6_8M_UR50D",
                   "esm2_t6_8M_UR50D.pt"},
    PublishedModel{ModelFamily::kEsm2,
                   {"esm2_t12_35M_UR50D", "esm2_t12_35M"},
                   "facebook/esm2_t12_35M_UR50D",
                   "esm2_t12_35M_UR50D.pt"},
    PublishedModel{ModelFamily::kEsm2,
                   {"esm2_t30_150M_UR50D", "esm2_t30_150M"},
                   "facebook/esm2_t30_150M_UR50D",
                   "esm2_t30_150M_UR50D.pt"},
    PublishedModel{ModelFamily::kEsm2,
                   {"esm2_t33_650M_UR50D", "esm2_t33_650M"},
                   "facebook/esm2_t33_650M_UR50D",
                   "esm2_t33_650M_UR50D.pt"},
    PublishedModel{ModelFamily::kEsm2,
                   {"esm2_t36_3B_UR50D", "esm2_t36_3B"},
                   "facebook/esm2_t36_3B_UR50D",
                   "esm2_t36_3B_UR50D.pt",
                   "esm2-3b"},
    // A user who names fair-esm's file gets that file, never a Hugging Face directory.
    PublishedModel{.family = ModelFamily::kEsm2,
                   .aliases = {"esm2_t36_3B_UR50D.pt"},
                   .torch_file = "esm2_t36_3B_UR50D.pt",
                   .download = "esm2-3b-fair"},
    PublishedModel{ModelFamily::kEsm2,
                   {"esm2_t48_15B_UR50D", "esm2_t48_15B"},
                   "facebook/esm2_t48_15B_UR50D",
                   "esm2_t48_15B_UR50D.pt"},
    PublishedModel{
        .family = ModelFamily::kClassifier, .aliases = {"300_model.pth"}, .download = "300"},
    PublishedModel{
        .family = ModelFamily::kClassifier, .aliases = {"500_model.pth"}, .download = "500"},
};

const PublishedModel* of_family(ModelFamily family, const PublishedModel* model) {
  return model != nullptr && model->family == family ? model : nullptr;
}

// Returns "; did you mean …?" for a name that is close to a published name.
std::string nearest_published(ModelFamily family, std::string_view name) {
  if (find_published(name) != nullptr) return {};
  std::vector<std::string_view> known;
  for (const PublishedModel& model : kModels) {
    const std::vector<std::string_view> names = names_of(model);
    if (model.family == family) known.insert(known.end(), names.begin(), names.end());
  }
  return did_you_mean(name, known);
}

// Returns advice for a link whose target is missing. The advice names the model to download if the
// link is in a published model's folder of a Hugging Face cache.
std::string advice_on_link(const fs::path& link) {
  for (const PublishedModel& model : kModels) {
    const bool is_of_it =
        std::find(link.begin(), link.end(), hub_folder(model.repository)) != link.end();
    if (!is_of_it || model.download.empty()) continue;
    return fmt::format("Get it again: virnucpro download {}", model.download);
  }
  return "Download the model again, or correct the link.";
}

class Search {
 public:
  // Returns the path if it exists; otherwise remembers the path for the log.
  std::optional<fs::path> look(const fs::path& path) {
    if (is_model_file(path)) return path;
    places_.push_back(path.string());
    return std::nullopt;
  }

  // Looks in the repository's current snapshot, which the file models--org--name/refs/main names.
  std::optional<fs::path> look_in_hub(const fs::path& cache, std::string_view repository) {
    if (cache.empty() || repository.empty()) return std::nullopt;
    const std::string folder = hub_folder(repository);
    const std::optional<fs::path> main = look(cache / folder / "refs" / "main");
    if (!main) return std::nullopt;
    std::string revision = read_small_text(*main, 1024, ErrorKind::kWeightsMissing);
    revision.erase(revision.find_last_not_of(" \r\n") + 1);
    if (!is_file_name(revision)) {
      throw Error(ErrorKind::kWeightsFormat, Place{.file = main->string()},
                  "the file does not name a snapshot of the model")
          .advised("Download the model again, or give the path of its directory.");
    }
    return look(cache / folder / "snapshots" / revision);
  }

  [[noreturn]] void fail(ModelFamily family, const std::string& model) const {
    log_info("\"{}\" was looked for in {}", model, fmt::join(places_, ", "));
    throw Error(ErrorKind::kWeightsMissing,
                fmt::format("\"{}\"{}", model, nearest_published(family, model)));
  }

 private:
  std::vector<std::string> places_;
};

std::optional<fs::path> look_in_models_dir(Search& search, const fs::path& directory,
                                           const std::string& model,
                                           const PublishedModel* published) {
  if (directory.empty()) return std::nullopt;
  if (auto found = search.look(directory / model)) return found;
  if (published == nullptr) return std::nullopt;
  std::vector<std::string_view> names = names_of(*published);
  names.push_back(published->torch_file);
  for (const std::string_view name : names) {
    if (name.empty() || name == model) continue;
    if (auto found = search.look(directory / name)) return found;
  }
  return search.look_in_hub(directory, published->repository);
}

// Looks in this program's own folder, where a published model has its first alias as its name.
std::optional<fs::path> look_in_own_folder(Search& search, const std::string& model,
                                           const PublishedModel* published) {
  const fs::path folder = own_model_folder();
  const std::string name = published == nullptr ? model : std::string(published->aliases[0]);
  if (folder.empty() || !is_file_name(name)) return std::nullopt;
  return search.look(folder / name);
}

}  // namespace

std::span<const PublishedModel> published_models() {
  return kModels;
}

std::vector<std::string_view> names_of(const PublishedModel& model) {
  std::vector<std::string_view> names{model.repository};
  names.insert(names.end(), model.aliases.begin(), model.aliases.end());
  names.push_back(model.download);
  std::erase(names, "");
  return names;
}

std::vector<std::string_view> download_names() {
  std::vector<std::string_view> names;
  for (const PublishedModel& model : kModels) names.push_back(model.download);
  std::erase(names, "");
  return names;
}

const PublishedModel* find_published(std::string_view name) {
  const auto found = std::ranges::find_if(kModels, [name](const PublishedModel& model) {
    return std::ranges::count(names_of(model), name) > 0;
  });
  return found == kModels.end() ? nullptr : &*found;
}

const PublishedModel* published_model(ModelFamily family, const std::string& model) {
  const std::string last = fs::path(model).filename().string();
  if (const PublishedModel* found = find_published(last)) return of_family(family, found);
  const auto found = std::ranges::find(kModels, last, &PublishedModel::torch_file);
  return last.empty() || found == kModels.end() ? nullptr : of_family(family, &*found);
}

fs::path locate_model(ModelFamily family, const std::string& model, const ModelLookup& lookup) {
  Search search;
  const PublishedModel* published = of_family(family, find_published(model));
  if (const auto found = search.look(model)) return *found;
  if (fs::path(model).is_absolute()) search.fail(family, model);
  if (const auto found = look_in_models_dir(search, lookup.models_dir, model, published)) {
    return *found;
  }
  if (published != nullptr) {
    if (const auto found = search.look_in_hub(hugging_face_cache(), published->repository)) {
      return *found;
    }
    const fs::path torch = torch_hub_cache();
    if (!published->torch_file.empty() && !torch.empty()) {
      if (const auto found = search.look(torch / published->torch_file)) return *found;
    }
  }
  if (const auto found = look_in_own_folder(search, model, published)) return *found;
  search.fail(family, model);
}

bool is_model_file(const fs::path& path) {
  if (is_there(path)) return true;
  std::error_code is_no_link;
  const fs::path target = fs::read_symlink(path, is_no_link);
  if (is_no_link) return false;
  throw Error(ErrorKind::kWeightsMissing, Place{.file = path.string()},
              fmt::format("the path is a link to {}, which does not exist", target.string()))
      .advised(advice_on_link(path));
}

}  // namespace virnucpro
