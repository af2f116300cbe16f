#include "journal/run_lock.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/host.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using testing::HasSubstr;

// The id of a process that has already ended.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

struct RunLocks : testing::Test {
  // The text with which a process of this host holds a lock.
  LockHolder own() const {
    const RunLock lock(Directory(temp.path()));
    return parse_lock(read_text(file()));
  }
  static std::string text(const LockHolder& holder) {
    return fmt::format("{} {} {} {} {} {} {} 1\n", holder.host, holder.pid, holder.start_time,
                       holder.boot, holder.pid_namespace, holder.has_flock ? "flock" : "-",
                       holder.machine.empty() ? "-" : holder.machine);
  }
  LockHolder dead() const {
    LockHolder holder = own();
    holder.pid = dead_process();
    holder.has_flock = false;
    return holder;
  }
  std::filesystem::path file() const { return temp / "run.lock"; }
  // The kind of error when the lock is taken, or nothing.
  std::string refusal(TakeOver allowed = TakeOver::kOfTheDead) const {
    const auto error = caught([&] { const RunLock lock(Directory(temp.path()), allowed); });
    if (!error) return "";
    return fmt::format("{}: {}{}", error->info().name, error->what(), error->remedy());
  }

  const TempDir temp;
};

TEST_F(RunLocks, NameTheirHolder) {
  const LockHolder holder = own();
  EXPECT_EQ(holder.host, host_name());
  EXPECT_EQ(holder.pid, ::getpid());
  EXPECT_GT(holder.start_time, 0U);
  EXPECT_EQ(holder.boot.size(), 36U);
  EXPECT_GT(holder.pid_namespace, 0U);
  EXPECT_TRUE(holder.has_flock);
  EXPECT_EQ(temp.entries(), 0U);
}

TEST_F(RunLocks, KeepOthersOutWhileTheyLive) {
  const RunLock lock(Directory(temp.path()));
  EXPECT_EQ(temp.entries(), 1U);
  for (const TakeOver allowed : {TakeOver::kOfTheDead, TakeOver::kForced}) {
    EXPECT_THAT(refusal(allowed), testing::AllOf(HasSubstr("output-busy"), HasSubstr(host_name()),
                                                 HasSubstr(std::to_string(::getpid()))));
  }
  EXPECT_EQ(thrown_kind([&] { RunLock::require_free(temp.path()); }), ErrorKind::kOutputBusy);
  EXPECT_EQ(temp.entries(), 1U);
}

TEST_F(RunLocks, TellTheDeadFromTheLiving) {
  const LockHolder self = own();
  LockHolder other = self;
  other.has_flock = false;
  EXPECT_EQ(life_of(other, FileLock::kUnknown), Life::kAlive);
  EXPECT_EQ(life_of(other, FileLock::kFree), Life::kAlive);
  EXPECT_EQ(life_of(self, FileLock::kFree), Life::kDead) << "it would hold its flock";
  other.pid = dead_process();
  EXPECT_EQ(life_of(other, FileLock::kUnknown), Life::kDead);
  EXPECT_EQ(life_of(other, FileLock::kHeld), Life::kAlive) << "another file has the number";
  other = self;
  other.has_flock = false;
  ++other.start_time;
  EXPECT_EQ(life_of(other, FileLock::kUnknown), Life::kDead) << "the number was given again";
  other = self;
  other.boot.back() = other.boot.back() == 'a' ? 'b' : 'a';
  // Some machines, as of a build in a container, have no id.
  EXPECT_EQ(life_of(other, FileLock::kUnknown), self.machine.empty() ? Life::kUnknown : Life::kDead)
      << "the machine was started again";
  for (const char* const machine : {"", "0123456789abcdef0123456789abcdef"}) {
    other.machine = machine;
    EXPECT_EQ(life_of(other, FileLock::kFree), Life::kUnknown) << "another of that name";
  }
  other = self;
  ++other.pid_namespace;
  EXPECT_EQ(life_of(other, FileLock::kUnknown), Life::kUnknown) << "another container";
  EXPECT_EQ(life_of(other, FileLock::kFree), Life::kDead) << "one kernel, one flock";
  other.has_flock = false;
  EXPECT_EQ(life_of(other, FileLock::kFree), Life::kUnknown);
  other = self;
  other.host += "x";
  EXPECT_EQ(life_of(other, FileLock::kFree), Life::kUnknown)
      << "its flock may be of its host alone";
  EXPECT_EQ(life_of({.host = host_name(), .pid = ::getppid()}, FileLock::kFree), Life::kAlive);
  EXPECT_EQ(life_of({.host = host_name(), .pid = dead_process()}, FileLock::kFree), Life::kDead);
}

TEST_F(RunLocks, AZombieIsDead) {
  const LockHolder self = own();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  LockHolder holder = self;
  holder.pid = child;
  holder.start_time = 0;
  EXPECT_EQ(life_of(holder, FileLock::kUnknown), Life::kDead);
  ::waitpid(child, nullptr, 0);
}

TEST_F(RunLocks, OfTheDeadAreTakenOver) {
  write_text(file(), text(dead()));
  {
    const RunLock lock(Directory(temp.path()));
    EXPECT_EQ(parse_lock(read_text(file())).pid, ::getpid());
    EXPECT_EQ(temp.entries(), 1U);
  }
  EXPECT_EQ(temp.entries(), 0U);
}

