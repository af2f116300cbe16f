#include "tables/cut_offs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "tables/call_rule.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kSchema = "virnucpro-cut-offs-1";
constexpr std::size_t kMostBytes = 1U << 20U;  // bytes; a file has about 4,000

}  // namespace

std::optional<std::vector<ChunkBin>> parse_bins(std::string_view text) {
  std::vector<ChunkBin> bins;
  std::uint64_t next = 1;
  for (const std::string_view part : split_list(text)) {
    const std::size_t dash = part.find('-');
    const bool is_open = dash != std::string_view::npos && dash + 1 == part.size();
    const std::string_view last = dash == std::string_view::npos ? part : part.substr(dash + 1);
    const auto least = parse_count(part.substr(0, dash));
    const auto most = is_open ? std::optional(ChunkBin::kNoMost) : parse_count(last);
    const bool follows = next != 0 && least == next && most && *most >= *least;
    if (!follows) return std::nullopt;
    bins.push_back({.least = *least, .most = *most});
    next = is_open ? 0 : *most + 1;  // 0: no further bin may follow
  }
  return next == 0 && !bins.empty() ? std::optional(bins) : std::nullopt;
}

std::string text_of(const ChunkBin& bin) {
  if (bin.most == ChunkBin::kNoMost) return fmt::format("{}-", bin.least);
  return bin.least == bin.most ? fmt::format("{}", bin.least)
                               : fmt::format("{}-{}", bin.least, bin.most);
}

std::size_t CutOffs::bin_of(std::uint64_t chunks_scored) const {
  const auto found = std::ranges::find_if(
      bins, [chunks_scored](const BinCutOff& one) { return one.bin.has(chunks_scored); });
  return static_cast<std::size_t>(found - bins.begin());
}

std::string cut_offs_json(const CutOffs& cut_offs, const Json& more) {
  std::vector<Json> settings;
  for (const auto& [name, value] : cut_offs.made_for) {
    settings.push_back({{"setting", name}, {"value", value}});
  }
  std::vector<Json> bins;
  for (const BinCutOff& one : cut_offs.bins) {
    bins.push_back({{"scored_chunks", text_of(one.bin)},
                    {"cut_off", one.cut_off},
                    {"false_call_bound", one.cut_off ? Json(one.bound) : Json()}});
  }
  Json json{{"schema", kSchema},
            {"rule", cut_offs.rule},
            {"min_share", cut_offs.min_share},
            {"viral_ngs", text_of(cut_offs.viral_ngs)},
            {"made_for", std::move(settings)},
            {"false_rate", cut_offs.false_rate},
            {"confidence", cut_offs.confidence},
            {"bins", std::move(bins)}};
  json.update(more);
  return sealed_json(json);
}

namespace {

// Reads the members. Returns false if a member is missing or its value is impossible.
bool read_members(const JsonValues& values, CutOffs& found) {
  bool is_valid = true;
  const auto read_share = [&](const std::string& path, double& share) {
    const std::optional<double> value = values.number(path);
    is_valid = is_valid && value && *value <= 1;
    share = value.value_or(0);
  };
  found.rule = values.text("rule").value_or("");
  const auto numbers = parse_rollup(values.text("viral_ngs").value_or(""));
  found.viral_ngs = numbers.value_or(RollupRule{});
  read_share("min_share", found.min_share);
  read_share("false_rate", found.false_rate);
  read_share("confidence", found.confidence);
  for (std::size_t k = 0; k < values.elements("made_for"); ++k) {
    const std::string path = fmt::format("made_for/{}/", k);
    found.made_for[values.text(path + "setting").value_or("")] =
        values.text(path + "value").value_or("");
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < values.elements("bins"); ++k) {
    const std::string path = fmt::format("bins/{}/", k);
    BinCutOff& bin = found.bins.emplace_back();
    names.push_back(values.text(path + "scored_chunks").value_or(""));
    bin.cut_off = values.any_number(path + "cut_off");
    const std::optional<double> bound = values.number(path + "false_call_bound");
    const double least = found.rule == kRollupName ? -1 : std::numeric_limits<double>::min();
    const bool is_possible = !bin.cut_off || (*bin.cut_off >= least && *bin.cut_off <= 1);
    is_valid = is_valid && is_possible && bin.cut_off.has_value() == bound.has_value();
    bin.bound = bound.value_or(0);
    is_valid = is_valid && bin.bound <= 1;
  }
  const auto bins = parse_bins(fmt::format("{}", fmt::join(names, ",")));
  if (!is_valid || !bins || bins->size() != names.size()) return false;
  for (std::size_t k = 0; k < bins->size(); ++k) found.bins[k].bin = (*bins)[k];
  return rule_named(found.rule) && numbers;
}

}  // namespace

std::shared_ptr<const CutOffs> parse_cut_offs(std::string text, std::string file,
                                              const std::filesystem::path& place, ErrorKind kind) {
  const auto fail = [&place, kind](std::string why) {
    throw Error(kind, Place{.file = place.string()}, std::move(why));
  };
  const std::string_view hash = seal_of(text);
  if (hash.empty()) {
    fail("these are not cut-offs that virnucpro evaluate wrote, or they were truncated or edited");
  }
  auto found = std::make_shared<CutOffs>();
  found->hash = hash;
  found->file = std::move(file);
  const JsonValues values(text, place.string());
  const std::string schema = values.text("schema").value_or("not given");
  if (schema != kSchema)
    fail(fmt::format("the schema of the cut-offs is {}; this program reads {}", schema, kSchema));
  if (!read_members(values, *found)) fail("the rule, rates or bins of the cut-offs are not valid");
  found->text = std::move(text);
  return found;
}

std::shared_ptr<const CutOffs> read_cut_offs(const std::filesystem::path& path) {
  return parse_cut_offs(read_small_text(path, kMostBytes, ErrorKind::kCutOffs),
                        shown_text(path.filename().string()), path, ErrorKind::kCutOffs);
}

double most_false_calls(const CutOffs& cut_offs, const std::vector<std::uint64_t>& scored) {
  double most = 0;
  for (std::size_t k = 0; k < scored.size(); ++k) {
    most += static_cast<double>(scored[k]) * cut_offs.bins[k].bound;
  }
  return most;
}

std::string false_calls_text(const CutOffs& cut_offs, const std::vector<std::uint64_t>& scored,
                             std::uint64_t virus_calls) {
  const double most = std::ceil(most_false_calls(cut_offs, scored));
  std::uint64_t uncalled = 0;
  for (std::size_t k = 0; k < scored.size(); ++k) {
    if (!cut_offs.bins[k].cut_off) uncalled += scored[k];
  }
  std::vector<std::string> parts;
  if (virus_calls > 0) {
    parts.push_back(fmt::format(
        "of {} virus calls at most {} are expected to be false if the sequences are like the "
        "negatives that {} was made from{}",
        grouped(virus_calls), grouped(static_cast<std::uint64_t>(most)), cut_offs.file,
        most < static_cast<double>(virus_calls) ? "" : ": the calls may all be false"));
  }
  if (uncalled > 0) {
    parts.push_back(fmt::format(
        "of the scored sequences, {} are never called virus, because there is no cut-off for their "
        "number of scored chunks",
        grouped(uncalled)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace virnucpro
