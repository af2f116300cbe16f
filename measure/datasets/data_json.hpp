#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "measure/datasets/data_set.hpp"
#include "measure/datasets/sample_data.hpp"

namespace virnucpro {

// These functions write and read the JSON beside data or results: the metadata of a generated data
// set, and the provenance of real samples.

std::string data_set_json(const DataSetSettings& settings, const DataSet& data);

// Returns the data set that the metadata describes. Empty if the file is missing, or if it names
// another version or other settings.
std::optional<DataSet> read_data_set(const std::filesystem::path& metadata,
                                     const DataSetSettings& settings);
// Returns the files that metadata names in its own folder, whatever its version and settings. Empty
// if this program did not write the metadata.
std::vector<DataFile> files_in_metadata(const std::filesystem::path& metadata);

std::string sample_data_json(const SampleData& samples);

}  // namespace virnucpro
