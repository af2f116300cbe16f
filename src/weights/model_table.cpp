#include "weights/model_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <variant>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kTableSchema = "virnucpro-models-1";
constexpr std::size_t kMostEntries = 1000;  // limit for models, a model's files, and a file's URLs
constexpr std::size_t kLongestUrl = 2000;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 45U;  // 35 TB

bool all_of_letters(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [others](char letter) {
    const bool plain = ('a' <= letter && letter <= 'z') || ('A' <= letter && letter <= 'Z') ||
                       ('0' <= letter && letter <= '9');
    return plain || others.find(letter) != std::string_view::npos;
  });
}

constexpr const char* kUnexpected = "this key is not known here, or its value has the wrong type";

// True if a name is safe in paths, in URLs, and in shell commands that people copy.
bool is_plain_name(std::string_view text) {
  return is_file_name(text) && all_of_letters(text, "._-+") && text.front() != '-' &&
         text.front() != '.';
}

bool is_repository(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && is_plain_name(text.substr(0, slash)) &&
         is_plain_name(text.substr(slash + 1));
}

struct SourceName {
  std::string_view name;
  ModelSource source;
};
constexpr std::array kSourceNames{
    SourceName{"hugging-face", ModelSource::kHuggingFace},
    SourceName{"github", ModelSource::kGitHub},
    SourceName{"fair-esm", ModelSource::kFairEsm},
    SourceName{"url", ModelSource::kUrl},
};

class TableReader : public JsonVisitor {
 public:
  explicit TableReader(std::string file) : file_(std::move(file)) {}

  void open(const JsonPath& path, bool is_object) override {
    const std::string shape = shape_of(path);
    if (shape.empty() && is_object) return;
    if ((shape == "models" || shape == "models/*/files" || shape == "models/*/files/*/urls") &&
        !is_object) {
      return;
    }
    if (shape == "models/*" && is_object) {
      add_entry(path, table_.models);
    } else if (shape == "models/*/files/*" && is_object) {
      add_entry(path, table_.models.back().files);
    } else {
      fail(path, kUnexpected);
    }
  }

  void scalar(const JsonPath& path, JsonScalar value) override {
    const std::string shape = shape_of(path);
    if (shape == "note") return;
    if (shape == "schema") {
      schema_ = text(path, value);
    } else if (shape == "models/*/files/*/urls/*") {
      if (path.back().index >= kMostEntries) {
        fail(path, fmt::format("more than {} entries", kMostEntries));
      }
      table_.models.back().files.back().urls.push_back(
          checked(path, text(path, value), is_plain_url, "a URL of https or http"));
    } else if (shape.starts_with("models/*/files/*/")) {
      of_file(path, value, table_.models.back().files.back());
    } else if (shape.starts_with("models/*/") && path.size() == 3) {
      of_model(path, value, table_.models.back());
    } else {
      fail(path, kUnexpected);
    }
  }

  ModelTable result() {
    if (schema_ != kTableSchema) {
      throw Error(ErrorKind::kJson, Place{.file = file_},
                  fmt::format("schema: expected \"{}\"", kTableSchema));
    }
    for (const TableModel& model : table_.models) check(model);
    return std::move(table_);
  }

 private:
  // Returns the path as text, with * for an element's number. A key with / or * becomes ?, because
  // such a key could imitate a known path.
  static std::string shape_of(const JsonPath& path) {
    std::string shape;
    for (const JsonStep& step : path) {
      if (!shape.empty()) shape += '/';
      const bool is_plain = step.key.find_first_of("/*") == std::string::npos;
      shape += step.is_element ? "*" : (is_plain ? step.key : "?");
    }
    return shape;
  }

  [[noreturn]] void fail(const JsonPath& path, const std::string& why) const {
    if (path.empty()) {
      throw Error(ErrorKind::kJson, Place{.file = file_}, "the file is not a JSON object");
    }
    std::string where;
    for (const JsonStep& step : path) {
      where +=
          step.is_element ? fmt::format("[{}]", step.index) : (where.empty() ? "" : ".") + step.key;
    }
    throw Error(ErrorKind::kJson, Place{.file = file_}, fmt::format("{}: {}", where, why));
  }

