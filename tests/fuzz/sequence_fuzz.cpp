// The FASTA/FASTQ parser on any text: it ends, fails only with its own errors, which have a place,
// and gives the same result for any block size.

#include "fuzz/target.hpp"
#include "sequence/frames.hpp"
#include "sequence/sequence_parser.hpp"
#include "unit/sequence/memory_source.hpp"

namespace {

using virnucpro::fuzz::require;

std::string parse(std::string_view text, std::size_t block) {
  virnucpro::MemorySource source(std::string(text), block);
  virnucpro::SequenceParser parser(source, "fuzz", {.letters = 4096, .header = 256},
                                   virnucpro::TextFormats::kFastaOrFastq,
                                   virnucpro::Qualities::kKeep);
  std::string events;
  try {
    while (const auto record = parser.next()) {
      require(record->letters.size() <= 4096 && record->header.size() <= 256);
      require(record->qualities.empty() || record->qualities.size() == record->letters.size());
      events += record->header + '\n' + record->letters + '\n';
      for (const auto& frame : virnucpro::stop_free_frames(record->letters)) {
        require(!frame.protein.empty() && frame.nucleotides.size() >= 3 * frame.protein.size());
      }
    }
    require(parser.bytes() == text.size());
  } catch (const virnucpro::Error& error) {
    require(error.place().record == parser.records() + 1);
    require(error.place().offset.value() <= text.size());
    events += error.what();
  }
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  require(parse(text, data[0] % 16U + 1) == parse(text, 1U << 20U));
  return 0;
}
