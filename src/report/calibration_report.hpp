#pragma once

#include <cstdint>
#include <string>

#include "base/json.hpp"
#include "report/page.hpp"
#include "report/provenance.hpp"
#include "run/calibrate.hpp"

namespace virnucpro {

// The conditions of a calibration.
struct CalibrationFacts {
  Provenance provenance{};
  std::string device{};     // "cuda:0"
  std::string dnabert_s{};  // as the user named it
  std::string esm2{};
  std::string classifier{};
  std::string precision{};        // "int8"
  std::string check_precision{};  // "fp16"
  std::string sample{};           // "made-up coding sequences, seed 0"
  std::size_t frames_wanted = 0;  // number of frames that the user asked for
  std::uint64_t chunk_size = 0;
  bool synthetic = false;  // true if some models' weights are seeded random numbers
  CalibrationTarget target{};
  std::string file{};  // path of calibration.json, for `predict --calibration`
};

std::vector<std::string> warnings_of(const CalibrationFacts& facts,
                                     const CalibrationResult& result);

// Three parts of the table that the command prints: its head, a row, and the lines below its rows.
std::string calibration_head(const CalibrationFacts& facts);
std::string calibration_row(const CalibrationPoint& point);
std::string calibration_end(const CalibrationFacts& facts, const CalibrationResult& result);

// Returns the JSON members that the calibration's file has besides the calibration itself.
Json calibration_details(const CalibrationFacts& facts, const CalibrationResult& result);
// Returns the report for people, with a plot of speed against error.
Page calibration_page(const CalibrationFacts& facts, const CalibrationResult& result);

}  // namespace virnucpro
