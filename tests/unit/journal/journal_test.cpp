#include "journal/journal.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "journal/sqlite.hpp"
#include "journal/unit_blob.hpp"
#include "unit/file_size_limit.hpp"
#include "unit/length.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

const Journal::Fingerprint kFingerprint{{"chunk_size", "500"}, {"precision", "fp32"}};

constexpr std::uint64_t kUnitsOfSmallJournal = 3;

Unit make_unit(std::uint64_t index) {
  Unit unit{.index = index, .parts = {}};
  unit.parts.push_back(
      {.input = 0,
       .id = fmt::format("s{}", index),
       .length = 400,
       .chunks = 1,
       .frames = {{.chunk = 0, .name = 1, .scores = {.others = 0.5F, .virus = 0.25F}}}});
  return unit;
}

const InputEntry kGood{.name = "caf\xe9.fa", .records = 3, .bytes = 1200, .hash = "00ff"};
const InputEntry kBad{.name = "b.fq.gz",
                      .records = 12,
                      .hash = "",
                      .failed = true,
                      .error = "input-truncated",
                      .message = "b.fq.gz: cut",
                      .record = 12,
                      .offset = 3456};

void write_journal(const std::filesystem::path& path, std::uint64_t units, bool finish) {
  Journal journal = Journal::create(path, kFingerprint);
  for (std::uint64_t k = 0; k < units; ++k) journal.append(make_unit(k));
  journal.record_input(1, kBad);
  journal.record_input(0, kGood);
  if (finish) journal.finish();
}

std::uint64_t count_units(const Journal& journal) {
  std::uint64_t count = 0;
  journal.for_each_unit([&count](const Unit& unit) {
    EXPECT_EQ(encode_unit(unit), encode_unit(make_unit(count)));
    ++count;
  });
  return count;
}

void change(const std::filesystem::path& path, std::string_view sql) {
  SqliteDatabase(path, nullptr).execute(sql);
}

struct Journals : testing::Test {
  const TempDir directory;
  const std::filesystem::path path = directory / "run.db";
};

TEST_F(Journals, ComesBack) {
  write_journal(path, 5, true);
  EXPECT_EQ(directory.entries(), 1U);  // no WAL, no shared memory
  const Journal journal = Journal::open(path);
  EXPECT_TRUE(journal.finished());
  EXPECT_EQ(journal.units(), 5U);
  EXPECT_EQ(journal.fingerprint(), kFingerprint);
  EXPECT_EQ(count_units(journal), 5U);
  const auto inputs = journal.inputs();
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0].name, "caf\xe9.fa");
  EXPECT_EQ(inputs[0].hash, "00ff");
  EXPECT_EQ(inputs[1].message, "b.fq.gz: cut");
  EXPECT_EQ(inputs[1].offset, 3456U);
  EXPECT_TRUE(inputs[1].failed);
}

TEST_F(Journals, IsReadWhileItIsWritten) {
  Journal journal = Journal::create(path, kFingerprint);
  journal.append(make_unit(0));
  EXPECT_EQ(count_units(journal), 1U);
  journal.append(make_unit(1));
  EXPECT_EQ(count_units(journal), 2U);
  EXPECT_FALSE(std::filesystem::exists(directory / "run.db-shm"));
}

TEST_F(Journals, OfAnInterruptedRunGoesOn) {
  write_journal(path, 3, false);
  {
    Journal journal = Journal::open(path);
    EXPECT_FALSE(journal.finished());
    EXPECT_EQ(journal.units(), 3U);
    journal.append(make_unit(3));
    journal.finish();
  }
  EXPECT_EQ(count_units(Journal::open(path)), 4U);
}

TEST_F(Journals, SurvivesTheEndOfItsProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    Journal journal = Journal::create(path, kFingerprint);
    for (std::uint64_t k = 0; k < 7; ++k) journal.append(make_unit(k));
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(count_units(Journal::open(path)), 7U);
}

TEST_F(Journals, CountsParts) {
  write_journal(path, 3, false);
  for (const auto check : {Journal::Check::kDeep, Journal::Check::kQuick}) {
    const Journal journal = Journal::open(path, check);
    EXPECT_EQ(journal.extents().at(0).units, 3U);
    EXPECT_EQ(journal.extents().at(0).parts, 3U);
  }
}

