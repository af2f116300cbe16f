#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "measure/datasets/length_histogram.hpp"

namespace virnucpro {

struct SampleFile {
  std::string name;         // file name, without its folder
  std::uint64_t bytes = 0;  // size of the file
  std::string hash;         // hash of its text, as in a run's journal (InputEnd)
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
};

// A file that is left out, because it has no sequences in a known format.
struct PassedOver {
  std::string name;
  std::string why;
};

// Real samples and their origin, which are stored with every result that was measured on them.
struct SampleData {
  std::filesystem::path directory;
  std::vector<SampleFile> files{};  // sorted by name
  std::vector<PassedOver> passed_over{};
  LengthHistogram lengths{};  // of all files together
  // provenance.json in the directory gives these two; if it is missing, metadata.json.
  std::optional<std::string> source{};
  std::optional<double> expected_baseline_seconds{};  // time of the original on these samples
};

// Reads each sequence file in a directory once, to its end; ignores hidden files and folders.
// Formats are recognised by content. Errors: kInputMissing for a directory that cannot be read or
// has no sequence file; those of a damaged file; kJson for invalid provenance; those of Cancel.
SampleData load_sample_data(const std::filesystem::path& directory, const Cancel& cancel);

}  // namespace virnucpro
