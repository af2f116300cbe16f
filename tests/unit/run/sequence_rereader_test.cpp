#include "run/sequence_rereader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/hash.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

struct VirusFasta : testing::Test {
  // Adds an input of the run: its file, and which of its sequences are viruses.
  void add_input(const std::string& name, const std::string& text, const std::string& calls,
                 bool failed = false) {
    write_text(directory / name, text);
    settings.paths.push_back((directory / name).string());
    add_entry(calls, failed, content_hash(text));
  }
  void add_entry(const std::string& calls, bool failed, const std::string& hash) {
    const auto input = static_cast<std::uint32_t>(inputs++);
    Unit unit{.input = input, .index = 0, .parts = {}};
    for (const char call : calls) {
      SequencePart part;
      part.input = input;
      part.length = 3;
      part.chunks = 1;
      const float virus = call == 'v' ? 1.0F : 0.0F;
      part.frames = {{.chunk = 0, .name = 0, .scores = {.others = 1 - virus, .virus = virus}}};
      unit.parts.push_back(part);
    }
    journal.append(unit);
    journal.record_input(input, {.name = fmt::format("input{}", input),
                                 .records = calls.size(),
                                 .hash = hash,
                                 .failed = failed});
  }
  std::string written(SequenceRereader& rereader) {
    journal.finish();
    VirusFiles files({.fasta = true}, directory / "virus.fasta", settings.paired, {"one"});
    rereader.write(journal, {}, files, Cancel());
    files.commit();
    return read_text(directory / "virus.fasta");
  }
  std::string written() {
    SequenceRereader rereader(settings, {}, RunFolder(directory.path()));
    EXPECT_FALSE(rereader.needs_records());
    return written(rereader);
  }

  TempDir directory;
  Journal journal = Journal::create(directory / "run.db", {});
  InputSettings settings;
  std::size_t inputs = 0;
};

TEST_F(VirusFasta, HoldsTheVirusesOfTheInputsThatAreWhole) {
  const std::string broken = ">x\nACG\n>y\nA\xff\n";
  const std::string more(70, 'c');
  add_input("a.fa", ">a1 first words\nacG\n>a2\nCCC\n>a3\nGGG\n", "vov");
  add_input("broken.fa", broken, "v", true);
  add_input("b.fa", ">b1 \xff words\n" + more + "\n>b2\nT\n", "vo");
  EXPECT_EQ(written(), ">a1 first words\nacG\n>a3\nGGG\n>b1 \xff words\n" + more.substr(0, 60) +
                           "\n" + more.substr(60) + "\n");
  EXPECT_TRUE(read_text(directory / "broken.fa") == broken);
}

TEST_F(VirusFasta, MayBeEmpty) {
  add_input("a.fa", ">a1\nACG\n", "o");
  EXPECT_EQ(written(), "");
}

TEST_F(VirusFasta, RefusesAnInputThatChanged) {
  add_input("a.fa", ">a1\nACG\n>a2\nACG\n", "vo");
  write_text(directory / "a.fa", ">a1\nACG\n>a2\nACC\n");
  EXPECT_EQ(thrown_kind([&] { written(); }), ErrorKind::kInputChanged);
  EXPECT_FALSE(std::filesystem::exists(directory / "virus.fasta"));
}

TEST_F(VirusFasta, RefusesAnInputThatLostSequences) {
  add_input("a.fa", ">a1\nACG\n>a2\nACG\n", "vv");
  write_text(directory / "a.fa", ">a1\nACG\n");
  EXPECT_EQ(thrown_kind([&] { written(); }), ErrorKind::kInputChanged);
}

TEST_F(VirusFasta, RefusesAnInputThatIsGone) {
  add_input("a.fa", ">a1\nACG\n", "v");
  std::filesystem::remove(directory / "a.fa");
  EXPECT_EQ(thrown_kind([&] { written(); }), ErrorKind::kInputMissing);
}

// The journal has no entry, and so no hash, for the input that was being read.
struct InterruptedVirusFasta : VirusFasta {
  InterruptedVirusFasta() {
    settings.paths = {(directory / "a.fa").string()};
    Unit unit;
    for (const std::string letters : {"ACG", "CCC"}) unit.parts.push_back(virus(letters));
    journal.append(unit);
  }

