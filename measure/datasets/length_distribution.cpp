#include "measure/datasets/length_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "sequence/input_set.hpp"
#include "sequence/random_letters.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kUniform = "uniform:";
constexpr std::string_view kLogNormal = "lognormal:";
constexpr std::uint64_t kLengthSeed = fnv1a("lengths");  // makes lengths independent of letters

// --- draws ---------------------------------------------------------------------------------------

constexpr std::int64_t kLog2OfE = 6196328019;  // in units of 2^-32
constexpr std::uint64_t kOne = std::uint64_t{1} << 31U;
constexpr std::size_t kPowers = 24;

constexpr std::uint64_t square_root(std::uint64_t square) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31U; bit != 0; bit >>= 1U) {
    if ((root | bit) * (root | bit) <= square) root |= bit;
  }
  return root;
}

// 2^(1/2), 2^(1/4), 2^(1/8), … in units of 2^-31.
constexpr auto kRootsOfTwo = [] {
  std::array<std::uint64_t, kPowers> roots{};
  std::uint64_t root = 2 * kOne;
  for (std::uint64_t& next : roots) next = root = square_root(root * kOne);
  return roots;
}();

// Returns 2^x for 0 <= x < 1. `fraction` is x in units of 2^-32; the result is in units of 2^-31.
std::uint64_t power_of_two(std::uint32_t fraction) {
  std::uint64_t power = kOne;
  for (std::size_t k = 0; k < kPowers; ++k) {
    if ((fraction >> (31U - k) & 1U) != 0) power = power * kRootsOfTwo[k] / kOne;
  }
  return power;
}

// Draws a normal number in units of 2^-18, with mean 0 and standard deviation 1.
std::int64_t draw_normal(RandomStream& stream) {
  constexpr std::int64_t kNumbers = 48;
  constexpr std::int64_t kMean = kNumbers * 65535;  // mean of 2 * `sum`
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < kNumbers / 4; ++i) {
    const std::uint64_t bits = stream.next();
    for (unsigned shift = 0; shift < 64; shift += 16) {
      sum += static_cast<std::int64_t>(bits >> shift & 0xffffU);
    }
  }
  return 2 * sum - kMean;
}

std::uint64_t draw(const FixedLength& lengths, RandomStream& /*stream*/) {
  return lengths.letters;
}

std::uint64_t draw(const UniformLengths& lengths, RandomStream& stream) {
  return lengths.least + stream.below(lengths.most - lengths.least + 1);
}

std::uint64_t draw(const LogNormalLengths& lengths, RandomStream& stream) {
  // `scale` is sigma · log2(e), below 2^35 in units of 2^-32. The normal number is below 2^22 in
  // units of 2^-18, so the product fits in 64 bits. The shift leaves units of 2^-32.
  const std::int64_t scale = kLog2OfE * lengths.sigma.numerator / lengths.sigma.denominator;
  const std::int64_t exponent = (scale * draw_normal(stream)) >> 18;
  const std::int64_t whole = exponent >> 32;
  // The median times 2^fraction, below 2^63 in units of 2^-31. The shift multiplies by 2^whole.
  const std::uint64_t product =
      lengths.median * power_of_two(static_cast<std::uint32_t>(exponent & 0xffffffff));
  if (whole >= 31) return lengths.most;
  if (whole < -31) return lengths.least;
  const auto behind = static_cast<unsigned>(31 - whole);
  const std::uint64_t half = std::uint64_t{1} << (behind - 1);
  return std::clamp((product + half) >> behind, lengths.least, lengths.most);
}

std::uint64_t draw(const ObservedLengths& lengths, RandomStream& stream) {
  const std::uint64_t rank = stream.below(lengths.steps.back().up_to);
  return std::upper_bound(
             lengths.steps.begin(), lengths.steps.end(), rank,
             [](std::uint64_t wanted, const LengthStep& step) { return wanted < step.up_to; })
      ->length;
}

// --- bounds --------------------------------------------------------------------------------------

bool possible(const FixedLength& lengths) {
  return lengths.letters <= kMaxLetters;
}

bool possible(const UniformLengths& lengths) {
  return lengths.least <= lengths.most && lengths.most <= kMaxLetters;
}

bool possible(const LogNormalLengths& lengths) {
  const Fraction sigma = lengths.sigma;
  return sigma.denominator != 0 && sigma.denominator <= kMaxDenominator &&
         sigma.numerator <= std::uint64_t{kMaxSigma} * sigma.denominator && lengths.median >= 1 &&
         lengths.least <= lengths.median && lengths.median <= lengths.most &&
         lengths.most <= kMaxLetters;
}

bool possible(const ObservedLengths& lengths) {
  return !lengths.steps.empty() && lengths.steps.back().length <= kMaxLetters;
}