TEST_F(RunLocks, OfAnotherHostAreTakenByForceAlone) {
  LockHolder holder = own();
  holder.host = "node7";
  for (const std::string& stale : {text(holder), std::string("node7 42\n")}) {
    write_text(file(), stale);
    EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("output-busy"), HasSubstr("node7"),
                                          HasSubstr("--force"), HasSubstr("remove run.lock")));
    EXPECT_EQ(thrown_kind([&] { RunLock::require_free(temp.path()); }), ErrorKind::kOutputBusy);
    EXPECT_EQ(read_text(file()), stale);
    EXPECT_EQ(refusal(TakeOver::kForced), "");
    EXPECT_EQ(temp.entries(), 0U);
  }
  // Not even by force, where it is seen to be held.
  write_text(file(), text(holder));
  UniqueFd held = Directory(temp.path()).open_file("run.lock");
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  EXPECT_THAT(refusal(TakeOver::kForced), HasSubstr("output-busy"));
}

TEST_F(RunLocks, LeaveAloneWhatIsNone) {
  for (const char* other : {"", "\n", "host", "host x\n", "host -1\n", "my notes\n", "host 12"}) {
    write_text(file(), other);
    EXPECT_THAT(refusal(TakeOver::kForced),
                testing::AllOf(HasSubstr("output-exists"), HasSubstr("run.lock")))
        << other;
    EXPECT_EQ(read_text(file()), other);
    EXPECT_EQ(temp.entries(), 1U);
    EXPECT_NO_THROW(RunLock::require_free(temp.path()));
  }
  const auto refused_as = [&](const std::function<void()>& make) {
    std::filesystem::remove_all(file());
    make();
    EXPECT_THAT(refusal(TakeOver::kForced), HasSubstr("output-exists"));
    EXPECT_NO_THROW(RunLock::require_free(temp.path()));
  };
  write_text(temp / "target", "mine");
  refused_as([&] { std::filesystem::create_symlink("target", file()); });
  refused_as([&] { std::filesystem::create_symlink("absent", file()); });
  refused_as([&] { std::filesystem::create_directory(file()); });
  refused_as([&] { ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0); });
  EXPECT_EQ(read_text(temp / "target"), "mine");
}

// The file that is made by who takes over a lock of this text.
std::string successor_of(const std::string& text) {
  return fmt::format("run.lock-after-{:016x}", hash64(text));
}

// A process may die between the two steps of taking a lock over, and so may the one that takes over
// from it.
TEST_F(RunLocks, TakeOverFromOneThatDiedWhileItTookOver) {
  const std::string first = text(dead());
  const std::string second = text(dead());
  const std::string third = text(dead());
  write_text(file(), first);
  write_text(temp / successor_of(first), second);
  write_text(temp / successor_of(second), third);
  write_text(temp / "run.lock-0123456789abcdef", "");  // it died before it wrote its name
  {
    const RunLock lock(Directory(temp.path()));
    EXPECT_EQ(parse_lock(read_text(file())).pid, ::getpid());
    EXPECT_EQ(temp.entries(), 1U);
  }
  EXPECT_EQ(temp.entries(), 0U);
}

TEST_F(RunLocks, BelongToTheLastThatTookOver) {
  const std::string first = text(dead());
  LockHolder alive = own();
  alive.has_flock = false;
  write_text(file(), first);
  write_text(temp / successor_of(first), text(alive));
  EXPECT_THAT(refusal(), HasSubstr("output-busy"));
  EXPECT_EQ(thrown_kind([&] { RunLock::require_free(temp.path()); }), ErrorKind::kOutputBusy);
  EXPECT_EQ(temp.entries(), 2U);
}

TEST_F(RunLocks, DoNotFollowACircle) {
  const std::string first = text(dead());
  const std::string second = text(dead());
  write_text(file(), first);
  write_text(temp / successor_of(first), second);
  write_text(temp / successor_of(second), first);
  EXPECT_THAT(refusal(), HasSubstr(successor_of(second)));
  EXPECT_EQ(temp.entries(), 3U);
}

// A stranger can write one of any length, as the names follow from the texts.
TEST_F(RunLocks, DoNotFollowALongChain) {
  std::filesystem::path link = file();
  LockHolder holder = dead();
  for (int k = 0; k < 200; ++k) {
    ++holder.start_time;
    write_text(link, text(holder));
    link = temp / successor_of(text(holder));
  }
  EXPECT_THAT(refusal(TakeOver::kForced), HasSubstr("it is not a lock of this program"));
  EXPECT_EQ(temp.entries(), 200U);
}

// Several processes see one stale lock, without file locks: one takes it.
TEST_F(RunLocks, AreTakenOverByOneOfMany) {
  constexpr int kStarters = 8;
  constexpr int kRounds = 30;
  const std::string stale = text(dead());
  for (int round = 0; round < kRounds; ++round) {
    write_text(file(), stale);
    std::array<int, 2> go{};
    std::array<int, 2> result{};
    ASSERT_EQ(::pipe(go.data()), 0);
    ASSERT_EQ(::pipe(result.data()), 0);
    std::vector<pid_t> children;
    for (int k = 0; k < kStarters; ++k) {
      children.push_back(::fork());
      if (children.back() != 0) continue;
      ::close(go[1]);
      char byte = 0;
      static_cast<void>(::read(go[0], &byte, 1));  // all start when the other end is closed
      try {
        const RunLock lock(Directory(temp.path()));
        static_cast<void>(::write(result[1], "y", 1));
        ::pause();
      } catch (const Error&) {
        static_cast<void>(::write(result[1], "n", 1));
        ::_exit(0);
      }
    }
    ::close(go[0]);
    ::close(go[1]);
    int winners = 0;
    for (int k = 0; k < kStarters; ++k) {
      char answer = 0;
      ASSERT_EQ(::read(result[0], &answer, 1), 1);
      winners += answer == 'y' ? 1 : 0;
    }
    for (const pid_t child : children) ::kill(child, SIGKILL);
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
    ::close(result[0]);
    ::close(result[1]);
    EXPECT_EQ(winners, 1);
  }
}

}  // namespace
}  // namespace virnucpro
