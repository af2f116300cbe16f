#include "validate/tune_data.hpp"

#include <fmt/format.h>

#include <functional>
#include <system_error>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/file.hpp"
#include "sequence/input_set.hpp"
#include "validate/data_set.hpp"

namespace virnucpro {
namespace {

// Until `take` wants no more; gives how many it took.
std::uint64_t each_record(const std::string& file, const Cancel& cancel,
                          const std::function<bool(const InputRecord&)>& take) {
  InputSet inputs({.paths = {file}}, cancel);
  std::uint64_t count = 0;
  while (const auto event = inputs.next()) {
    cancel.check();
    if (const auto* failure = std::get_if<InputFailure>(&*event)) throw Error(failure->error);
    const auto* record = std::get_if<InputRecord>(&*event);
    if (record == nullptr) continue;
    ++count;
    if (!take(*record)) break;
  }
  return count;
}

}  // namespace

TuneData::TuneData(TuneDataSettings settings, const Cancel& cancel)
    : settings_(std::move(settings)), cancel_(cancel) {
  if (settings_.file.empty()) return;
  settings_.sequences =
      each_record(settings_.file, cancel_, [](const InputRecord&) { return true; });
  if (settings_.sequences > 0) return;
  throw Error(ErrorKind::kUsage, fmt::format("{} has no sequence", settings_.file));
}

std::filesystem::path TuneData::first(std::uint64_t count) const {
  const std::filesystem::path path = settings_.folder / fmt::format("first_{}.fa", count);
  if (settings_.file.empty()) {
    generate_data_set(
        {.sequences = {.count = count, .length = FixedLength{settings_.length}, .coding = {1, 1}}},
        path, cancel_);
    return path;
  }
  if (count == settings_.sequences) return settings_.file;
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown)) return path;
  AtomicFile part(path);
  std::uint64_t taken = 0;
  each_record(settings_.file, cancel_, [&](const InputRecord& input) {
    part.write(fmt::format(">{}\n{}\n", input.id, input.record.letters));
    return ++taken < count;
  });
  part.commit();
  return path;
}

}  // namespace virnucpro
