#include "report/sample_controls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostNames = 20;  // the most names in a message

std::string some_names(const std::vector<SampleFacts>& samples) {
  std::vector<std::string> names;
  for (const SampleFacts& sample : samples) {
    const auto alike = std::ranges::count(samples, sample.name, &SampleFacts::name);
    names.push_back(alike > 1 ? fmt::format("{} ({})", sample.name, sample.run) : sample.name);
  }
  return some_of(names, kMostNames);
}

// Returns a run's path in one form: "./a//b" and "a/b" are the same run.
std::string plain_path(const std::string& run) {
  return run_text(std::filesystem::path(run).lexically_normal().string());
}

std::size_t find_control(const std::vector<SampleFacts>& samples, const std::string& name) {
  const std::string run = plain_path(name);
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (plain_path(samples[k].run) == run) return k;
    if (samples[k].name == name) found.push_back(k);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--control {}: no sample has this name; the samples are {}",
                            printable(name), some_names(samples)));
  }
  throw Error(
      ErrorKind::kUsage,
      fmt::format("--control {}: {} runs have this name; give the path of a run, such as {} or {}",
                  printable(name), found.size(), samples[found[0]].run, samples[found[1]].run));
}

ShareCount share_of(const SampleFacts& sample) {
  return {.part = sample.counts.virus_sequences, .whole = sample.counts.sequences};
}

ControlResult compare(const std::vector<SampleFacts>& samples, const SampleFacts& sample,
                      const std::vector<std::size_t>& controls) {
  ControlResult result{.found = AgainstControls::kNotComparable};
  for (const std::size_t control : controls) {
    const SampleFacts& other = samples[control];
    if (other.settings != sample.settings || other.counts.sequences == 0) continue;
    result.found = AgainstControls::kNotAbove;
    if (sample.counts.sequences == 0) continue;
    const CountRatio ratio = ratio_of_shares(share_of(sample), share_of(other));
    if (result.ratio && result.ratio->least <= ratio.least) continue;
    result.ratio = ratio;
    result.control = control;
  }
  if (result.ratio && result.ratio->least > 1) result.found = AgainstControls::kAbove;
  return result;
}

}  // namespace

std::vector<std::size_t> find_controls(const std::vector<SampleFacts>& samples,
                                       const std::vector<std::string>& names) {
  std::vector<std::size_t> controls;
  for (const std::string& name : names) controls.push_back(find_control(samples, name));
  std::sort(controls.begin(), controls.end());
  controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
  return controls;
}

std::vector<ControlResult> compare_with_controls(const std::vector<SampleFacts>& samples,
                                                 const std::vector<std::size_t>& controls) {
  std::vector<ControlResult> results(samples.size());
  if (controls.empty()) return results;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    results[k] = compare(samples, samples[k], controls);
  }
  for (const std::size_t control : controls)
    results[control] = {.found = AgainstControls::kControl};
  return results;
}

}  // namespace virnucpro
