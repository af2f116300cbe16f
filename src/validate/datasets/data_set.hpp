#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "validate/datasets/generate.hpp"

namespace virnucpro {

inline constexpr std::uint64_t kMostDataFiles = 256;  // all are open until all are complete

// A data set: synthetic sequences in one file or several, with metadata beside them.
struct DataSetSettings {
  GenerateSettings sequences{};
  std::uint64_t files = 1;  // at most kMostDataFiles, and no more than there are sequences
  std::string preset{};     // the name its size was asked for by; may be empty
};

struct DataFile {
  std::string name;  // without its folder
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t bytes = 0;
  std::string sha256;
};

// Lengths of sequences.
struct LengthFigures {
  std::uint64_t min = 0;
  double mean = 0;
  std::uint64_t median = 0;  // as LengthHistogram::percentile() has it
  std::uint64_t max = 0;
};

LengthFigures length_figures(const LengthHistogram& lengths);

// What became of the settings.
struct DataSet {
  std::vector<DataFile> files{};  // in the order of their sequences
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t gc_bases = 0;
  std::uint64_t coding_sequences = 0;
  LengthFigures lengths{};
};

// Where the sequences go: one file is `output` itself. Several lie in the folder `output`, and are
// called after it: reads/reads_1.fa, with so many zeros before the number that they sort by name.
// One after the other they hold the bytes of the one file.
std::vector<std::filesystem::path> data_files(const std::filesystem::path& output,
                                              std::uint64_t files);
// reads.fa.json beside reads.fa; reads/metadata.json for the folder.
std::filesystem::path metadata_file(const std::filesystem::path& output, std::uint64_t files);

// Every file that a data set written there would replace or remove: its own, and those of an
// earlier one in the folder, which that one's metadata names.
std::vector<std::filesystem::path> replaced_files(const std::filesystem::path& output,
                                                  std::uint64_t files);

// Errors: kOutputExists, where one of these is there or, for several files, the folder holds
// anything but what is left of them by a program that was killed: it would be taken for one of
// them.
void require_no_data_set(const std::filesystem::path& output, std::uint64_t files);

// Writes all files and then the metadata, in place of replaced_files(). None has its name before
// all are complete and on disk. Errors: kUsage for settings out of bounds; kOutputWrite; Cancel's.
DataSet write_data_set(const DataSetSettings& settings, const std::filesystem::path& output,
                       const Cancel& cancel);

// The data set that lies at `output`, where its metadata says that it was made by this version from
// these settings, and its files are as large as that says. Nothing of them is read.
std::optional<DataSet> find_data_set(const DataSetSettings& settings,
                                     const std::filesystem::path& output);

// The one that is there, or a new one in place of another of this program. Errors: as
// write_data_set(), and kOutputExists where something else lies there.
DataSet generate_data_set(const DataSetSettings& settings, const std::filesystem::path& output,
                          const Cancel& cancel);

}  // namespace virnucpro
