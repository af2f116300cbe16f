#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// What a run that this program starts is told of its models, on the command line of `profile`: the
// encoders, the chunk size, and the configuration that this program was given.
std::vector<std::string> encoder_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                           const Session& session);
// On that of `predict`: the classifier, too.
std::vector<std::string> model_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                         const Session& session);

// A flag and its value, where there is one.
void add_given(std::vector<std::string>& arguments, const char* flag, const std::string& value);

}  // namespace virnucpro
