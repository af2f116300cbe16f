#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "validate/datasets/data_set.hpp"
#include "validate/datasets/sample_data.hpp"

namespace virnucpro {

// What stands beside data, and beside results that come of them, as JSON: the metadata of a data
// set that was generated, the provenance of real samples.

std::string data_set_json(const DataSetSettings& settings, const DataSet& data);

// Empty where the file is not there, or tells of another version, of other settings, or of nothing.
std::optional<DataSet> read_data_set(const std::filesystem::path& metadata,
                                     const DataSetSettings& settings);
// The files that metadata of any version and settings tell of, of their own folder alone; empty
// where they are none of this program's.
std::vector<std::string> names_in_metadata(const std::filesystem::path& metadata);

std::string sample_data_json(const SampleData& samples);

}  // namespace virnucpro
