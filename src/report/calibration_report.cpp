#include "report/calibration_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

constexpr double kLittleIn8Bits = 0.5;  // warn if a smaller share of multiplications is in 8 bits

std::uint64_t rounded(double rate) {
  return static_cast<std::uint64_t>(std::llround(rate));
}

std::string target_text(const CalibrationTarget& target) {
  return fmt::format(
      "a centred cosine of at least {:g} for {:g} % of the embeddings, and the same call "
      "in both precisions for at least {:g} % of the frames",
      1 - target.centred, 100 * (1 - kOutliers), 100 * target.equal_calls);
}

// Returns the chance of an error above the margin, as text.
std::string chance_text(double chance) {
  return fmt::format("{:.1e} with {:g} % confidence", chance, 100 * kConfidence);
}

Json json_of(const CalibrationPoint& point) {
  const Closeness& closeness = point.closeness;
  return {{"int8_keep", point.policy.text()},
          {"kept", point.kept},
          {"share_in_8_bits", point.in_8_bits},
          {"frames", point.frames},
          {"centred", closeness.centred},
          {"equal_calls", closeness.equal_calls},
          {"logit_mean", closeness.logit_mean},
          {"logit_rms", closeness.logit_rms},
          {"logit_largest", closeness.logit_largest},
          {"tokens_per_second", closeness.tokens_per_second}};
}

std::vector<Value> row_of(const CalibrationPoint& point) {
  const Closeness& closeness = point.closeness;
  return {std::uint64_t{point.kept}, point.in_8_bits,         std::uint64_t{point.frames},
          closeness.centred,         closeness.equal_calls,   closeness.logit_mean,
          closeness.logit_rms,       closeness.logit_largest, closeness.tokens_per_second,
          point.policy.text()};
}

Table point_table(const CalibrationResult& result) {
  Table table{.key = "points",
              .caption = "All measurements, in order of time; the last row is the result"};
  table.columns = {{"kept", "Number of products in 16 bits", Measure::kCount},
                   {"share_in_8_bits", "Multiplications in 8 bits", Measure::kShare},
                   {"frames", "Frames", Measure::kCount},
                   {"centred", "1 − centred cosine, 99.9th percentile"},
                   {"equal_calls", "Frames with equal calls", Measure::kShare},
                   {"logit_mean", "Logit error, mean"},
                   {"logit_rms", "Logit error, root mean square"},
                   {"logit_largest", "Logit error, largest"},
                   {"tokens_per_second", "ESM-2 tokens", Measure::kPerSecond},
                   {"int8_keep", "Products in 16 bits"}};
  for (const CalibrationPoint& point : result.points) table.rows.push_back(row_of(point));
  return table;
}

Plot error_plot(const CalibrationResult& result) {
  Plot plot{.key = "speed_against_error",
            .title = "99.9 % of the embeddings have at most this 1 − centred cosine",
            .kind = PlotKind::kOverNumber,
            .x_label = "ESM-2 tokens a second",
            .y_label = "1 − centred cosine"};
  std::vector<CalibrationPoint> points = result.points;
  std::ranges::sort(
      points, {}, [](const CalibrationPoint& point) { return point.closeness.tokens_per_second; });
  PlotLine line{.name = "measurements"};
  for (const CalibrationPoint& point : points) {
    line.points.push_back({point.closeness.tokens_per_second, point.closeness.centred});
  }
  plot.lines.push_back(std::move(line));
  return plot;
}

Section result_section(const CalibrationFacts& facts, const CalibrationResult& result) {
  const Closeness& closeness = result.result().closeness;
  Section section{.key = "result", .title = "The calibration"};
  section.note = fmt::format(
      "Of {} frames, at most {} had a logit that differs by more than the margin from the logit in "
      "{}. The chance of such a frame is below {}. A chunk is computed again if an error within "
      "the margin could change its call. Under --rule viral-ngs, a short contig is computed again "
      "as a whole if such an error could change its call; about three times as many chunks are "
      "then computed again (docs/use/precision.md).",
      grouped(result.frames), grouped(allowed_above_margin(result.frames)), facts.check_precision,
      chance_text(result.chance));
  section.fields = {
      {"margin", "margin (logits)", result.margin},
      {"int8_keep", "products in 16 bits", result.result().policy.text()},
      {"share_in_8_bits", "multiplications in 8 bits", result.result().in_8_bits, Measure::kShare},
      {"target", "target", target_text(facts.target)},
      {"reached", "target reached", std::string(closeness.reaches(facts.target) ? "PASS" : "MISS"),
       Measure::kStatus}};
  section.preformatted = shown_text(fmt::format(
      "virnucpro predict INPUT --precision {} --calibration {}", facts.precision, facts.file));
  return section;
}

Section machine_section(const CalibrationFacts& facts, const CalibrationResult& result) {
  Section section{.key = "machine", .title = "Machine, models and sample"};
  section.fields = fields_of(facts.provenance);
  section.fields.insert(
      section.fields.end(),
      {{"device", "device", facts.device},
       {"models", "models",
        shown_text(fmt::format("{}, {}, {}", facts.dnabert_s, facts.esm2, facts.classifier))},
       {"chunk_size", "chunk size", facts.chunk_size, Measure::kCount},
       {"sample", "sample", shown_text(facts.sample)},
       {"frames", "frames", std::uint64_t{result.frames}, Measure::kCount},
       {"check_tokens_per_second", "tokens a second in " + facts.check_precision,
        result.check_tokens_per_second, Measure::kPerSecond}});
  section.preformatted = shown_text(facts.provenance.command, kLongestCommand);
  return section;
}

}  // namespace

