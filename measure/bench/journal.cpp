// bench_journal RUN INPUT SEQUENCES OUT
// Writes, without running a model, the output directory of a run over a large input that was
// interrupted shortly before its end. The fingerprint comes from RUN, a finished run with
// the same settings over a small input. The first SEQUENCES sequences of INPUT get one frame each,
// with made-up scores. Prints, as JSON, the number of sequences and the seconds in the journal.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/cancel.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "journal/kept_run.hpp"
#include "journal/ledger.hpp"
#include "observe/counters.hpp"
#include "run/frame_stream.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

struct Written {
  std::uint64_t sequences = 0;
  double seconds = 0;  // spent in the journal
};

Written write_journal(const KeptRun& run, const std::string& input, std::uint64_t sequences,
                      const std::filesystem::path& out) {
  std::filesystem::create_directories(out);
  Journal::Fingerprint print = run.fingerprint();
  print[input_path_key(0)] = std::filesystem::absolute(input).string();
  Written written;
  const Cancel cancel;
  RunCounters counters;
  Ledger ledger(Journal::create(out / "run.db", print), limits().seconds_until_early, counters);
  InputSet inputs({.paths = {input}}, cancel);
  FrameStreamSettings settings;
  settings.chunk_size = parse_count(run.value("chunk_size")).value_or(settings.chunk_size);
  settings.frames = false;  // instead, one empty frame is added below
  FrameStream stream(inputs, settings, nullptr, counters, cancel);
  while (std::optional<FrameEvent> event = stream.next()) {
    auto* part = std::get_if<FramePart>(&*event);
    if (part == nullptr || part->part.input != 0) continue;
    part->part.frames.emplace_back();
    ledger.set_score(ledger.add(std::move(part->part)).value(), {.others = 0.25F, .virus = 0.75F});
    if (++written.sequences == sequences) break;
  }
  ledger.save();
  written.seconds = counters.host.journal.seconds();
  return written;
}

}  // namespace
}  // namespace virnucpro

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: bench_journal RUN INPUT SEQUENCES OUT\n");
    return 1;
  }
  try {
    const auto written =
        virnucpro::write_journal(virnucpro::KeptRun(argv[1], virnucpro::Cancel()), argv[2],
                                 virnucpro::parse_count(argv[3]).value_or(0), argv[4]);
    fmt::print("{{\"sequences\": {}, \"seconds\": {:.3f}}}\n", written.sequences, written.seconds);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_journal: {}\n", error.what());
    return 1;
  }
}
