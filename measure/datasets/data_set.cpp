#include "measure/datasets/data_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "measure/datasets/data_json.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderMetadata = "metadata.json";
constexpr std::string_view kMetadataSuffix = ".json";

using OpenFiles = std::vector<std::unique_ptr<AtomicFile>>;

void check(const DataSetSettings& settings) {
  const std::uint64_t most = std::clamp<std::uint64_t>(settings.sequences.count, 1, kMostDataFiles);
  if (settings.files >= 1 && settings.files <= most) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{} files: expected from 1 to {}, and at most one per sequence",
                          settings.files, kMostDataFiles));
}

std::string folder_name(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
  return name.empty() ? "sequences" : name.string();
}

// Returns the end of a file's name, such as "_03.fa" for file 3 of 12.
std::string ending_of(std::uint64_t number, std::uint64_t files) {
  return fmt::format("_{:0{}}.fa", number, std::to_string(files).size());
}

// Returns the sequences of one file. All files have equally many sequences, to within one.
SequenceSpan span_of(std::uint64_t file, const DataSetSettings& settings) {
  const std::uint64_t count = settings.sequences.count;
  return {.begin = count * file / settings.files, .end = count * (file + 1) / settings.files};
}

DataFile write_sequences(const GenerateSettings& settings, SequenceSpan span, AtomicFile& file,
                         GeneratedFigures& figures, const Cancel& cancel) {
  const std::uint64_t bases_before = figures.lengths.letters();
  Sha256 hash;
  const auto sink = [&](std::string_view text) {
    cancel.check();
    hash.update(as_bytes(text));
    file.write(text);
  };
  generate_fasta(settings, span, sink, figures);
  file.sync();
  return {.name = {},
          .sequences = span.end - span.begin,
          .bases = figures.lengths.letters() - bases_before,
          .bytes = file.size(),
          .sha256 = hash.hex()};
}

DataSet data_set_of(std::vector<DataFile> files, const GeneratedFigures& figures) {
  return {.files = std::move(files),
          .sequences = figures.lengths.count(),
          .bases = figures.lengths.letters(),
          .gc_bases = figures.gc_bases,
          .coding_sequences = figures.coding_sequences,
          .lengths = length_figures(figures.lengths)};
}

void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) throw write_error(path, error.value());
}

// Removes files of an earlier data set that the new data set does not replace. Removes the metadata
// first, because without it the other files do not count as a data set.
void remove_earlier(const std::vector<fs::path>& replaced, const fs::path& metadata,
                    const std::vector<fs::path>& kept) {
  remove_file(metadata);
  for (const fs::path& path : replaced) {
    if (std::find(kept.begin(), kept.end(), path) == kept.end()) remove_file(path);
  }
}

// Throws if the folder has any file except `own` and the incomplete files of a killed program.
void require_empty(const fs::path& folder, const std::vector<fs::path>& own) {
  std::error_code error;  // an error means no folder, and so no files
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    throw Error(ErrorKind::kOutputExists, Place{.file = folder.string()},
                "it is a file, but several data files need a folder");
  }
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& found = at->path();
    const bool leftover = std::any_of(own.begin(), own.end(), [&found](const fs::path& path) {
      return found.filename() == AtomicFile::partial_name(path).filename();
    });
    if (leftover) continue;
    throw Error(ErrorKind::kOutputExists, Place{.file = folder.string()},
                fmt::format("the folder is not empty: it has {}", found.filename().string()));
  }
}

bool has_size(const fs::path& path, std::uint64_t bytes) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return !error && size == bytes;
}

// Returns the files of an earlier data set. Its metadata may name any file, so a file counts only
// if its name is one that this program uses, and its size is the size in the metadata.
std::vector<fs::path> earlier_files(const fs::path& output, std::uint64_t files) {
  const fs::path metadata = metadata_file(output, files);
  const std::vector<DataFile> listed = files_in_metadata(metadata);
  std::vector<fs::path> earlier;
  for (std::size_t k = 0; k < listed.size(); ++k) {
    const std::string& name = listed[k].name;
    const fs::path path = metadata.parent_path() / name;
    const bool is_own =
        files == 1 ? path == output : name.ends_with(ending_of(k + 1, listed.size()));
    if (is_own && has_size(path, listed[k].bytes)) earlier.push_back(path);
  }
  return earlier;
}

}  // namespace

LengthFigures length_figures(const LengthHistogram& lengths) {
  return {.min = lengths.min(),
          .mean = lengths.mean(),
          .median = lengths.percentile(50),
          .max = lengths.max()};
}

