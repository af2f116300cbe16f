#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/json_writer.hpp"

namespace virnucpro {

// What `calibrate` has found for one set of models, a precision and the finer one that it was held
// against: which linears to keep in 16 bits, and within which margin to compute calls again.
struct Calibration {
  // For what it holds, as runs describe their models: weights' hashes, precision, check precision,
  // kernel path, numerics version.
  std::map<std::string, std::string> made_for{};
  std::string int8_keep = "none";  // an Int8Policy's text
  double margin = 0;               // logits; see CallMargin
  std::string hash{};              // of its file
  std::filesystem::path file{};    // that has it; empty: none

  std::string made_for_text(const std::string& key) const;  // empty: not said
  // A hash of what it makes of a run. The file's depends on when and where it was made, too.
  std::string effect() const;
  // Where it is, for people.
  std::string place() const;
};

// The entries of a run's description for which a calibration holds.
std::map<std::string, std::string> calibrated_part(
    const std::map<std::string, std::string>& description);

// A calibration's file. Its last member is the hash of all before, so a file that was changed is no
// calibration. `more` is for readers. Sets `calibration.hash`.
std::string calibration_json(Calibration& calibration, const Json& more);
// Errors: kCalibration, naming the file.
Calibration read_calibration(const std::filesystem::path& path);
// The same, of a file's text.
Calibration parse_calibration(const std::string& text, const std::filesystem::path& path);

// In logits: no calibration of a precision, named as precision_name() does, finds a smaller margin.
double least_margin(std::string_view precision);
// The hash finds accidents. Who forges it may write any margin, and with one of 0 no call is ever
// computed again. Errors: kCalibration, naming the file, for one below least_margin().
void require_possible_margin(const Calibration& calibration);

// Checks that it is one for models with this description, which need not have a check precision.
// Errors: kCalibration, naming the file and all that is different.
void require_calibrated_for(const Calibration& calibration,
                            const std::map<std::string, std::string>& description);

}  // namespace virnucpro