// --- text ----------------------------------------------------------------------------------------

std::string text_of(const FixedLength& lengths) {
  return std::to_string(lengths.letters);
}

std::string text_of(const UniformLengths& lengths) {
  return fmt::format("{}{}-{}", kUniform, lengths.least, lengths.most);
}

std::string text_of(const LogNormalLengths& lengths) {
  const LogNormalLengths unbounded;
  std::string text =
      fmt::format("{}{},{}", kLogNormal, lengths.median, decimal_text(lengths.sigma));
  if (lengths.least != unbounded.least || lengths.most != unbounded.most) {
    text += fmt::format(",{}-{}", lengths.least, lengths.most);
  }
  return text;
}

std::string text_of(const ObservedLengths& lengths) {
  return fmt::format("{}{}", kLengthsFrom, lengths.file);
}

// Parses "A-B".
std::optional<UniformLengths> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto least = parse_count(text.substr(0, dash));
  const auto most = parse_count(text.substr(dash + 1));
  if (!least || !most) return std::nullopt;
  return UniformLengths{.least = *least, .most = *most};
}

// Parses "MEDIAN,SIGMA" or "MEDIAN,SIGMA,A-B".
std::optional<LogNormalLengths> parse_log_normal(std::string_view text) {
  const std::size_t first = std::min(text.find(','), text.size());
  const std::size_t second = std::min(text.find(',', first + 1), text.size());
  const auto median = parse_count(text.substr(0, first));
  if (!median || first == text.size()) return std::nullopt;
  const auto sigma = parse_decimal(text.substr(first + 1, second - first - 1));
  if (!sigma) return std::nullopt;
  LogNormalLengths lengths{.median = *median, .sigma = *sigma};
  if (second == text.size()) return lengths;
  const auto bounds = parse_range(text.substr(second + 1));
  if (!bounds) return std::nullopt;
  lengths.least = bounds->least;
  lengths.most = bounds->most;
  return lengths;
}

ObservedLengths read_lengths(std::string file, const Cancel& cancel) {
  InputSet inputs({.paths = {file}}, cancel);
  LengthHistogram histogram;
  ObservedLengths lengths{.file = std::move(file)};
  while (const auto event = inputs.next()) {
    cancel.check();
    if (const auto* failure = std::get_if<InputFailure>(&*event)) throw Error(failure->error);
    if (const auto* end = std::get_if<InputEnd>(&*event)) lengths.hash = end->hash;
    if (const auto* record = std::get_if<InputRecord>(&*event)) {
      histogram.add(record->record.letters.size());
    }
  }
  lengths.steps = histogram.steps();
  return lengths;
}

std::optional<LengthDistribution> parse(std::string_view text, const Cancel& cancel) {
  const auto rest_after = [text](std::string_view word) { return text.substr(word.size()); };
  if (text.starts_with(kUniform)) return parse_range(rest_after(kUniform));
  if (text.starts_with(kLogNormal)) return parse_log_normal(rest_after(kLogNormal));
  if (text.starts_with(kLengthsFrom) && text.size() > kLengthsFrom.size()) {
    return read_lengths(std::string(rest_after(kLengthsFrom)), cancel);
  }
  if (const auto letters = parse_count(text)) return FixedLength{.letters = *letters};
  return std::nullopt;
}

}  // namespace

LengthDistribution parse_lengths(std::string_view text, std::string_view option,
                                 const Cancel& cancel) {
  std::optional<LengthDistribution> lengths = parse(text, cancel);
  if (lengths && is_possible(*lengths)) return *std::move(lengths);
  if (lengths && std::holds_alternative<ObservedLengths>(*lengths)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} {}: the file has no sequence", option, text));
  }
  throw Error(
      ErrorKind::kUsage,
      fmt::format("{} {}: expected N, uniform:A-B, lognormal:MEDIAN,SIGMA, "
                  "lognormal:MEDIAN,SIGMA,A-B or from:FILE. N, A, B and MEDIAN are whole numbers "
                  "up to {}, A <= MEDIAN <= B, and SIGMA is from 0 to {}",
                  option, text, kMaxLetters, kMaxSigma));
}

std::string lengths_text(const LengthDistribution& lengths) {
  return std::visit([](const auto& which) { return text_of(which); }, lengths);
}

bool is_possible(const LengthDistribution& lengths) {
  return std::visit([](const auto& which) { return possible(which); }, lengths);
}

std::uint64_t draw_length(const LengthDistribution& lengths, std::uint64_t seed,
                          std::uint64_t index) {
  RandomStream stream(seed ^ kLengthSeed, index);
  return std::visit([&stream](const auto& which) { return draw(which, stream); }, lengths);
}

}  // namespace virnucpro
