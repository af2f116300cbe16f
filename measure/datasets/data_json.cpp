#include "measure/datasets/data_json.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/version.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kDataSetSchema = "virnucpro-data-set-1";
constexpr std::string_view kSamplesSchema = "virnucpro-samples-1";
constexpr std::string_view kSource = "virnucpro generate";
constexpr std::array<std::uint64_t, 4> kPercentiles{5, 25, 75, 95};

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

// Returns the hash of the file whose lengths are used; empty if the lengths are not from a file.
std::string hash_of(const LengthDistribution& lengths) {
  const auto* observed = std::get_if<ObservedLengths>(&lengths);
  return observed == nullptr ? std::string() : observed->hash;
}

Json settings_json(const DataSetSettings& settings) {
  const GenerateSettings& sequences = settings.sequences;
  return {{"preset", text_or_null(settings.preset)},
          {"count", sequences.count},
          {"length", lengths_text(sequences.length)},
          {"length_source_hash", text_or_null(hash_of(sequences.length))},
          {"seed", sequences.seed},
          {"gc", as_double(sequences.gc)},
          {"coding", as_double(sequences.coding)},
          {"files", settings.files}};
}

Json lengths_json(const LengthFigures& lengths) {
  return {{"min", lengths.min},
          {"mean", lengths.mean},
          {"median", lengths.median},
          {"max", lengths.max}};
}

Json files_json(const std::vector<DataFile>& files) {
  std::vector<Json> json;
  for (const DataFile& file : files) {
    json.push_back({{"name", file.name},
                    {"sequences", file.sequences},
                    {"bases", file.bases},
                    {"bytes", file.bytes},
                    {"sha256", file.sha256}});
  }
  return json;
}

Json gc_json(const DataSet& data) {
  if (data.bases == 0) return nullptr;
  return static_cast<double>(data.gc_bases) / static_cast<double>(data.bases);
}

// Returns the values of a metadata file; empty if it cannot be read.
JsonValues values_of(const std::filesystem::path& metadata) {
  try {
    return JsonValues::read(metadata);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kJson) throw;
    return {};
  }
}

bool is_of(const DataSetSettings& settings, const JsonValues& values) {
  const GenerateSettings& sequences = settings.sequences;
  return values.text("schema") == kDataSetSchema &&
         values.text("program_version") == program_version() &&
         values.whole_number("settings/count") == sequences.count &&
         values.text("settings/length") == lengths_text(sequences.length) &&
         values.text("settings/length_source_hash").value_or("") == hash_of(sequences.length) &&
         values.whole_number("settings/seed") == sequences.seed &&
         values.number("settings/gc") == as_double(sequences.gc) &&
         values.number("settings/coding") == as_double(sequences.coding) &&
         values.whole_number("settings/files") == settings.files;
}

// Reads metadata. A user may have changed the file, so a missing value counts as 0.
class Reader {
 public:
  explicit Reader(const JsonValues& values) : values_(values) {}

  DataSet data_set() const {
    DataSet data{.files = {},
                 .sequences = whole("sequences"),
                 .bases = whole("bases"),
                 .gc_bases = whole("gc_bases"),
                 .coding_sequences = whole("coding_sequences"),
                 .lengths = {.min = whole("lengths/min"),
                             .mean = values_.number("lengths/mean").value_or(0),
                             .median = whole("lengths/median"),
                             .max = whole("lengths/max")}};
    for (std::size_t k = 0; k < values_.elements("files"); ++k) data.files.push_back(file(k));
    return data;
  }

 private:
  std::uint64_t whole(const std::string& path) const {
    return values_.whole_number(path).value_or(0);
  }
  DataFile file(std::size_t index) const {
    const std::string path = fmt::format("files/{}/", index);
    return {.name = values_.text(path + "name").value_or(""),
            .sequences = whole(path + "sequences"),
            .bases = whole(path + "bases"),
            .bytes = whole(path + "bytes"),
            .sha256 = values_.text(path + "sha256").value_or("")};
  }

  const JsonValues& values_;
};

Json samples_files_json(const std::vector<SampleFile>& files) {
  std::vector<Json> json;
  for (const SampleFile& file : files) {
    json.push_back({{"name", file.name},
                    {"bytes", file.bytes},
                    {"hash", file.hash},
                    {"sequences", file.sequences},
                    {"bases", file.bases}});
  }
  return json;
}

Json passed_over_json(const std::vector<PassedOver>& files) {
  std::vector<Json> json;
  for (const PassedOver& file : files) json.push_back({{"name", file.name}, {"why", file.why}});
  return json;
}

Json distribution_json(const LengthHistogram& lengths) {
  Json json = lengths_json(length_figures(lengths));
  for (const std::uint64_t percent : kPercentiles) {
    json[fmt::format("p{:02}", percent)] = lengths.percentile(percent);
  }
  return json;
}

}  // namespace

std::string data_set_json(const DataSetSettings& settings, const DataSet& data) {
  const Json json{{"schema", kDataSetSchema},
                  {"program_version", program_version()},
                  {"source", kSource},
                  {"settings", settings_json(settings)},
                  {"sequences", data.sequences},
                  {"bases", data.bases},
                  {"gc_bases", data.gc_bases},
                  {"gc", gc_json(data)},
                  {"coding_sequences", data.coding_sequences},
                  {"lengths", lengths_json(data.lengths)},
                  {"files", files_json(data.files)}};
  return json.dump(2) + "\n";
}

std::optional<DataSet> read_data_set(const std::filesystem::path& metadata,
                                     const DataSetSettings& settings) {
  const JsonValues values = values_of(metadata);
  if (!is_of(settings, values)) return std::nullopt;
  return Reader(values).data_set();
}

std::vector<DataFile> files_in_metadata(const std::filesystem::path& metadata) {
  const JsonValues values = values_of(metadata);
  if (!values.text("schema").value_or("").starts_with("virnucpro-data-set-")) return {};
  std::vector<DataFile> files = Reader(values).data_set().files;
  std::erase_if(files, [](const DataFile& file) { return !is_file_name(file.name); });
  return files;
}

std::string sample_data_json(const SampleData& samples) {
  const Json json{{"schema", kSamplesSchema},
                  {"program_version", program_version()},
                  {"directory", samples.directory.string()},
                  {"source", samples.source},
                  {"expected_baseline_seconds", samples.expected_baseline_seconds},
                  {"sequences", samples.lengths.count()},
                  {"bases", samples.lengths.letters()},
                  {"lengths", distribution_json(samples.lengths)},
                  {"files", samples_files_json(samples.files)},
                  {"passed_over", passed_over_json(samples.passed_over)}};
  return json.dump(2) + "\n";
}

}  // namespace virnucpro
