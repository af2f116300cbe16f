#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "measure/datasets/generate.hpp"

namespace virnucpro {

inline constexpr std::uint64_t kMostDataFiles = 256;  // all are open at the same time

// A data set: synthetic sequences in one file or several, with metadata beside them.
struct DataSetSettings {
  GenerateSettings sequences{};
  std::uint64_t files = 1;  // from 1 to kMostDataFiles, and at most one per sequence
  std::string preset{};     // the name of a DataSize, if the user chose one
};

struct DataFile {
  std::string name;  // file name, without its folder
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t bytes = 0;
  std::string sha256;
};

// Figures of the sequences' lengths, in letters.
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

// Returns the files of a data set. A single file is `output` itself. Several files are in the
// folder `output` and named after it: reads/reads_1.fa, with leading zeros so that names sort.
// Joined, they equal the single file.
std::vector<std::filesystem::path> data_files(const std::filesystem::path& output,
                                              std::uint64_t files);
// Returns reads.fa.json for the file reads.fa, or reads/metadata.json for the folder reads.
std::filesystem::path metadata_file(const std::filesystem::path& output, std::uint64_t files);

// Returns every file that a new data set would replace or remove: its own files and, if it has a
// folder, the files of an earlier data set in the folder.
std::vector<std::filesystem::path> replaced_files(const std::filesystem::path& output,
                                                  std::uint64_t files);

// Throws kOutputExists if one of the data set's files exists. For several files, also throws if the
// folder has other files, which would be mistaken for data. Ignores incomplete files that a killed
// program left.
void require_no_data_set(const std::filesystem::path& output, std::uint64_t files);

// Writes all files, then the metadata, in place of replaced_files(). Files get their final names
// when all are synced. Errors: kUsage for settings out of bounds; kOutputWrite; those of Cancel.
DataSet write_data_set(const DataSetSettings& settings, const std::filesystem::path& output,
                       const Cancel& cancel);

// Returns the data set at `output`, if its metadata names this version and these settings, and its
// files have the stated sizes. Their contents are not read.
std::optional<DataSet> find_data_set(const DataSetSettings& settings,
                                     const std::filesystem::path& output);

// Returns the data set if it exists. Else writes it, and replaces another data set of this program.
// Errors: those of write_data_set(); kOutputExists for a file that is not part of such a data set.
DataSet generate_data_set(const DataSetSettings& settings, const std::filesystem::path& output,
                          const Cancel& cancel);

// A synthetic data set with a name. All its sequences are coding.
struct DataSize {
  std::string_view name;
  std::uint64_t sequences = 0;
  LengthDistribution lengths = UniformLengths{.least = 200, .most = 500};
};

inline constexpr std::string_view kProductionSize = "production";
inline constexpr std::uint64_t kReadLength = 150;

// Returns the sizes "tiny" (10 sequences) to "production" (6 million). v2 has the first four.
std::span<const DataSize> data_sizes();
// Returns the size with this name. Errors: kUsage, naming `option` and the valid sizes.
DataSize parse_data_size(std::string_view name, std::string_view option);

}  // namespace virnucpro