  static SequencePart virus(const std::string& letters) {
    return {.id = letters,
            .length = letters.size(),
            .chunks = 1,
            .letters_hash = static_cast<std::uint32_t>(hash64(letters)),
            .frames = {{.chunk = 0, .name = 0, .scores = {.others = 0, .virus = 1}}}};
  }
  std::string written_of(const std::string& text) {
    write_text(directory / "a.fa", text);
    SequenceRereader rereader(settings, {}, RunFolder(directory.path()));
    VirusFiles files({.fasta = true}, directory / "virus.fasta", settings.paired, {"one"});
    rereader.write(journal, {}, files, Cancel());
    files.commit();
    return read_text(directory / "virus.fasta");
  }
};

TEST_F(InterruptedVirusFasta, HoldsWhatWasScored) {
  EXPECT_EQ(written_of(">ACG a\nACG\n>CCC b\nCCC\n>later\nT\n"), ">ACG a\nACG\n>CCC b\nCCC\n");
}

TEST_F(InterruptedVirusFasta, RefusesAnInputThatChanged) {
  for (const char* text : {">ACG\nACT\n>CCC\nCCC\n", ">ACG\nACG\n>CCC\nCCCC\n",
                           ">ACG\nACG\n>other\nCCC\n", ">CCC\nCCC\n>ACG\nACG\n", ">ACG\nACG\n"}) {
    EXPECT_EQ(thrown_kind([&] { written_of(text); }), ErrorKind::kInputChanged) << text;
    EXPECT_FALSE(std::filesystem::exists(directory / "virus.fasta"));
  }
}

// Standard input cannot be read again.
struct SpooledVirusFasta : VirusFasta {
  SpooledVirusFasta() { settings.paths = {"-"}; }

  static InputRecord record(const std::string& header, const std::string& letters) {
    return {.input = 0,
            .id = header.substr(0, header.find(' ')),
            .record = {.header = header, .letters = letters}};
  }
};

TEST_F(SpooledVirusFasta, HoldsWhatWasPutAside) {
  SequenceRereader rereader(settings, {}, RunFolder(directory.path()));
  ASSERT_TRUE(rereader.needs_records());
  rereader.add(record("a1 words", "acgT"));
  rereader.add(record("a2", ""));
  rereader.add(record("a3", "GG"));
  rereader.keep();
  add_entry("vov", false, "one");
  rereader.add(record("broken", "CCC"));
  rereader.drop();
  add_entry("v", true, "two");
  rereader.add(record("b1", std::string(61, 'T')));
  rereader.keep();
  add_entry("v", false, "three");
  EXPECT_EQ(written(rereader), ">a1 words\nacgT\n>a3\nGG\n>b1\n" + std::string(60, 'T') + "\nT\n");
}

TEST_F(SpooledVirusFasta, IsOfWhateverIsNoFile) {
  add_input("a.fa", ">a1\nACG\n", "v");
  std::filesystem::create_symlink("a.fa", directory / "link.fa");
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  const auto is_spooled = [&](const std::string& name) {
    const SequenceRereader rereader({.paths = {(directory / "a.fa").string(), name}}, {},
                                    RunFolder(directory.path()));
    return rereader.needs_records();
  };
  EXPECT_TRUE(is_spooled(directory / "pipe"));
  EXPECT_FALSE(is_spooled(directory / "link.fa"));
  EXPECT_FALSE(is_spooled(directory / "missing.fa"));
}

TEST_F(SpooledVirusFasta, LeavesNothingElseBehind) {
  {
    SequenceRereader rereader(settings, {}, RunFolder(directory.path()));
    rereader.add(record("a", "ACG"));
    rereader.drop();
    add_entry("", true, "");
    EXPECT_EQ(written(rereader), "");
  }
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    EXPECT_EQ(entry.path().filename().string().rfind("sequences", 0), std::string::npos);
  }
}

}  // namespace
}  // namespace virnucpro
