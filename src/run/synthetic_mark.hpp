#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace virnucpro {

inline constexpr const char* kSyntheticKey = "synthetic_weights";  // of a run's fingerprint

// Writes the file SYNTHETIC_WEIGHTS where the models described are such: it says beside the tables,
// which cannot, what their scores are worth. Errors: kOutputWrite.
void mark_synthetic(const std::filesystem::path& directory,
                    const std::map<std::string, std::string>& models);

// Whether a run's description says that its weights are seeded random numbers.
bool is_synthetic(const std::map<std::string, std::string>& models);

}  // namespace virnucpro
