#include "measure/compare/embedding_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "output_";
constexpr std::string_view kExtension = ".pt";

struct Naming {
  std::string_view dataset;
  std::string_view suffix;  // text after the part's number
};
constexpr std::array kNamings{
    Naming{"dnabert_s", "_DNABERT_S.pt"},
    Naming{"esm2", "_ESM.pt"},
    Naming{"merged", "_merged.pt"},
};
constexpr std::array<std::string_view, 3> kFolders{"_nucleotide", "_protein", "_merged"};

// --- finding the files ---------------------------------------------------------------------------

// Returns a part's number, such as 12 for "output_12_ESM.pt".
std::optional<std::uint64_t> part_number(std::string_view name, std::string_view suffix) {
  const bool is_part = name.starts_with(kPrefix) && name.ends_with(suffix) &&
                       name.size() > kPrefix.size() + suffix.size();
  if (!is_part) return std::nullopt;
  return parse_count(name.substr(kPrefix.size(), name.size() - kPrefix.size() - suffix.size()));
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(at->path());
  }
  if (error) {
    throw Error(kind_of_failure(error.value(), ErrorKind::kInputRead),
                Place{.file = folder.string()}, error.message());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

class Finder {
 public:
  explicit Finder(const fs::path& directory) : directory_(directory) {
    for (const fs::path& entry : sorted_entries(directory)) {
      add_file(entry);
      if (is_folder_of_the_original(entry)) {
        for (const fs::path& file : sorted_entries(entry)) add_file(file);
      }
    }
  }

  OriginalEmbeddings found() {
    OriginalEmbeddings found{.others = std::move(others_)};
    for (std::size_t k = 0; k < kNamings.size(); ++k) {
      if (!parts_[k].empty()) found.datasets.push_back(in_order(kNamings[k], parts_[k]));
    }
    return found;
  }

 private:
  struct Part {
    std::uint64_t number;
    fs::path path;
  };

  static bool is_folder_of_the_original(const fs::path& path) {
    const std::string name = path.filename().string();
    std::error_code absent;
    return std::ranges::any_of(
               kFolders, [&name](std::string_view suffix) { return name.ends_with(suffix); }) &&
           fs::is_directory(path, absent);
  }

  void add_file(const fs::path& path) {
    const std::string name = path.filename().string();
    std::error_code absent;
    if (!name.ends_with(kExtension) || !fs::is_regular_file(path, absent)) return;
    for (std::size_t k = 0; k < kNamings.size(); ++k) {
      const auto number = part_number(name, kNamings[k].suffix);
      if (number) return parts_[k].push_back({*number, path});
    }
    others_.push_back(path.lexically_relative(directory_));
  }

  EmbeddingParts in_order(const Naming& naming, std::vector<Part>& parts) const {
    std::ranges::sort(parts, {}, [](const Part& part) { return std::tie(part.number, part.path); });
    EmbeddingParts result{.dataset = std::string(naming.dataset)};
    for (const Part& part : parts) {
      check_folder(naming, parts.front().path, part.path);
      result.files.push_back(part.path);
    }
    return result;
  }

  void check_folder(const Naming& naming, const fs::path& first, const fs::path& other) const {
    if (first.parent_path() == other.parent_path()) return;
    throw Error(
        ErrorKind::kNotComparable, Place{.file = directory_.string()},
        fmt::format("it holds files of {} from several runs: {} and {}; give the folder of one run",
                    naming.dataset, first.lexically_relative(directory_).string(),
                    other.lexically_relative(directory_).string()));
  }

  const fs::path& directory_;
  std::array<std::vector<Part>, kNamings.size()> parts_;
  std::vector<fs::path> others_;
};

// --- reading the files ---------------------------------------------------------------------------

class PartsReader : public EmbeddingReader {
 public:
  explicit PartsReader(const EmbeddingParts& parts)
      : files_(parts.files), datasets_{{.name = parts.dataset}} {
    for (std::size_t k = 0; k < files_.size(); ++k) {
      open(k);
      check_dataset();
      const std::size_t width = part_->datasets().front().width;
      // A part without rows may have any width.
      if (rows() == 0) datasets_.front().width = width;
      if (part_->rows() != 0) check_width();
      ends_.push_back(rows() + part_->rows());
    }
  }

  const std::vector<EmbeddingDataset>& datasets() const override { return datasets_; }
  std::uint64_t rows() const override { return ends_.empty() ? 0 : ends_.back(); }

  std::string id(std::uint64_t row) override {
    const std::uint64_t in_part = go_to(row);
    return part_->id(in_part);
  }

  void read(std::size_t dataset, std::uint64_t row, std::span<double> out) override {
    const std::uint64_t in_part = go_to(row);
    part_->read(dataset, in_part, out);
  }

 private:
  [[noreturn]] void malformed(const std::string& detail) const {
    throw Error(ErrorKind::kInputMalformed, Place{.file = files_[at_].string()}, detail);
  }

  void open(std::size_t part) {
    part_.reset();  // frees the last part first, so that memory never holds two
    at_ = part;
    part_ = open_torch_embeddings(files_[part]);
  }

  void check_dataset() const {
    const std::string& name = part_->datasets().front().name;
    if (name != datasets_.front().name) {
      malformed(fmt::format("the file holds the dataset {}, but its name says {}", name,
                            datasets_.front().name));
    }
  }

  void check_width() const {
    const std::size_t width = part_->datasets().front().width;
    if (width != datasets_.front().width) {
      malformed(fmt::format("the dataset {} has {} columns; in earlier files it has {}",
                            datasets_.front().name, width, datasets_.front().width));
    }
  }

  // Opens the part that has this row. Returns the row's number in that part.
  std::uint64_t go_to(std::uint64_t row) {
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), row);
    const auto part = static_cast<std::size_t>(end - ends_.begin());
    const std::uint64_t first = part == 0 ? 0 : ends_[part - 1];
    if (part != at_) {
      open(part);
      check_dataset();
      check_width();
      if (part_->rows() != *end - first) malformed("it changed while it was read");
    }
    return row - first;
  }

  const std::vector<fs::path> files_;
  std::vector<EmbeddingDataset> datasets_;  // always one dataset
  std::vector<std::uint64_t> ends_;         // number of rows up to the end of each part
  std::size_t at_ = 0;
  std::unique_ptr<EmbeddingReader> part_;  // the open part, files_[at_]
};

}  // namespace

OriginalEmbeddings find_original_embeddings(const fs::path& directory) {
  return Finder(directory).found();
}

std::unique_ptr<EmbeddingReader> open_embedding_parts(const EmbeddingParts& parts) {
  return std::make_unique<PartsReader>(parts);
}

}  // namespace virnucpro
