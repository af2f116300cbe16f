#include "measure/datasets/sequence_parts.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {

std::uint64_t each_record(const std::vector<std::filesystem::path>& files, const Cancel& cancel,
                          const std::function<bool(const InputRecord&)>& visit) {
  InputSettings settings;
  for (const auto& file : files) settings.paths.push_back(file.string());
  InputSet inputs(settings, cancel);
  std::uint64_t count = 0;
  while (const auto event = inputs.next()) {
    cancel.check();
    if (const auto* failure = std::get_if<InputFailure>(&*event)) throw Error(failure->error);
    const auto* record = std::get_if<InputRecord>(&*event);
    if (record == nullptr) continue;
    ++count;
    if (!visit(*record)) break;
  }
  return count;
}

void write_parts(const std::vector<std::filesystem::path>& files, std::uint64_t count,
                 const std::vector<std::filesystem::path>& parts, const Cancel& cancel) {
  std::vector<std::unique_ptr<AtomicFile>> written;
  for (const auto& part : parts) written.push_back(std::make_unique<AtomicFile>(part));
  std::uint64_t taken = 0;
  each_record(files, cancel, [&](const InputRecord& input) {
    written[taken * parts.size() / count]->write(
        fmt::format(">{}\n{}\n", input.id, input.record.letters));
    return ++taken < count;
  });
  for (const auto& part : written) part->commit();
}

}  // namespace virnucpro
