#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "validate/datasets/generate.hpp"

namespace virnucpro {

inline constexpr std::uint64_t kMostDataFiles = 256;  // all stay open until all are complete

// A data set: synthetic sequences in one file or several, with metadata beside them.
struct DataSetSettings {
  GenerateSettings sequences{};
  std::uint64_t files = 1;  // at most kMostDataFiles, and not more than sequences
  std::string preset{};     // the name of its size, if it was chosen by name
};

struct DataFile {
  std::string name;  // without its folder
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t bytes = 0;
  std::string sha256;
};

// Figures of the sequences' lengths.
struct LengthFigures {
  std::uint64_t min = 0;
  double mean = 0;
  std::uint64_t median = 0;  // as LengthHistogram::percentile() computes it
  std::uint64_t max = 0;
};

LengthFigures length_figures(const LengthHistogram& lengths);

// A data set as it was written.
struct DataSet {
  std::vector<DataFile> files{};  // in the order of their sequences
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t gc_bases = 0;
  std::uint64_t coding_sequences = 0;
  LengthFigures lengths{};
};

// The files of a data set. One file is `output` itself. Several are in the folder `output` and
// named after it: reads/reads_1.fa, with leading zeros so that names sort. Joined, they equal the
// single file.
std::vector<std::filesystem::path> data_files(const std::filesystem::path& output,
                                              std::uint64_t files);
// reads.fa.json beside reads.fa; reads/metadata.json for the folder.
std::filesystem::path metadata_file(const std::filesystem::path& output, std::uint64_t files);

// Every file that a new data set would replace or remove there: its own, and in a folder those of
// an earlier data set.
std::vector<std::filesystem::path> replaced_files(const std::filesystem::path& output,
                                                  std::uint64_t files);

// Errors: kOutputExists when one of these files exists or, for several files, when the folder holds
// anything but incomplete files of a killed program: it would be mistaken for data.
void require_no_data_set(const std::filesystem::path& output, std::uint64_t files);

// Writes all files, then the metadata, in place of replaced_files(). No file gets its name before
// all are complete and synced. Errors: kUsage for settings out of bounds; kOutputWrite; Cancel's.
DataSet write_data_set(const DataSetSettings& settings, const std::filesystem::path& output,
                       const Cancel& cancel);

// The data set at `output`, if its metadata names this version and these settings, and its files
// have the stated sizes. Their contents are not read.
std::optional<DataSet> find_data_set(const DataSetSettings& settings,
                                     const std::filesystem::path& output);

// Uses the existing data set, or writes a new one, also over another one of this program. Errors:
// as write_data_set(); kOutputExists when there is something else, or a file of another size.
DataSet generate_data_set(const DataSetSettings& settings, const std::filesystem::path& output,
                          const Cancel& cancel);

// A named synthetic data set. Each of its sequences is coding.
struct DataSize {
  std::string_view name;
  std::uint64_t sequences = 0;
  LengthDistribution lengths = UniformLengths{.least = 200, .most = 500};
};

inline constexpr std::string_view kProductionSize = "production";
inline constexpr std::uint64_t kReadLength = 150;

// From "tiny", 10, to "production", 6 million. The first four have v2's lengths; v2 has no fifth.
std::span<const DataSize> data_sizes();
// Errors: kUsage, naming `option` and the valid sizes.
DataSize parse_data_size(std::string_view name, std::string_view option);

}  // namespace virnucpro
