#include "download/download_progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "telemetry/cursor_control.hpp"
#include "telemetry/progress_text.hpp"
#include "weights/model_table.hpp"

namespace virnucpro {
namespace {

constexpr double kLiveInterval = 0.5;   // seconds between two live lines or two samples of the rate
constexpr double kPlainLineEvery = 30;  // seconds between plain lines

std::vector<std::string> transfer_fields(const TransferState& state) {
  std::vector<std::string> fields{state.what};
  fields.push_back(state.total
                       ? fmt::format("{} of {}", size_text(state.done), size_text(*state.total))
                       : size_text(state.done));
  if (state.total && *state.total > 0) {
    const double share = static_cast<double>(state.done) / static_cast<double>(*state.total);
    fields.push_back(fmt::format("{:.1f} %", std::floor(1000 * share) / 10));
  }
  const double rate = state.bytes_per_second.value_or(0);
  if (rate < 1) return fields;
  fields.push_back(size_text(static_cast<std::uint64_t>(rate)) + "/s");
  if (state.total && *state.total >= state.done) {
    const auto left = static_cast<double>(*state.total - state.done);
    fields.push_back("ETA " + clock_text(left / rate));
  }
  return fields;
}

}  // namespace

std::string transfer_text(const TransferState& state, std::size_t columns) {
  std::string text;
  for (const std::string& field : transfer_fields(state)) {
    std::string longer = text.empty() ? field : fmt::format("{} · {}", text, field);
    if (count_letters(longer) > columns) break;
    text = std::move(longer);
  }
  return text;
}

DownloadProgress::DownloadProgress(bool shown)
    : shown_(shown), control_(shown ? cursor_control() : std::nullopt) {}

DownloadProgress::~DownloadProgress() {
  end();
}

void DownloadProgress::begin(const std::string& what, std::uint64_t done,
                             std::optional<std::uint64_t> total) {
  state_ = {.what = what, .done = done, .total = total};
  rate_ = {};
  next_sample_ = watch_.seconds();
  next_line_ = next_sample_ + (control_ ? 0 : kPlainLineEvery);
}

void DownloadProgress::at(std::uint64_t done) {
  state_.done = done;
  const double now = watch_.seconds();
  if (!shown_ || now < next_sample_) return;
  next_sample_ = now + kLiveInterval;
  rate_.add(now, static_cast<double>(done));
  if (now < next_line_) return;
  next_line_ = now + (control_ ? kLiveInterval : kPlainLineEvery);
  state_.bytes_per_second = rate_.per_second(now);
  show();
}

void DownloadProgress::show() {
  if (!control_) {
    say(transfer_text(state_, std::numeric_limits<std::size_t>::max()));
    return;
  }
  terminal_show_live(
      [state = state_](const TerminalSize& size) {
        return std::vector{transfer_text(state, size.columns - 1)};
      },
      *control_);
}

void DownloadProgress::end() {
  if (control_) terminal_hide_live();
}

void DownloadProgress::say(const std::string& line) const {
  if (shown_) terminal_print("virnucpro: " + line);
}

FileHashes hash_shown(const std::filesystem::path& path, bool with_git_blob, const Cancel& cancel,
                      const std::string& name, DownloadProgress& progress) {
  std::error_code is_not_there;
  const std::uintmax_t bytes = std::filesystem::file_size(path, is_not_there);
  progress.begin("checking " + name, 0, is_not_there ? 0 : bytes);
  FileHashes found = hash_file(path, with_git_blob, cancel,
                               [&progress](std::uint64_t read) { progress.at(read); });
  progress.end();
  return found;
}

}  // namespace virnucpro
