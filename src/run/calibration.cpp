#include "run/calibration.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"
#include "ops/int8_policy.hpp"
#include "run/close_calls.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kSchema = "virnucpro-calibration-1";

struct Entry {
  std::string_view key;
  std::string_view name;  // the entry's name in messages
};

constexpr std::array kEntries{Entry{"esm2_hash", "ESM-2"},
                              Entry{"dnabert_s_hash", "DNABERT-S"},
                              Entry{"classifier_hash", "classifier"},
                              Entry{"precision", "precision"},
                              Entry{kCheckPrecisionKey, "check precision"},
                              Entry{"kernel_path", "kernel path"},
                              Entry{"numerics_version", "numerics version"}};

Error unusable(const std::filesystem::path& path, std::string why) {
  return {ErrorKind::kCalibration, Place{.file = path.string()}, std::move(why)};
}

// The unit roundoffs (Higham 2002, Accuracy and Stability of Numerical Algorithms, section 2.1) of
// the 16-bit types: how far one rounding can move a number of size 1.
constexpr double kFp16Roundoff = 0x1p-11;
constexpr double kBf16Roundoff = 0x1p-8;
// The error of a logit if its two fp32 scores are near 0.5 and each is off by one rounding.
constexpr double kFp32Logit = 0x1p-23;

}  // namespace

std::string Calibration::made_for_text(const std::string& key) const {
  const auto found = made_for.find(key);
  return found == made_for.end() ? std::string() : found->second;
}

std::string Calibration::effect() const {
  return content_hash(
      Json{{"made_for", made_for}, {"int8_keep", int8_keep}, {"margin", margin}}.dump());
}

std::string Calibration::place() const {
  std::error_code unknown;  // set if the current folder does not exist
  return file.empty() ? "made for this run, not kept"
                      : std::filesystem::absolute(file, unknown).string();
}

std::map<std::string, std::string> calibrated_part(
    const std::map<std::string, std::string>& description) {
  std::map<std::string, std::string> part;
  for (const Entry& entry : kEntries) {
    const auto found = description.find(std::string(entry.key));
    if (found != description.end()) part.insert(*found);
  }
  return part;
}

std::string calibration_json(Calibration& calibration, const Json& more) {
  Json json{{"schema", kSchema},
            {"made_for", calibration.made_for},
            {"int8_keep", calibration.int8_keep},
            {"margin", calibration.margin}};
  json.update(more);
  std::string text = sealed_json(json);
  calibration.hash = seal_of(text);
  return text;
}

Calibration read_calibration(const std::filesystem::path& path) {
  return parse_calibration(read_small_text(path, kMaxJsonBytes, ErrorKind::kCalibration), path);
}

Calibration parse_calibration(const std::string& text, const std::filesystem::path& path) {
  const std::string_view hash = seal_of(text);
  if (hash.empty()) {
    throw unusable(path,
                   "virnucpro calibrate did not write it, or it was damaged or changed later");
  }
  const JsonValues values(text, path.string());
  if (values.text("schema") != kSchema) {
    throw unusable(path, fmt::format("its schema is {}; this program reads {}",
                                     values.text("schema").value_or("not given"), kSchema));
  }
  Calibration calibration{.hash = std::string(hash), .file = path};
  for (const Entry& entry : kEntries) {
    const auto value = values.text(fmt::format("made_for/{}", entry.key));
    if (value) calibration.made_for[std::string(entry.key)] = *value;
  }
  const auto keep = values.text("int8_keep");
  const auto margin = values.number("margin");
  if (!keep || !Int8Policy::parse(*keep)) {
    throw unusable(path, "its int8_keep is missing or not valid");
  }
  if (!margin || *margin > CallMargin::kMost) {
    throw unusable(path,
                   fmt::format("its margin is missing, or larger than {}", CallMargin::kMost));
  }
  calibration.int8_keep = *keep;
  calibration.margin = *margin;
  return calibration;
}

// Returns the error of one rounding in a logit of size 1; a useful classifier's logits have at
// least this size. A real margin is larger, because it is the largest of thousands of errors, and
// each error comes from thousands of roundings. The smallest measured margin is 0.020, 40 times
// fp16's roundoff, for int8 with every product kept in 16 bits
// (bench/results/precision/nvidia-h100-int8-calibrated.json). int8 has fp16's roundoff, because it
// computes everything else in fp16; int8-simulated has fp32's.
double least_margin(std::string_view precision) {
  if (precision == "bf16") return kBf16Roundoff;
  return precision == "fp16" || precision == "int8" ? kFp16Roundoff : kFp32Logit;
}

void require_possible_margin(const Calibration& calibration) {
  const std::string precision = calibration.made_for_text("precision");
  const double least = least_margin(precision);
  if (calibration.margin >= least) return;
  Error error = unusable(calibration.file,
                         fmt::format("its margin is {:g} logits; the least possible for {} is {:g}",
                                     calibration.margin, precision, least));
  error.advise("Make a new calibration (virnucpro calibrate --help), or give a margin (--margin).");
  throw error;
}

void require_calibrated_for(const Calibration& calibration,
                            const std::map<std::string, std::string>& description) {
  std::vector<std::string> others;
  for (const Entry& entry : kEntries) {
    const auto found = description.find(std::string(entry.key));
    const std::string now = found == description.end() ? std::string() : found->second;
    const std::string then = calibration.made_for_text(std::string(entry.key));
    if (now == then || (now.empty() && entry.key == kCheckPrecisionKey)) continue;
    others.push_back(fmt::format("{} (was {}, is {})", entry.name,
                                 then.empty() ? "not given" : then,
                                 now.empty() ? "not given" : now));
  }
  if (others.empty()) return;
  throw unusable(calibration.file,
                 fmt::format("it was made for another {}", fmt::join(others, ", ")));
}

}  // namespace virnucpro