std::vector<fs::path> data_files(const fs::path& output, std::uint64_t files) {
  if (files == 1) return {output};
  const std::string name = folder_name(output);
  std::vector<fs::path> paths;
  for (std::uint64_t number = 1; number <= files; ++number) {
    paths.push_back(output / (name + ending_of(number, files)));
  }
  return paths;
}

fs::path metadata_file(const fs::path& output, std::uint64_t files) {
  if (files > 1) return output / kFolderMetadata;
  return output.string() + std::string(kMetadataSuffix);
}

std::vector<fs::path> replaced_files(const fs::path& output, std::uint64_t files) {
  const fs::path metadata = metadata_file(output, files);
  std::vector<fs::path> paths = data_files(output, files);
  paths.push_back(metadata);
  for (const fs::path& path : earlier_files(output, files)) paths.push_back(path);
  return paths;
}

void require_no_data_set(const fs::path& output, std::uint64_t files) {
  if (files > 1) {
    require_empty(output, replaced_files(output, files));
    return;
  }
  for (const fs::path& path : {output, metadata_file(output, files)}) {
    std::error_code error;  // on an error, writing will fail and say why
    if (fs::exists(fs::symlink_status(path, error))) {
      throw Error(ErrorKind::kOutputExists, Place{.file = path.string()}, {});
    }
  }
}

DataSet write_data_set(const DataSetSettings& settings, const fs::path& output,
                       const Cancel& cancel) {
  check(settings);
  if (settings.files > 1) make_directory(output);
  const std::vector<fs::path> paths = data_files(output, settings.files);
  GeneratedFigures figures;
  OpenFiles open;
  std::vector<DataFile> files;
  for (std::uint64_t k = 0; k < settings.files; ++k) {
    open.push_back(std::make_unique<AtomicFile>(paths[k]));
    files.push_back(
        write_sequences(settings.sequences, span_of(k, settings), *open.back(), figures, cancel));
    files.back().name = paths[k].filename().string();
  }
  DataSet data = data_set_of(std::move(files), figures);
  const fs::path metadata = metadata_file(output, settings.files);
  AtomicFile about(metadata);
  about.write(data_set_json(settings, data));
  about.sync();
  remove_earlier(replaced_files(output, settings.files), metadata, paths);
  for (const auto& file : open) file->commit();
  about.commit();
  return data;
}

std::optional<DataSet> find_data_set(const DataSetSettings& settings, const fs::path& output) {
  const fs::path metadata = metadata_file(output, settings.files);
  std::optional<DataSet> data = read_data_set(metadata, settings);
  const std::vector<fs::path> paths = data_files(output, settings.files);
  if (!data || data->files.size() != paths.size()) return std::nullopt;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const DataFile& file = data->files[k];
    if (file.name != paths[k].filename() || !has_size(paths[k], file.bytes)) return std::nullopt;
  }
  return data;
}

DataSet generate_data_set(const DataSetSettings& settings, const fs::path& output,
                          const Cancel& cancel) {
  if (std::optional<DataSet> data = find_data_set(settings, output)) return *std::move(data);
  if (files_in_metadata(metadata_file(output, settings.files)).empty()) {
    require_no_data_set(output, settings.files);
  }
  const std::vector<fs::path> earlier = earlier_files(output, settings.files);
  for (const fs::path& path : data_files(output, settings.files)) {
    if (!is_there(path) || std::ranges::find(earlier, path) != earlier.end()) continue;
    throw Error(
        ErrorKind::kOutputExists, Place{.file = path.string()},
        fmt::format("this program did not make this file: {} does not name it, or its size changed",
                    metadata_file(output, settings.files).string()))
        .advised("Move the file away, or choose another --output-dir.");
  }
  return write_data_set(settings, output, cancel);
}

std::span<const DataSize> data_sizes() {
  static const std::array sizes{DataSize{"tiny", 10, UniformLengths{200, 500}},
                                DataSize{"small", 100, UniformLengths{200, 800}},
                                DataSize{"medium", 1'000, UniformLengths{200, 1'500}},
                                DataSize{"large", 10'000, UniformLengths{100, 2'000}},
                                DataSize{kProductionSize, 6'000'000, FixedLength{kReadLength}}};
  return sizes;
}

DataSize parse_data_size(std::string_view name, std::string_view option) {
  std::vector<std::string_view> names;
  for (const DataSize& size : data_sizes()) {
    if (size.name == name) return size;
    names.push_back(size.name);
  }
  throw Error(ErrorKind::kUsage, fmt::format("{} {}: expected {}{}", option, name,
                                             fmt::join(names, ", "), did_you_mean(name, names)));
}

}  // namespace virnucpro
