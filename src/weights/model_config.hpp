#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "weights/tensor_archive.hpp"

namespace virnucpro {

// The members of a config.json that are single values; lists and objects in it are passed over.
// Errors: kJson.
Settings parse_model_config(std::string_view json, const std::string& file);

// The files that the weight_map of a *.index.json names, each once. Errors: kJson; kWeightsFormat
// for a name that is not that of a file beside the index.
std::vector<std::string> parse_shard_index(std::string_view json, const std::string& file);

// The first of `names` that is set. Errors: kWeightsFormat when it is of another type.
std::optional<std::int64_t> whole_setting(const Settings& settings, const std::string& file,
                                          std::initializer_list<std::string_view> names);
std::optional<double> real_setting(const Settings& settings, const std::string& file,
                                   std::initializer_list<std::string_view> names);
std::optional<bool> flag_setting(const Settings& settings, const std::string& file,
                                 std::initializer_list<std::string_view> names);
// Errors: kWeightsFormat when `name` is set to anything but `expected`.
void expect_setting(const Settings& settings, const std::string& file, std::string_view name,
                    std::string_view expected);

}  // namespace virnucpro
