#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "run/settings.hpp"
#include "validate/measure/provenance.hpp"

namespace virnucpro {

// The models for a run of `profile` that this program starts, as arguments: the encoders, the chunk
// size, and this program's configuration file.
std::vector<std::string> encoder_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                           const Session& session);
// The same for `predict`, with the classifier.
std::vector<std::string> model_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                         const Session& session);

// Adds a flag and its value, unless the value is empty.
void add_given(std::vector<std::string>& arguments, const char* flag, const std::string& value);

// The provenance of measurements that start now; the driver is not known yet.
Provenance provenance_here(const ComputeSettings& compute, const Session& session);

}  // namespace virnucpro
