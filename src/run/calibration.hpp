#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace virnucpro {

// The result of `calibrate` for a set of models, a precision and a finer check precision: which
// linear layers stay in 16 bits, and the margin within which calls are computed again.
struct Calibration {
  // The entries that a run's description must have: hashes of the weights, precision, check
  // precision, kernel path, numerics version.
  std::map<std::string, std::string> made_for{};
  std::string int8_keep = "none";  // an Int8Policy's text
  double margin = 0;               // in logits: see CallMargin
  std::string hash{};              // hash of the file's text
  std::filesystem::path file{};    // empty: not read from a file

  std::string made_for_text(const std::string& key) const;  // empty if there is no such entry
  // Returns a hash of the values that affect a run's scores, for the run's fingerprint. The file's
  // own hash also depends on when and where the file was made. If that hash were in the
  // fingerprint, shards whose files differ only in this could not be merged.
  std::string effect() const;
  // Returns the file's absolute path, or says in words that there is no file.
  std::string place() const;
};

// Returns the entries of a run's description that must equal its calibration's `made_for`.
std::map<std::string, std::string> calibrated_part(
    const std::map<std::string, std::string>& description);

// Returns the text of a calibration's file. The last member is the hash of the text before it, so
// that an edited or cut file is noticed. `more` has further members, for human readers. Sets
// `calibration.hash`.
std::string calibration_json(Calibration& calibration, const Json& more);
// Reads a calibration's file. Errors: kCalibration, naming the file.
Calibration read_calibration(const std::filesystem::path& path);
// Reads the text of a calibration's file; errors name `path`.
Calibration parse_calibration(const std::string& text, const std::filesystem::path& path);

// Returns the least possible margin, in logits. `precision` is from precision_name().
double least_margin(std::string_view precision);
// Refuses a margin below least_margin(). The file's hash detects only accidental changes. A forged
// file may state a margin of 0, and then no call would be computed again. Errors: kCalibration,
// naming the file.
void require_possible_margin(const Calibration& calibration);

// Checks that the calibration was made for models with this description, which may lack a check
// precision. Errors: kCalibration, naming the file and all differences.
void require_calibrated_for(const Calibration& calibration,
                            const std::map<std::string, std::string>& description);

}  // namespace virnucpro
