#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "validate/datasets/data_set.hpp"
#include "validate/datasets/sample_data.hpp"

namespace virnucpro {

// The JSON beside data or results: the metadata of a generated data set, the provenance of real
// samples.

std::string data_set_json(const DataSetSettings& settings, const DataSet& data);

// Returns nothing if the file is missing, or of another version, other settings or nothing known.
std::optional<DataSet> read_data_set(const std::filesystem::path& metadata,
                                     const DataSetSettings& settings);
// The files named in metadata of any version and settings, only those in its own folder; empty when
// the metadata is not this program's.
std::vector<DataFile> files_in_metadata(const std::filesystem::path& metadata);

std::string sample_data_json(const SampleData& samples);

}  // namespace virnucpro
