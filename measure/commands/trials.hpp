#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// Returns arguments for a run of `profile`: the encoders, the chunk size, the configuration file.
std::vector<std::string> encoder_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                           const Session& session);
// Returns the same arguments and the classifier, for a run of `predict`.
std::vector<std::string> model_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                         const Session& session);

// Adds a flag and its value, unless the value is empty.
void add_given(std::vector<std::string>& arguments, const char* flag, const std::string& value);

}  // namespace virnucpro
