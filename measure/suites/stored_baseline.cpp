#include "measure/suites/stored_baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "weights/locate.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSequences = "sequences.fa";
constexpr const char* kProvenance = "provenance.json";
constexpr const char* kNotRecorded = "not recorded";

// A model's key in provenance.json and in a run's telemetry. The key of its hash has "_hash" added.
struct BaselineModel {
  const char* key;
  const char* name;  // its name in messages
  ModelFamily family;
  std::string ModelSettings::*given;
};
constexpr std::array kBaselineModels{
    BaselineModel{"dnabert_s", "DNABERT-S", ModelFamily::kDnabert, &ModelSettings::dnabert_s},
    BaselineModel{"esm2", "ESM-2", ModelFamily::kEsm2, &ModelSettings::esm2},
    BaselineModel{"classifier", "classifier", ModelFamily::kClassifier,
                  &ModelSettings::classifier}};

std::string model_path(const BaselineModel& model) {
  return fmt::format("models/{}", model.key);
}

// True if both names mean one model: fair-esm publishes ESM-2 under another name and file format.
bool is_same_model(ModelFamily family, const std::string& a, const std::string& b) {
  const PublishedModel* of_a = published_model(family, a);
  const PublishedModel* of_b = published_model(family, b);
  if (a == b || of_a == nullptr || of_b == nullptr) return a == b;
  return of_a == of_b || (!of_a->torch_file.empty() && of_a->torch_file == of_b->torch_file);
}

JsonValues read_provenance(const fs::path& place) {
  const fs::path file = place / kProvenance;
  std::error_code unknown;
  return fs::exists(file, unknown) ? JsonValues::read(file) : JsonValues();
}

std::vector<StoredBaseline> baselines_in(const fs::path& folder) {
  std::vector<fs::path> places;
  std::error_code unknown;
  for (fs::directory_iterator next(folder, unknown), end; !unknown && next != end;
       next.increment(unknown)) {
    if (next->is_directory(unknown)) places.push_back(next->path());
  }
  std::ranges::sort(places);
  return {places.begin(), places.end()};
}

}  // namespace

StoredBaseline::StoredBaseline(fs::path place)
    : place_(place.has_filename() ? std::move(place) : place.parent_path()),
      provenance_(read_provenance(place_)) {}

bool StoredBaseline::is_of(const ModelSettings& models, std::uint64_t chunk_size) const {
  return provenance_.count("chunk_size") == chunk_size &&
         std::ranges::all_of(kBaselineModels, [&](const BaselineModel& model) {
           const auto named = provenance_.text(model_path(model));
           return named && is_same_model(model.family, *named, models.*model.given);
         });
}

std::string StoredBaseline::why_other(const JsonValues& run) const {
  const auto size = provenance_.count("chunk_size");
  const auto own_size = run.count("settings/chunk_size");
  if (size && own_size && *size != *own_size) {
    return fmt::format("the baseline was made with chunks of {}; this run has chunks of {}", *size,
                       *own_size);
  }
  for (const BaselineModel& model : kBaselineModels) {
    const auto hash = provenance_.text(model_path(model) + "_hash");
    const auto own = run.text(fmt::format("models/description/{}_hash", model.key));
    if (!hash || !own || *hash == *own) continue;
    return fmt::format(
        "the baseline was made with another {}: its weights have the hash {}, this run's have {}",
        model.name, *hash, *own);
  }
  return {};
}

std::string StoredBaseline::remark_on(const ModelSettings& models) const {
  std::vector<std::string> unknown;
  for (const BaselineModel& model : kBaselineModels) {
    const auto named = provenance_.text(model_path(model));
    if (!named || provenance_.text(model_path(model) + "_hash")) continue;
    const std::string& given = models.*model.given;
    if (is_same_model(model.family, *named, given)) continue;
    unknown.push_back(
        fmt::format("{} is {} in the baseline and {} in this run", model.name, *named, given));
  }
  if (unknown.empty()) return {};
  return fmt::format(
      "the baseline may come from other models, and records no hash of their weights: {}",
      fmt::join(unknown, "; "));
}

std::string StoredBaseline::name() const {
  return printable(place_.filename().string());
}

std::string StoredBaseline::models() const {
  std::vector<std::string> names;
  for (const BaselineModel& model : kBaselineModels) {
    if (auto name = provenance_.text(model_path(model))) names.push_back(std::move(*name));
  }
  return names.empty() ? kNotRecorded : fmt::format("{}", fmt::join(names, ", "));
}

std::string StoredBaseline::hashes() const {
  std::vector<std::string> known;
  for (const BaselineModel& model : kBaselineModels) {
    if (const auto hash = provenance_.text(model_path(model) + "_hash")) {
      known.push_back(fmt::format("{} {}", model.name, *hash));
    }
  }
  return known.empty() ? kNotRecorded : fmt::format("{}", fmt::join(known, ", "));
}

std::string StoredBaseline::text() const {
  const auto size = provenance_.count("chunk_size");
  return fmt::format("{} ({}; chunks of {})", name(), models(),
                     size ? std::to_string(*size) : "unknown size");
}

std::vector<Field> StoredBaseline::fields() const {
  if (provenance_.empty()) {
    return {
        {"baseline", "the baseline", name() + ", of unknown origin: it has no provenance.json"}};
  }
  std::vector<Field> fields{{"baseline", "the baseline", name()},
                            {"baseline_models", "the baseline's models", models()}};
  for (const char* key : {"source", "date", "program", "version"}) {
    fields.push_back({fmt::format("baseline_{}", key), fmt::format("the baseline's {}", key),
                      provenance_.text(key).value_or(kNotRecorded)});
  }
  fields.push_back({"baseline_weights_hash", "the baseline's weights, by hash", hashes()});
  return fields;
}

fs::path baseline_sequences(const fs::path& place) {
  const fs::path file = place / kSequences;
  std::error_code unknown;
  return fs::is_regular_file(file, unknown) ? file : fs::path();
}

BaselineChoice choose_baseline(const fs::path& folder, const ModelSettings& models,
                               std::uint64_t chunk_size) {
  std::vector<std::string> others;
  for (const StoredBaseline& baseline : baselines_in(folder)) {
    if (baseline.is_of(models, chunk_size)) return {.place = baseline.place()};
    others.push_back(baseline.text());
  }
  return {.why_none = fmt::format(
              "no stored baseline has these models and chunks of {}; the folder {} has {}",
              chunk_size, folder.string(),
              others.empty() ? "none" : fmt::format("{}", fmt::join(others, ", ")))};
}

}  // namespace virnucpro
