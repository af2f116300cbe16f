#include "sequence/cram_container.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "unit/sequence/alignment_file.hpp"
#include "unit/sequence/cram_repair.hpp"
#include "unit/sequence/memory_source.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kFreeBases = 8U << 20U;

// A container of one slice whose only block is stored and empty; `bases` is an LTF8 number.
std::string container_claiming(std::string_view bases) {
  std::string bytes(26, '\0');
  bytes += "\x09\0\0\0\0\0\0\1\0"sv;  // size, then reference, start, span, records, counter
  bytes += bases;
  bytes += "\1\1\0"sv;  // blocks, slices, start of the slice
  bytes += "????"sv;
  bytes += "\0\2\0\0\0????"sv;
  repair_cram(bytes);
  return bytes.substr(26);
}

TEST(CramContainer, BasesAreBelievedWhereTheyCanBe) {
  const auto bases_of = [](std::string_view claimed, std::uint64_t longest) {
    MemorySource source(container_claiming(claimed));
    ByteWindow window(source);
    return read_cram_container(window, longest).bases;
  };
  constexpr auto kAllOnes = "\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv;
  EXPECT_EQ(bases_of("\x7f"sv, 0), 127U);
  EXPECT_EQ(bases_of(kAllOnes, 0), kFreeBases + 64U * 9);
  EXPECT_EQ(bases_of(kAllOnes, 1'000'000'000), kFreeBases + 64U * 9 + 1'000'000'000);
}

TEST(CramContainer, VersionsAfter3_1AreRefused) {
  const auto read = [](std::string start) {
    MemorySource source(start + std::string(20, '\0'));
    ByteWindow window(source);
    return read_cram_definition(window);
  };
  for (const char* version : {"\3", "\3\1"}) {
    EXPECT_NO_THROW(read(("CRAM" + std::string(version) + '\0').substr(0, 6)));
  }
  for (const char* version : {"\3\2", "\4\1"}) {
    EXPECT_EQ(thrown_kind([&] { read("CRAM" + std::string(version)); }), ErrorKind::kInputFormat);
  }
}

// A million records in a few KB.
TEST(CramContainer, RecordsThatItsBytesCannotHold) {
  std::string sam = "@HD\tVN:1.6\n";
  for (int i = 0; i < 1'000'000; ++i) sam += "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\t*\n";
  MemorySource source(
      written_by_htslib(sam, "wc", {"no_ref=1", "lossy_names=1", "seqs_per_slice=1000000"}));
  ByteWindow window(source);
  read_cram_definition(window);
  read_cram_header(window);
  EXPECT_EQ(thrown_kind([&] { read_cram_container(window, 0); }), ErrorKind::kInputMalformed);
}

}  // namespace
}  // namespace virnucpro