  [[noreturn]] void fail(const TableModel& model, const std::string& why) const {
    throw Error(ErrorKind::kJson, Place{.file = file_},
                fmt::format("model \"{}\": {}", model.name, why));
  }

  template <typename Entry>
  void add_entry(const JsonPath& path, std::vector<Entry>& entries) const {
    if (entries.size() >= kMostEntries) {
      fail(path, fmt::format("more than {} entries", kMostEntries));
    }
    entries.emplace_back();
  }

  std::string text(const JsonPath& path, const JsonScalar& value) const {
    if (const auto* found = std::get_if<std::string>(&value)) return *found;
    if (std::holds_alternative<std::nullptr_t>(value)) return {};
    fail(path, "expected text or null");
  }

  std::optional<std::uint64_t> bytes(const JsonPath& path, const JsonScalar& value) const {
    if (std::holds_alternative<std::nullptr_t>(value)) return std::nullopt;
    const auto* found = std::get_if<std::uint64_t>(&value);
    if (found == nullptr || *found > kLargestFile) fail(path, "expected a number of bytes or null");
    return *found;
  }

  template <typename Condition>
  std::string checked(const JsonPath& path, std::string value, Condition holds,
                      const std::string& expected) const {
    if (!value.empty() && !holds(value)) fail(path, "expected " + expected);
    return value;
  }

  std::string plain_name(const JsonPath& path, const JsonScalar& value) const {
    return checked(path, text(path, value), is_plain_name,
                   "a name of letters, digits and . _ - + that does not begin with . or -");
  }

  std::string hash(const JsonPath& path, const JsonScalar& value, std::size_t digits) const {
    return checked(
        path, text(path, value),
        [digits](const std::string& given) { return is_hash(given, digits); },
        fmt::format("{} hexadecimal digits in lower case", digits));
  }

  void of_file(const JsonPath& path, const JsonScalar& value, TableFile& file) const {
    const std::string& member = path.back().key;
    if (member == "name") {
      file.name = plain_name(path, value);
    } else if (member == "bytes") {
      file.bytes = bytes(path, value);
    } else if (member == "bytes_about") {
      file.bytes_about = bytes(path, value);
    } else if (member == "sha256") {
      file.sha256 = hash(path, value, 64);
    } else if (member == "git_blob_sha1") {
      file.git_blob = hash(path, value, 40);
    } else {
      fail(path, kUnexpected);
    }
  }

  void of_model(const JsonPath& path, const JsonScalar& value, TableModel& model) {
    const std::string& member = path.back().key;
    if (member == "source") {
      model.source = source(path, value);
    } else if (member == "repository") {
      model.repository = checked(path, text(path, value), is_repository, "\"organisation/name\"");
    } else if (member == "licence") {
      model.licence = text(path, value);
    } else if (std::string* name = name_of(member, model); name != nullptr) {
      *name = plain_name(path, value);
    } else {
      fail(path, kUnexpected);
    }
  }

  static std::string* name_of(std::string_view member, TableModel& model) {
    if (member == "name") return &model.name;
    if (member == "revision") return &model.revision;
    if (member == "folder") return &model.folder;
    return member == "instead_of" ? &model.instead_of : nullptr;
  }

  ModelSource source(const JsonPath& path, const JsonScalar& value) const {
    const std::string given = text(path, value);
    for (const SourceName& known : kSourceNames) {
      if (given == known.name) return known.source;
    }
    fail(path, "expected hugging-face, github, fair-esm or url");
  }

  void check(const TableModel& model) const {
    if (model.name.empty() || model.name == "all") {
      fail(model, "the model needs a name other than \"all\"");
    }
    if (1 < std::ranges::count(table_.models, model.name, &TableModel::name)) {
      fail(model, "this name occurs twice");
    }
    const bool has_repository =
        model.source == ModelSource::kHuggingFace || model.source == ModelSource::kGitHub;
    if (has_repository == model.repository.empty()) {
      fail(model,
           fmt::format("a model of the source {} {} a repository", virnucpro::name_of(model.source),
                       has_repository ? "needs" : "cannot have"));
    }
    if (model.source == ModelSource::kGitHub && model.revision.empty()) {
      fail(model, "a model of the source github needs a revision");
    }
    // Only github may have a revision: in a cache, other programs would take it for the newest.
    if (model.source != ModelSource::kGitHub && !model.revision.empty()) {
      fail(model, "only models of the source github may have a revision");
    }
    if (model.files.empty()) fail(model, "the model has no files");
    for (const TableFile& file : model.files) check(model, file);
  }

