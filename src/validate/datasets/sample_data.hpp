#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "validate/datasets/length_histogram.hpp"

namespace virnucpro {

struct SampleFile {
  std::string name;         // without its folder
  std::uint64_t bytes = 0;  // of the file
  std::string hash;         // of its text, as the journal of a run has it (InputEnd)
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
};

// A file that holds no sequences in a format that is read here.
struct PassedOver {
  std::string name;
  std::string why;
};

// Real samples, and where they come from: what stands beside results that were measured with them.
struct SampleData {
  std::filesystem::path directory;
  std::vector<SampleFile> files{};  // by name
  std::vector<PassedOver> passed_over{};
  LengthHistogram lengths{};  // of all files together
  // As provenance.json in the directory says, or where that is not there metadata.json.
  std::optional<std::string> source{};
  std::optional<double> expected_baseline_seconds{};  // what the original needs for them
};

// Reads the sequence files in a directory, once each, to their ends; hidden files and folders in it
// are left alone. Formats are recognised by content. Errors: kInputMissing for a directory that
// cannot be read or holds no sequence file; a damaged file's own; kJson for provenance that is
// none; Cancel's.
SampleData load_sample_data(const std::filesystem::path& directory, const Cancel& cancel);

}  // namespace virnucpro