TEST_F(Journals, IsReadUnitByUnit) {
  Journal journal = Journal::create(path, kFingerprint);
  for (std::uint64_t k = 0; k < 3; ++k) journal.append(make_unit(k));
  Journal::Reader reader = journal.read();
  EXPECT_EQ(reader.next().value().index, 0U);
  journal.append(make_unit(3));  // too late for this reader
  EXPECT_EQ(reader.next().value().index, 1U);
  EXPECT_EQ(reader.next().value().index, 2U);
  EXPECT_FALSE(reader.next());
}

TEST_F(Journals, LooksQuicklyPastADamagedUnitUntilItIsRead) {
  write_journal(path, 3, false);
  change(path, "UPDATE units SET scores = x'00112233' WHERE unit = 1");
  EXPECT_EQ(thrown_kind([&] { Journal::open(path); }), ErrorKind::kJournalDamaged);
  const Journal quick = Journal::open(path, Journal::Check::kQuick);
  EXPECT_EQ(thrown_kind([&] { count_units(quick); }), ErrorKind::kJournalDamaged);
}

TEST_F(Journals, MissesNoUnitWhenLookedAtQuickly) {
  write_journal(path, 3, false);
  change(path, "DELETE FROM units WHERE unit = 1");
  EXPECT_EQ(thrown_kind([&] { Journal::open(path, Journal::Check::kQuick); }),
            ErrorKind::kJournalDamaged);
}

TEST_F(Journals, IsNotLookedThroughWhenCancelled) {
  write_journal(path, 3, true);
  Cancel cancel;
  cancel.request(SIGTERM);
  for (const auto check : {Journal::Check::kDeep, Journal::Check::kQuick}) {
    EXPECT_EQ(thrown_kind([&] { Journal::open(path, check, cancel); }), ErrorKind::kTerminated);
  }
}

TEST_F(Journals, HasNoNameBeforeItsFingerprint) {
  write_text(directory / "run.db.virnucpro-partial", "of a run that was killed");
  const Journal journal = Journal::create(path, kFingerprint);
  EXPECT_FALSE(std::filesystem::exists(directory / "run.db.virnucpro-partial"));
  EXPECT_EQ(journal.fingerprint(), kFingerprint);
}

TEST_F(Journals, OfAScratchIsGoneAtItsEnd) {
  {
    Journal journal = Journal::create_scratch(directory / "run.db.virnucpro-partial", kFingerprint);
    journal.append(make_unit(0));
    journal.record_input(0, kGood);
    journal.finish();
    EXPECT_EQ(count_units(journal), 1U);
  }
  EXPECT_EQ(directory.entries(), 0U);
}

