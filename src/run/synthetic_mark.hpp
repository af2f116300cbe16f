#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace virnucpro {

inline constexpr const char* kSyntheticKey = "synthetic_weights";  // a key of a run's fingerprint

// Writes the file SYNTHETIC_WEIGHTS if some models are synthetic: it warns beside the tables, which
// cannot, that their scores mean nothing. Errors: kOutputWrite.
void mark_synthetic(const std::filesystem::path& directory,
                    const std::map<std::string, std::string>& models);

// Whether a run's description says that its weights are seeded random numbers.
bool is_synthetic(const std::map<std::string, std::string>& models);

}  // namespace virnucpro
