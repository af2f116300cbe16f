#include "measure/tune/tune_data.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "measure/datasets/data_set.hpp"
#include "measure/datasets/sequence_parts.hpp"

namespace virnucpro {

TuneData::TuneData(TuneDataSettings settings, const Cancel& cancel)
    : settings_(std::move(settings)), cancel_(cancel) {
  if (settings_.file.empty()) return;
  settings_.sequences =
      each_record({settings_.file}, cancel_, [](const InputRecord&) { return true; });
  if (settings_.sequences > 0) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("--test-file {}: the file has no sequence", settings_.file));
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
  write_parts({settings_.file}, count, {path}, cancel_);
  return path;
}

}  // namespace virnucpro
