#include "telemetry/progress_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kBetween = " · ";
constexpr std::size_t kShortestBar = 10;  // columns, brackets included
constexpr double kLongestShown = 1e6;     // hours; a longer time is shown as this

using Fields = std::vector<std::string>;

std::string rate_text(double rate) {
  if (rate < 100) return fmt::format("{:.1f}", rate);
  return grouped(static_cast<std::uint64_t>(std::llround(rate)));
}

std::string sequences_text(const RunProgress& progress) {
  if (!progress.sequences_total) return fmt::format("{} sequences", grouped(progress.sequences));
  return fmt::format("{} of {}{} sequences", grouped(progress.sequences),
                     progress.all_read ? "" : "~", grouped(*progress.sequences_total));
}

// Returns fields such as "47.3 %" and "ETA 0:12:05".
Fields share_fields(const RunProgress& progress) {
  Fields fields;
  if (progress.percent) {
    // Round down, so that 100 appears only at the end.
    fields.push_back(fmt::format("{:.1f} %", std::floor(10 * *progress.percent) / 10));
  }
  if (progress.seconds_left) {
    fields.push_back("ETA " + clock_text(*progress.seconds_left));
  }
  return fields;
}

void add_worker(Fields& fields, const WorkerProgress& worker) {
  if (worker.tokens_per_second) {
    fields.push_back(rate_text(*worker.tokens_per_second) + " tokens/s");
  }
  if (worker.gpu_percent) fields.push_back(fmt::format("GPU {:.0f} %", *worker.gpu_percent));
  if (worker.packing_percent) {
    fields.push_back(fmt::format("packed {:.0f} %", *worker.packing_percent));
  }
}

Fields run_fields(const RunProgress& progress) {
  Fields fields{sequences_text(progress)};
  if (progress.sequences_per_second) {
    fields.push_back(rate_text(*progress.sequences_per_second) + " sequences/s");
  }
  add_worker(fields, progress.all);
  if (progress.stage == ProgressStage::kStarting) fields.assign(1, "starting");
  if (progress.stage == ProgressStage::kFinishing) fields.emplace_back("finishing");
  return fields;
}

Fields with_clock(const RunProgress& progress, Fields fields) {
  fields.insert(fields.begin(), clock_text(progress.seconds));
  return fields;
}

std::string joined(const Fields& fields) {
  return fmt::format("{}", fmt::join(fields, kBetween));
}

// Returns the fields on as many lines as needed. A field that is wider than a line is left out.
std::vector<std::string> flowing(const Fields& fields, std::size_t columns) {
  std::vector<std::string> lines;
  for (const std::string& field : fields) {
    if (count_letters(field) > columns) continue;
    std::string longer =
        lines.empty() ? field : fmt::format("{}{}{}", lines.back(), kBetween, field);
    if (!lines.empty() && count_letters(longer) <= columns) {
      lines.back() = std::move(longer);
    } else {
      lines.push_back(field);
    }
  }
  return lines;
}

// Returns the first fields, as many as fit on one line.
std::string in_one_line(const Fields& fields, std::size_t columns) {
  const std::vector<std::string> lines = flowing(fields, columns);
  return lines.empty() ? std::string{} : lines.front();
}

std::string bar(double percent, std::size_t columns) {
  const std::size_t room = columns - 2;
  const auto done = static_cast<std::size_t>(percent / 100 * static_cast<double>(room));
  std::string inside(std::min(done, room), '=');
  if (inside.size() < room) inside += '>';
  inside.resize(room, ' ');
  return '[' + inside + ']';
}

// Returns the bar and the share, or the share alone if the bar has no room. Returns "" if the share
// is unknown.
std::string share_line(const RunProgress& progress, std::size_t widest_bar, std::size_t columns) {
  if (!progress.percent) return {};
  const std::string words = in_one_line(share_fields(progress), columns);
  const std::size_t taken = count_letters(words) + 1;
  if (columns < taken + kShortestBar || widest_bar < kShortestBar) return words;
  return fmt::format("{} {}", bar(*progress.percent, std::min(widest_bar, columns - taken)), words);
}

std::vector<std::string> worker_lines(const RunProgress& progress, const ProgressLook& look,
                                      std::size_t columns) {
  std::vector<std::string> lines;
  if (look.workers.size() < 2) return lines;
  for (std::size_t i = 0; i < std::min(look.workers.size(), progress.workers.size()); ++i) {
    Fields fields{look.workers[i]};
    add_worker(fields, progress.workers[i]);
    lines.push_back(in_one_line(fields, columns));
  }
  return lines;
}

// Cuts the lines to `rows`. The last line then says how many are left out.
void cut_lines(std::vector<std::string>& lines, std::size_t rows, std::size_t columns) {
  if (lines.size() <= rows) return;
  const std::size_t left_out = lines.size() - rows + 1;
  lines.resize(rows);
  if (rows > 0) lines.back() = in_one_line({fmt::format("… {} more", left_out)}, columns);
}

}  // namespace

std::string clock_text(double seconds) {
  const double most = kLongestShown * 3600;
  const auto whole = static_cast<std::uint64_t>(std::clamp(seconds, 0.0, most));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string plain_progress(const RunProgress& progress) {
  Fields fields = share_fields(progress);
  const Fields rest = run_fields(progress);
  fields.insert(fields.end(), rest.begin(), rest.end());
  return joined(with_clock(progress, std::move(fields)));
}

std::vector<std::string> live_progress(const RunProgress& progress, const ProgressLook& look,
                                       const TerminalSize& size) {
  // Leave the last column free, because terminals differ in how they wrap a full line.
  const std::size_t columns = size.columns - 1;
  std::vector<std::string> lines;
  if (std::string share = share_line(progress, look.bar_width, columns); !share.empty()) {
    lines.push_back(std::move(share));
  }
  for (std::string& line : flowing(with_clock(progress, run_fields(progress)), columns)) {
    lines.push_back(std::move(line));
  }
  if (lines.size() > size.rows) lines.resize(size.rows);
  std::vector<std::string> workers = worker_lines(progress, look, columns);
  cut_lines(workers, size.rows - lines.size(), columns);
  for (std::string& line : workers) lines.push_back(std::move(line));
  return lines;
}

}  // namespace virnucpro