  void check(const TableModel& model, const TableFile& file) const {
    if (file.name.empty()) fail(model, "a file has no name");
    if (file.name == kHashRecordName) {
      fail(model,
           fmt::format("the name {} is reserved for hashes; rename the file", kHashRecordName));
    }
    if (1 < std::ranges::count(model.files, file.name, &TableFile::name)) {
      fail(model, fmt::format("the file {} occurs twice", file.name));
    }
    const bool needs_urls = model.source == ModelSource::kUrl;
    if (file.urls.empty() == needs_urls) {
      fail(model,
           fmt::format("the file {} {} urls, because the model's source is {}", file.name,
                       needs_urls ? "needs" : "cannot have", virnucpro::name_of(model.source)));
    }
  }

  std::string file_;
  std::string schema_;
  ModelTable table_;
};

struct Unit {
  double bytes;
  std::string_view name;
};
constexpr std::array kUnits{Unit{1e9, "GB"}, Unit{1e6, "MB"}, Unit{1e3, "kB"}};

}  // namespace

bool is_hash(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::ranges::all_of(text, [](char letter) {
           return ('0' <= letter && letter <= '9') || ('a' <= letter && letter <= 'f');
         });
}

std::string_view name_of(ModelSource source) {
  return std::ranges::find(kSourceNames, source, &SourceName::source)->name;
}

bool is_plain_url(std::string_view text) {
  constexpr std::size_t kBehindScheme = 8;
  return text.size() <= kLongestUrl &&
         (text.starts_with("https://") || text.starts_with("http://")) &&
         all_of_letters(text, ":/?#[]@!$&()*+,;=-._~%") &&
         text.substr(0, text.find('/', kBehindScheme)).find('@') == std::string_view::npos;
}

TableModel::Size TableModel::size() const {
  Size size;
  for (const TableFile& file : files) {
    const std::optional<std::uint64_t> known = file.bytes ? file.bytes : file.bytes_about;
    size.exact = size.exact && file.bytes;
    size.complete = size.complete && known;
    size.bytes = checked_add(size.bytes, known.value_or(0)).value_or(size.bytes);
  }
  return size;
}

const TableModel* ModelTable::find(std::string_view name) const {
  const auto found = std::ranges::find(models, name, &TableModel::name);
  return found == models.end() ? nullptr : &*found;
}

void ModelTable::add(const ModelTable& more) {
  for (const TableModel& model : more.models) {
    const auto known = std::ranges::find(models, model.name, &TableModel::name);
    if (known == models.end()) {
      models.push_back(model);
    } else {
      *known = model;
    }
  }
}

ModelTable parse_model_table(std::string_view text, const std::string& file) {
  TableReader reader(file);
  walk_json(text, file, reader);
  return reader.result();
}

ModelTable read_model_table(const std::filesystem::path& file) {
  return parse_model_table(read_small_text(file, kMaxJsonBytes, ErrorKind::kJson), file.string());
}

ModelTable installed_model_table(const std::filesystem::path& share_dir) {
  return read_model_table(share_dir / "models.json");
}

std::string size_text(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  for (const Unit& unit : kUnits) {
    if (number < unit.bytes) continue;
    const double shown = number / unit.bytes;
    return fmt::format("{:.{}f} {}", shown, shown < 10 ? 2 : 1, unit.name);
  }
  return fmt::format("{} bytes", bytes);
}

std::string size_text(const TableModel::Size& size) {
  if (size.bytes == 0 && !size.complete) return "size not known";
  if (size.exact) return size_text(size.bytes);
  return "about " + size_text(size.bytes);
}

}  // namespace virnucpro