TEST_F(Journals, MadeAsideHasItsNameWhenItIsWhole) {
  {
    Journal journal = Journal::create_aside(path, kFingerprint);
    journal.append(make_unit(0));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_EQ(directory.entries(), 0U);
  Journal journal = Journal::create_aside(path, kFingerprint);
  journal.append(make_unit(0));
  journal.record_input(0, kGood);
  journal.publish();
  EXPECT_EQ(directory.entries(), 1U);
  const Journal read = Journal::open_to_read(path, Journal::Check::kDeep, Cancel());
  EXPECT_TRUE(read.finished());
  EXPECT_EQ(count_units(read), 1U);
}

TEST_F(Journals, HeadSaysWhetherItIsFinished) {
  write_journal(path, 2, false);
  {
    Journal journal = Journal::open(path, Journal::Check::kHead);
    EXPECT_FALSE(journal.finished());
    EXPECT_EQ(journal.content_hash(), "");
    EXPECT_EQ(journal.inputs().size(), 2U);
    EXPECT_TRUE(journal.extents().empty());
  }
  std::string hash;
  {
    Journal journal = Journal::open(path);
    journal.finish();
    hash = journal.content_hash();
    EXPECT_EQ(hash.size(), 32U);
  }
  const Journal journal = Journal::open(path, Journal::Check::kHead);
  EXPECT_TRUE(journal.finished());
  EXPECT_EQ(journal.content_hash(), hash);
}

TEST_F(Journals, TakesUnitsInOrderOnly) {
  Journal journal = Journal::create(path, kFingerprint);
  EXPECT_EQ(thrown_kind([&] { journal.append(make_unit(1)); }), ErrorKind::kInternal);
  journal.append(make_unit(0));
  EXPECT_EQ(thrown_kind([&] { journal.append(make_unit(2)); }), ErrorKind::kInternal);
}

TEST_F(Journals, HoldsUnitsInTheOrderOfTheirInputs) {
  Unit first = make_unit(0);
  Unit late = make_unit(0);
  first.input = 1;
  {
    Journal journal = Journal::create(path, kFingerprint);
    journal.append(first);
    journal.append(late);  // of input 0, which could not be read before
    journal.record_input(0, kGood);
    journal.record_input(1, kGood);
    journal.finish();
  }
  const Journal journal = Journal::open(path);
  Journal::Reader all = journal.read();
  EXPECT_EQ(all.next().value().input, 0U);
  EXPECT_EQ(all.next().value().input, 1U);
  EXPECT_FALSE(all.next());
  Journal::Reader one = journal.read(only(1, journal.extents()));
  EXPECT_EQ(one.next().value().input, 1U);
  EXPECT_FALSE(one.next());
  EXPECT_FALSE(journal.read(only(7, journal.extents())).next());
}

TEST_F(Journals, ReplacesAndCutsUnits) {
  write_journal(path, 5, true);
  Journal journal = Journal::open(path);
  Unit other = make_unit(1);
  other.parts[0].length = 7;
  journal.append(other);
  EXPECT_FALSE(journal.finished());
  journal.cut_units(0, 2);
  journal.cut_units(0, 9);  // it has fewer
  EXPECT_EQ(journal.units(), 2U);
  EXPECT_EQ(journal.read().next()->parts[0].length, 400U);
  journal.finish();
  EXPECT_TRUE(journal.finished());
  Journal::Reader reader = journal.read();
  reader.next();
  EXPECT_EQ(reader.next()->parts[0].length, 7U);
}

TEST_F(Journals, DescribesOnlyWithAChange) {
  write_journal(path, 1, true);
  const auto before = read_text(path);
  { Journal::open(path).describe({{"threshold", "0.9"}}); }
  EXPECT_TRUE(read_text(path) == before);
  {
    Journal journal = Journal::open(path);
    journal.describe({{"threshold", "0.7"}, {"stem", "reads"}});
    journal.describe({{"threshold", "0.9"}});
    EXPECT_EQ(journal.fingerprint().count("threshold"), 0U);
    journal.finish();
  }
  const Journal journal = Journal::open(path);
  EXPECT_TRUE(journal.finished());
  EXPECT_EQ(journal.fingerprint().at("threshold"), "0.9");
  EXPECT_EQ(journal.fingerprint().at("stem"), "reads");
  EXPECT_EQ(journal.fingerprint().at("chunk_size"), "500");
}

TEST_F(Journals, KeepsEarlyScoresUntilItIsFinished) {
  const std::vector<EarlyScore> scores{{{1, 2}, {0.25F, 0.75F}}, {{3, 4}, {1.0F, 0.0F}}};
  {
    Journal journal = Journal::create(path, kFingerprint);
    EXPECT_FALSE(journal.has_scores());
    journal.keep_early(0, scores);
    journal.keep_early(1, scores);
    journal.drop_early(0);
  }
  Journal journal = Journal::open(path);
  EXPECT_TRUE(journal.has_scores());
  EXPECT_EQ(journal.next_early_row(), 2U);
  ASSERT_EQ(journal.early_scores().size(), 2U);
  EXPECT_EQ(journal.early_scores()[1].frame, (Hash128{3, 4}));
  EXPECT_EQ(journal.early_scores()[0].scores.virus, 0.75F);
  journal.finish();
  EXPECT_TRUE(journal.early_scores().empty());
}

TEST_F(Journals, RefusesEarlyScoresBeyondAllNumbers) {
  {
    Journal journal = Journal::create(path, kFingerprint);
    journal.keep_early(0, {});
  }
  change(path, "UPDATE early_scores SET number = 9223372036854775807");
  const Journal journal = Journal::open(path);
  EXPECT_EQ(thrown_kind([&] { journal.early_scores(); }), ErrorKind::kJournalDamaged);
}

TEST_F(Journals, ForgetsAnEarlyScoreThatIsDamaged) {
  {
    Journal journal = Journal::create(path, kFingerprint);
    journal.keep_early(0, std::vector<EarlyScore>{EarlyScore{{1, 2}, {0.25F, 0.75F}}});
  }
  for (const char* damage : {"x'00'", "x''", "zeroblob(28)", "substr(scores, 2)"}) {
    change(path, fmt::format("UPDATE early_scores SET scores = {}", damage));
    EXPECT_TRUE(Journal::open(path).early_scores().empty()) << damage;
  }
}

TEST_F(Journals, IsOneProcesss) {
  Journal journal = Journal::create(path, kFingerprint);
  journal.append(make_unit(0));
  EXPECT_EQ(thrown_kind([&] { Journal::open(path); }), ErrorKind::kOutputBusy);
}

TEST_F(Journals, IsNotMadeOverAnother) {
  write_journal(path, 1, true);
  EXPECT_EQ(thrown_kind([&] { Journal::create(path, kFingerprint); }), ErrorKind::kOutputWrite);
  EXPECT_EQ(thrown_kind([&] { Journal::create(directory / "no" / "run.db", kFingerprint); }),
            ErrorKind::kOutputWrite);
}

TEST_F(Journals, SaysThatTheDiskIsFull) {
  EXPECT_EQ(kind_with_full_disk(200000,
                                [&] {
                                  Journal journal = Journal::create(path, kFingerprint);
                                  for (std::uint64_t k = 0; k < 10000; ++k) {
                                    journal.append(make_unit(k));
                                  }
                                }),
            static_cast<int>(ErrorKind::kOutputWrite));
  EXPECT_GT(count_units(Journal::open(path)), 10U);  // completed units are kept
}

TEST_F(Journals, TellWhatTheSystemSaid) {
  const auto body = [&] {
    write_text(directory / "one.db", "");
    SqliteDatabase database(directory / "one.db", nullptr);
    database.execute("CREATE TABLE bytes(some BLOB)");
    limit_file_size(100000);
    try {
      database.execute("INSERT INTO bytes VALUES (randomblob(1000000))");
    } catch (const Error& error) {
      if (std::string(error.what()).find(errno_text(EFBIG)) != std::string::npos) throw;
    }
  };
  EXPECT_EQ(kind_with_full_disk(RLIM_INFINITY, body), static_cast<int>(ErrorKind::kOutputWrite));
}

TEST_F(Journals, GoesOnWhenThereIsSpaceAgain) {
  const auto body = [&] {
    Journal journal = Journal::create(path, kFingerprint);
    limit_file_size(200000);
    caught([&] {
      while (true) journal.append(make_unit(journal.units()));
    });
    limit_file_size(RLIM_INFINITY);
    journal.append(make_unit(journal.units()));
    journal.finish();
  };
  EXPECT_EQ(kind_with_full_disk(RLIM_INFINITY, body), -1);
  EXPECT_GT(count_units(Journal::open(path)), 10U);
}

// The name of one change to a good journal.
class DamagedJournal : public Journals, public testing::WithParamInterface<const char*> {};

TEST_P(DamagedJournal, IsRefused) {
  write_journal(path, 5, true);
  change(path, GetParam());
  EXPECT_EQ(thrown_kind([&] { Journal::open(path); }), ErrorKind::kJournalDamaged);
}

INSTANTIATE_TEST_SUITE_P(
    Journal, DamagedJournal,
    testing::Values("DELETE FROM units WHERE unit = 4", "DELETE FROM units WHERE unit = 2",
                    "DELETE FROM units", "UPDATE units SET unit = 9 WHERE unit = 4",
                    "UPDATE units SET scores = (SELECT scores FROM units WHERE unit = 1) "
                    "WHERE unit = 2",
                    "DELETE FROM inputs WHERE input = 1", "DELETE FROM inputs WHERE input = 0",
                    "UPDATE inputs SET failed = 0 WHERE input = 1",
                    "UPDATE inputs SET records = -1 WHERE input = 1",
                    "UPDATE fingerprint SET value = '300' WHERE key = 'chunk_size'",
                    "UPDATE completion SET units = 4", "UPDATE completion SET hash = 'x'",
                    "UPDATE completion SET inputs = 1", "DROP TABLE units",
                    "CREATE TRIGGER t AFTER INSERT ON units BEGIN DELETE FROM inputs; END",
                    "CREATE INDEX i ON inputs(name)", "PRAGMA user_version = 1",
                    "PRAGMA application_id = 1"));

TEST_F(Journals, RefusesWhatIsNone) {
  EXPECT_EQ(thrown_kind([&] { Journal::open(directory / "none.db"); }), ErrorKind::kJournalDamaged);
  write_text(directory / "empty.db", "");
  EXPECT_EQ(thrown_kind([&] { Journal::open(directory / "empty.db"); }),
            ErrorKind::kJournalDamaged);
  write_text(directory / "text.db", std::string(10000, 'x'));
  EXPECT_EQ(thrown_kind([&] { Journal::open(directory / "text.db"); }), ErrorKind::kJournalDamaged);
}

// --- journals of strangers ---------------------------------------------------------------------

TEST_F(Journals, AreInWalModeWhenTheyGetTheirName) {
  const Journal journal = Journal::create(path, kFingerprint);
  EXPECT_EQ(read_text(path).substr(18, 2), "\2\2");
  EXPECT_THAT(file_names(directory.path()), testing::ElementsAre("run.db", "run.db-wal"));
}

TEST_F(Journals, AreReadWithoutAnyChange) {
  write_journal(path, 3, true);
  const auto time = std::filesystem::last_write_time(path);
  const Journal journal = Journal::open_to_read(path, Journal::Check::kDeep, Cancel());
  EXPECT_EQ(count_units(journal), 3U);
  EXPECT_EQ(file_names(directory.path()), std::vector<std::string>{"run.db"});
  EXPECT_EQ(std::filesystem::last_write_time(path), time);
  Journal writer = Journal::open(path);  // the reader holds no lock
}

TEST_F(Journals, AreReadUnderAnyName) {
  const auto odd = directory / "a%41?mode=rw#b\xff";
  std::filesystem::create_directory(odd);
  write_journal(odd / "run.db", 2, true);
  std::filesystem::create_directory_symlink(odd, directory / "link");
  for (const auto& folder : {odd, directory / "link"}) {
    EXPECT_EQ(
        count_units(Journal::open_to_read(folder / "run.db", Journal::Check::kDeep, Cancel())), 2U);
    EXPECT_EQ(count_units(Journal::open(folder / "run.db")), 2U);
  }
}

TEST_F(Journals, AreReadFromACopyUnderTheirOwnName) {
  const TempDir other;
  write_text(other / "run.db", std::string(10000, 'x'));
  const Error error = thrown(
      [&] { Journal::open_to_read(path, Journal::Check::kDeep, Cancel(), other / "run.db"); });
  EXPECT_EQ(error.place().file, path.string());
}

TEST_F(Journals, AreNotOpenedBesideWhatNoRunLeaves) {
  for (const char* name : {"run.db-journal", "run.db-shm"}) {
    const TempDir other;
    write_journal(other / "run.db", 1, true);
    write_text(other / name, "x");
    const auto refused = [&](const auto& open) {
      const Error error = thrown([&] { open(other / "run.db"); });
      EXPECT_EQ(error.kind(), ErrorKind::kJournalDamaged);
      return error.place().file;
    };
    const std::string file = (other / name).string();
    EXPECT_EQ(refused([](const auto& run) { Journal::open(run); }), file);
    EXPECT_EQ(refused([](const auto& run) {
                Journal::open_to_read(run, Journal::Check::kDeep, Cancel());
              }),
              file);
    std::filesystem::remove(other / "run.db");
    EXPECT_EQ(refused([](const auto& run) { Journal::create(run, kFingerprint); }), file);
    EXPECT_EQ(read_text(other / name), "x");
  }
}

TEST_F(Journals, CannotRunWhatTheirSchemaHolds) {
  write_text(directory / "one.db", "");
  SqliteDatabase database(directory / "one.db", nullptr);
  database.execute("CREATE TABLE numbers(one INTEGER)");
  database.execute("CREATE TABLE fired(one INTEGER)");
  database.execute(
      "CREATE TRIGGER t AFTER INSERT ON numbers BEGIN INSERT INTO fired VALUES (1); END");
  database.execute("CREATE VIEW v AS SELECT one FROM numbers");
  database.execute("INSERT INTO numbers VALUES (1)");
  EXPECT_EQ(database.integer("SELECT count(*) FROM fired"), 0U);
  for (const char* sql : {"SELECT one FROM v", "ATTACH ':memory:' AS other",
                          "SELECT load_extension('x')", "SELECT length(zeroblob(100000000))",
                          "PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = ''"}) {
    if (std::string_view(sql).starts_with("PRAGMA")) {
      database.execute(sql);  // it is ignored, as the next statement shows
      continue;
    }
    EXPECT_EQ(thrown_kind([&] { database.execute(sql); }), ErrorKind::kJournalDamaged) << sql;
  }
}

// The files of a small journal; an interrupted run has units only in its WAL.
std::map<std::string, std::string> files_of_journal(bool finished) {
  const TempDir directory;
  const auto path = directory / "run.db";
  if (finished) {
    write_journal(path, kUnitsOfSmallJournal, true);
    return {{"run.db", read_text(path)}};
  }
  Journal journal = Journal::create(path, kFingerprint);
  for (std::uint64_t k = 0; k < kUnitsOfSmallJournal; ++k) journal.append(make_unit(k));
  return {{"run.db", read_text(path)}, {"run.db-wal", read_text(directory / "run.db-wal")}};
}

// The next byte to damage: every byte of the headers (a database's 100, a WAL's 56) and, in the
// long form, of the whole file. Otherwise only some, as all would take minutes.
std::size_t next_damage(std::size_t at) {
  constexpr std::size_t kHeaders = 100;
  const TestLength length = test_length();
  if (at + 1 < kHeaders || length == TestLength::kLong) return at + 1;
  return at + (length == TestLength::kFull ? 37 : 149);
}

struct Damage {
  const char* name;
  bool finished;
  const char* file;
  bool cut;  // true: cut at every length; false: flip a bit of every byte
};

void PrintTo(const Damage& damage, std::ostream* out) {
  *out << damage.name;
}

class DamagedFile : public testing::TestWithParam<Damage> {
 protected:
  // True if the journal is refused. If not, it must hold the written data or a beginning of it, as
  // for an interrupted run.
  bool is_refused() const {
    try {
      const Journal journal = Journal::open(directory_ / "run.db");
      EXPECT_EQ(journal.fingerprint(), kFingerprint);
      const std::uint64_t units = count_units(journal);
      EXPECT_LE(units, kUnitsOfSmallJournal);
      if (journal.finished()) {
        EXPECT_TRUE(GetParam().finished);
        EXPECT_EQ(journal.inputs().size(), 2U);
        EXPECT_EQ(units, kUnitsOfSmallJournal);
      }
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kJournalDamaged) << error.what();
      return true;
    }
  }

  void put(const std::map<std::string, std::string>& files) const {
    std::filesystem::remove(directory_ / "run.db-wal");
    for (const auto& [name, bytes] : files) write_text(directory_ / name, bytes);
  }

  const TempDir directory_;
};

TEST_P(DamagedFile, NeverAnswersWrongly) {
  std::map<std::string, std::string> files = files_of_journal(GetParam().finished);
  put(files);
  ASSERT_FALSE(is_refused());
  std::string& damaged = files.at(GetParam().file);
  const std::string good = damaged;
  std::size_t refused = 0;
  for (std::size_t at = 0; at < good.size(); at = next_damage(at)) {
    damaged = good;
    if (GetParam().cut) {
      damaged.resize(at);
    } else {
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    }
    put(files);
    SCOPED_TRACE(at);
    if (is_refused()) ++refused;
  }
  EXPECT_EQ(refused > 0, GetParam().file == std::string("run.db"));
}

INSTANTIATE_TEST_SUITE_P(Journal, DamagedFile,
                         testing::Values(Damage{"FinishedBit", true, "run.db", false},
                                         Damage{"FinishedCut", true, "run.db", true},
                                         Damage{"InterruptedBit", false, "run.db", false},
                                         Damage{"InterruptedCut", false, "run.db", true},
                                         Damage{"LogBit", false, "run.db-wal", false},
                                         Damage{"LogCut", false, "run.db-wal", true}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace virnucpro
