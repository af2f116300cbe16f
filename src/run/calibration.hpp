#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/json_writer.hpp"

namespace virnucpro {

// The result of `calibrate` for a set of models, a precision and a finer check precision. It says
// which linears stay in 16 bits, and within which margin calls are computed again.
struct Calibration {
  // The models it is valid for, described as runs describe them: weights' hashes, precision, check
  // precision, kernel path, numerics version.
  std::map<std::string, std::string> made_for{};
  std::string int8_keep = "none";  // an Int8Policy's text
  double margin = 0;               // logits; see CallMargin
  std::string hash{};              // of the file
  std::filesystem::path file{};    // empty: it was not read from a file

  std::string made_for_text(const std::string& key) const;  // empty: not in the file
  // Returns a hash of its effect on a run, which the run's fingerprint holds. The file's own hash
  // also depends on when and where it was made, and would keep shards from being merged.
  std::string effect() const;
  // Returns its place in words.
  std::string place() const;
};

// Returns the entries of a run's description that a calibration is bound to.
std::map<std::string, std::string> calibrated_part(
    const std::map<std::string, std::string>& description);

// Returns the text of a calibration's file. Its last member is the hash of all before it, because
// an edited or cut file is no measurement. `more`: members for readers. Sets `calibration.hash`.
std::string calibration_json(Calibration& calibration, const Json& more);
// Errors: kCalibration, naming the file.
Calibration read_calibration(const std::filesystem::path& path);
// The same for a file's text.
Calibration parse_calibration(const std::string& text, const std::filesystem::path& path);

// Returns the least margin, in logits, of a calibration. `precision`: as precision_name() names it.
double least_margin(std::string_view precision);
// Refuses a margin below least_margin(). The hash finds accidents only: a forged file may state a
// margin of 0, and no call would be computed again. Errors: kCalibration, naming the file.
void require_possible_margin(const Calibration& calibration);

// Checks that it was made for models with this description, which may lack a check precision.
// Errors: kCalibration, naming the file and all differences.
void require_calibrated_for(const Calibration& calibration,
                            const std::map<std::string, std::string>& description);

}  // namespace virnucpro
