#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "weights/tensor_archive.hpp"

namespace virnucpro {

// The user's next step if settings or tensors are those of another model.
inline constexpr const char* kOtherModelAdvice =
    "Check that it is the model that was asked for (virnucpro utils inspect FILE), and that its "
    "config.json is the one published with it.";

// Returns the members of a config.json that are single values, not lists or objects. Errors: kJson;
// kWeightsFormat if the text is not a JSON object.
Settings parse_model_config(std::string_view json, const std::string& file);

// Returns the file names in the weight_map of a *.index.json, each once. Errors: kJson;
// kWeightsFormat if there is no name, or a name is not a plain file name.
std::vector<std::string> parse_shard_index(std::string_view json, const std::string& file);

// These return the value of the first of `names` that is set. Errors: kWeightsFormat (wrong type).
std::optional<std::int64_t> whole_setting(const Settings& settings, const std::string& file,
                                          std::initializer_list<std::string_view> names);
std::optional<double> real_setting(const Settings& settings, const std::string& file,
                                   std::initializer_list<std::string_view> names);
std::optional<bool> flag_setting(const Settings& settings, const std::string& file,
                                 std::initializer_list<std::string_view> names);
// Returns the first of `names` that is set, for messages; empty if none is set.
std::string_view name_in(const Settings& settings, std::initializer_list<std::string_view> names);
// Throws kWeightsFormat if `name` is set to anything but `expected`.
void expect_setting(const Settings& settings, const std::string& file, std::string_view name,
                    std::string_view expected);

}  // namespace virnucpro