std::vector<std::string> warnings_of(const CalibrationFacts& facts,
                                     const CalibrationResult& result) {
  std::vector<std::string> warnings;
  if (!result.result().closeness.reaches(facts.target)) {
    warnings.push_back(fmt::format("the target is missed: {}", target_text(facts.target)));
  }
  if (result.frames < facts.frames_wanted) {
    warnings.push_back(
        fmt::format("the sample has {} frames; {} were wanted (--frames): give --on a larger file",
                    grouped(result.frames), grouped(facts.frames_wanted)));
  }
  const bool is_int8 = result.description.contains(kInt8KeepKey);
  if (is_int8 && result.result().in_8_bits < kLittleIn8Bits) {
    warnings.emplace_back(
        "less than half of the multiplications are in 8 bits: use fp16, which is as fast, or "
        "calibrate with a lower --target-calls, which keeps more in 8 bits and makes the margin "
        "larger");
  }
  if (result.chance > kFlipChance) {
    warnings.push_back(fmt::format(
        "{} frames are too few: they show only that the chance of an error above the margin is "
        "below {:.1e}, and {:.0e} is wanted; calibrate with more frames (--frames)",
        grouped(result.frames), result.chance, kFlipChance));
  }
  return warnings;
}

std::string calibration_head(const CalibrationFacts& facts) {
  return fmt::format("models  {}, {}, {}\n", printable(facts.dnabert_s), printable(facts.esm2),
                     printable(facts.classifier)) +
         fmt::format("device  {}, {}\n", facts.device, facts.provenance.processor) +
         fmt::format("sample  {} frames of {}\n", grouped(facts.frames_wanted),
                     printable(facts.sample)) +
         fmt::format("target  {}\n\n", target_text(facts.target)) +
         fmt::format("{:>9}  {:>9}  {:>7}  {:>12}  {:>11}  {:>24}  {:>9}\n", "in 16", "in 8 bits",
                     "frames", "1 - centred", "equal calls", "logit error rms, largest",
                     "tokens/s");
}

std::string calibration_row(const CalibrationPoint& point) {
  const Closeness& closeness = point.closeness;
  return fmt::format(
      "{:>9}  {:>7.1f} %  {:>7}  {:>12.2e}  {:>9.3f} %  {:>12.4f} {:>11.4f}  {:>9}\n", point.kept,
      100 * point.in_8_bits, grouped(point.frames), closeness.centred, 100 * closeness.equal_calls,
      closeness.logit_rms, closeness.logit_largest, grouped(rounded(closeness.tokens_per_second)));
}

std::string calibration_end(const CalibrationFacts& facts, const CalibrationResult& result) {
  return fmt::format("\nproducts kept in 16 bits: {}\n", result.result().policy.text()) +
         fmt::format("margin: {:.4g} logits; the chance of a larger error is below {}\n",
                     result.margin, chance_text(result.chance)) +
         fmt::format("to use it: virnucpro predict INPUT --precision {} --calibration {}\n",
                     facts.precision, printable(facts.file));
}

Json calibration_details(const CalibrationFacts& facts, const CalibrationResult& result) {
  std::vector<Json> points;
  for (const CalibrationPoint& point : result.points) points.push_back(json_of(point));
  return {{"chance", result.chance},
          {"confidence", kConfidence},
          {"reached", result.result().closeness.reaches(facts.target)},
          {"target",
           {{"centred", facts.target.centred},
            {"outliers", kOutliers},
            {"equal_calls", facts.target.equal_calls}}},
          {"sample",
           {{"source", facts.sample},
            {"chunk_size", facts.chunk_size},
            {"frames", result.frames},
            {"esm_tokens", result.tokens}}},
          {"check_tokens_per_second", result.check_tokens_per_second},
          {"points", std::move(points)},
          {"models",
           {{"dnabert_s", facts.dnabert_s},
            {"esm2", facts.esm2},
            {"classifier", facts.classifier},
            {"synthetic_weights", facts.synthetic}}},
          {"device", facts.device},
          {"devices", facts.provenance.devices},
          {"processor", facts.provenance.processor},
          {"host", facts.provenance.host},
          {"time", facts.provenance.time},
          {"version", facts.provenance.version},
          {"build", facts.provenance.build},
          {"commit", facts.provenance.commit},
          {"command", facts.provenance.command}};
}

Page calibration_page(const CalibrationFacts& facts, const CalibrationResult& result) {
  const CalibrationPoint& found = result.result();
  Page page{.title = "virnucpro calibrate",
            .subtitle = fmt::format("{} · {} · {}", facts.provenance.time, facts.device,
                                    facts.provenance.host)};
  if (facts.synthetic) page.badges.emplace_back("synthetic weights");
  page.highlights = {
      {"margin", "margin (logits)", result.margin},
      {"equal_calls", "frames with equal calls, before any are computed again",
       found.closeness.equal_calls, Measure::kShare},
      {"centred", "1 − centred cosine, 99.9th percentile", found.closeness.centred},
      {"share_in_8_bits", "multiplications in 8 bits", found.in_8_bits, Measure::kShare},
      {"tokens_per_second", "tokens", found.closeness.tokens_per_second, Measure::kPerSecond}};
  page.warnings = warnings_of(facts, result);
  Section points{.key = "points", .title = "Speed against error"};
  points.plots = {error_plot(result)};
  points.tables = {point_table(result)};
  page.sections = {result_section(facts, result), std::move(points),
                   machine_section(facts, result)};
  return page;
}

}  // namespace virnucpro
