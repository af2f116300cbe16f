// The readers of BAM, SAM and CRAM on any bytes: they end, fail only with their own errors, which
// have a place, and give the same result for any block size. BAM and SAM both for their reads and
// for where these lie; CRAM also with correct checksums, to reach the code after them.
#include <fmt/format.h>

#include <memory>

#include "base/cancel.hpp"
#include "fuzz/target.hpp"
#include "sequence/bam_reader.hpp"
#include "sequence/cram_reader.hpp"
#include "sequence/mapped_alignment.hpp"
#include "sequence/sam_reader.hpp"
#include "unit/sequence/cram_repair.hpp"
#include "unit/sequence/memory_source.hpp"

namespace {

using virnucpro::AlignmentFormat;
using virnucpro::fuzz::require;

const virnucpro::Cancel kNever;
virnucpro::ReferenceIndex none("");

std::unique_ptr<virnucpro::AlignmentReader> reader_of(AlignmentFormat format,
                                                      virnucpro::ByteSource& source) {
  switch (format) {
    case AlignmentFormat::kBam:
      return std::make_unique<virnucpro::BamReader>(source, "fuzz");
    case AlignmentFormat::kSam:
      return std::make_unique<virnucpro::SamReader>(source, "fuzz");
    case AlignmentFormat::kCram:
      break;
  }
  return std::make_unique<virnucpro::CramReader>(source, "fuzz", none, kNever);
}

std::string read(AlignmentFormat format, const std::string& bytes, std::size_t block) {
  virnucpro::MemorySource source(bytes, block);
  const auto reader = reader_of(format, source);
  std::string events;
  std::uint64_t last = 0;
  try {
    while (const auto record = reader->next()) {
      require(record->number > last);
      last = record->number;
      events += record->header + '\n' + record->letters + '\n';
    }
    require(reader->bytes() == bytes.size());
  } catch (const virnucpro::Error& error) {
    require(error.place().record.value() > last);
    require(error.place().offset.value() <= bytes.size());
    events += error.what();
  }
  return events;
}

template <typename Reader>
std::string read_mapped(const std::string& bytes, std::size_t block) {
  virnucpro::MemorySource source(bytes, block);
  Reader reader(source, "fuzz");
  std::string events;
  std::uint64_t last = 0;
  try {
    const virnucpro::ReferenceList& references = reader.references();
    while (const auto found = reader.next_mapped()) {
      require(found->number > last);
      last = found->number;
      require(found->identity() >= 0 && found->identity() <= 100);
      require(found->coverage() > 0 && found->coverage() <= 100);
      events += fmt::format("{} {} {} {}\n", found->name, references.at(found->reference).name,
                            found->identity(), found->coverage());
    }
    require(reader.bytes() == bytes.size());
  } catch (const virnucpro::Error& error) {
    require(error.place().record.value() > last);
    require(error.place().offset.value() <= bytes.size());
    events += error.what();
  }
  return events;
}

std::string read_mapped(AlignmentFormat format, const std::string& bytes, std::size_t block) {
  return format == AlignmentFormat::kBam ? read_mapped<virnucpro::BamReader>(bytes, block)
                                         : read_mapped<virnucpro::SamReader>(bytes, block);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto format = virnucpro::alignment_format(bytes);
  if (!format) return 0;
  const std::string events = read(*format, bytes, 1U << 20U);
  if (*format != AlignmentFormat::kCram) {
    require(read(*format, bytes, size % 16 + 1) == events);
    require(read_mapped(*format, bytes, size % 16 + 1) == read_mapped(*format, bytes, 1U << 20U));
    return 0;
  }
  virnucpro::repair_cram(bytes);
  read(*format, bytes, 1U << 20U);
  return 0;
}
