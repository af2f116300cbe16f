#include "measure/datasets/sample_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::array kProvenanceNames{"provenance.json", "metadata.json"};
constexpr std::size_t kMaxProvenanceBytes = 1U << 20U;
constexpr std::size_t kLongestSource = 4000;
constexpr double kLongestBaseline = 1e9;  // seconds, about thirty years

// --- provenance ----------------------------------------------------------------------------------

// Reads "source" and "expected_baseline_seconds" of the outermost object; ignores other members.
class ProvenanceVisitor : public JsonVisitor {
 public:
  ProvenanceVisitor(std::string file, SampleData& samples)
      : file_(std::move(file)), samples_(samples) {}

  void scalar(const JsonPath& path, JsonScalar value) override {
    if (path.empty()) fail("an object");
    if (is(path, kSource)) read_source(value);
    if (is(path, kSeconds)) read_seconds(value);
  }

  void open(const JsonPath& path, bool is_object) override {
    if (path.empty() && !is_object) fail("an object");
    if (is(path, kSource)) fail("\"source\" to be a text");
    if (is(path, kSeconds)) fail_seconds();
  }

 private:
  static constexpr std::string_view kSource = "source";
  static constexpr std::string_view kSeconds = "expected_baseline_seconds";

  static bool is(const JsonPath& path, std::string_view name) {
    return path.size() == 1 && !path[0].is_element && path[0].key == name;
  }

  void read_source(const JsonScalar& value) {
    if (std::holds_alternative<std::nullptr_t>(value)) return;
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) fail("\"source\" to be a text");
    samples_.source = shown_text(*text, kLongestSource);
  }

  void read_seconds(const JsonScalar& value) {
    if (std::holds_alternative<std::nullptr_t>(value)) return;
    double seconds = 0;
    if (const auto* number = std::get_if<double>(&value)) seconds = *number;
    if (const auto* number = std::get_if<std::uint64_t>(&value)) {
      seconds = static_cast<double>(*number);
    }
    if (!(seconds > 0 && seconds <= kLongestBaseline)) fail_seconds();
    samples_.expected_baseline_seconds = seconds;
  }

  [[noreturn]] void fail(const char* expected) const {
    throw Error(ErrorKind::kJson, Place{.file = file_}, fmt::format("expected {}", expected));
  }
  [[noreturn]] void fail_seconds() const {
    fail("\"expected_baseline_seconds\" to be a number above 0, at most 1e9");
  }

  std::string file_;
  SampleData& samples_;
};

void read_provenance(SampleData& samples) {
  for (const char* name : kProvenanceNames) {
    const fs::path path = samples.directory / name;
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    const std::string text = read_small_text(path, kMaxProvenanceBytes, ErrorKind::kJson);
    ProvenanceVisitor visitor(path.string(), samples);
    walk_json(text, path.string(), visitor);
    return;
  }
}

// --- sequences -----------------------------------------------------------------------------------

// Returns regular files and links to regular files, sorted by name. Leaves out hidden files.
std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    std::error_code unknown;  // on an error, such as a broken link, the path does not count
    const bool hidden = at->path().filename().string().starts_with('.');
    if (!hidden && at->is_regular_file(unknown)) paths.push_back(at->path());
  }
  if (error) {
    throw Error(ErrorKind::kInputMissing, Place{.file = directory.string()},
                errno_text(error.value()));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_provenance(const fs::path& path) {
  return std::find(kProvenanceNames.begin(), kProvenanceNames.end(), path.filename()) !=
         kProvenanceNames.end();
}

// True if a file has an unknown format, and so failed before its first record.
bool holds_no_sequences(const InputFailure& failure) {
  return failure.error.kind() == ErrorKind::kInputFormat && failure.records == 0;
}

void read_sequences(const fs::path& path, SampleData& samples, const Cancel& cancel) {
  std::error_code gone;  // if the file is gone, reading it below fails
  const std::uintmax_t bytes = fs::file_size(path, gone);
  SampleFile file{.name = path.filename().string(), .bytes = gone ? 0 : bytes, .hash = {}};
  InputSet inputs({.paths = {path.string()}}, cancel);
  while (const auto event = inputs.next()) {
    cancel.check();
    if (const auto* record = std::get_if<InputRecord>(&*event)) {
      samples.lengths.add(record->record.letters.size());
      file.bases += record->record.letters.size();
    } else if (const auto* end = std::get_if<InputEnd>(&*event)) {
      file.sequences = end->records;
      file.hash = end->hash;
      samples.files.push_back(file);
    } else if (const auto& failure = std::get<InputFailure>(*event); holds_no_sequences(failure)) {
      samples.passed_over.push_back({.name = file.name, .why = failure.error.detail()});
    } else {
      throw Error(failure.error);
    }
  }
}

}  // namespace

SampleData load_sample_data(const fs::path& directory, const Cancel& cancel) {
  SampleData samples{.directory = directory};
  read_provenance(samples);
  for (const fs::path& path : files_in(directory)) {
    if (!is_provenance(path)) read_sequences(path, samples, cancel);
  }
  if (!samples.files.empty()) return samples;
  throw Error(ErrorKind::kInputMissing, Place{.file = directory.string()},
              "the directory holds no sequence file");
}

}  // namespace virnucpro
