#include "sequence/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "sequence/system_call_filter.hpp"
#include "unit/sequence/compressed_file.hpp"

namespace virnucpro {
namespace {

void say(std::string_view text) {
  write_all(STDOUT_FILENO, text);
}

// Everything that comes from the process until its end.
std::string heard(ChildProcess& process, int socket, unsigned idle_seconds = 20) {
  std::string text;
  char letter = 0;
  while (true) {
    if (process.wait(socket, POLLIN, idle_seconds) == 0) continue;
    if (::recv(socket, &letter, 1, 0) <= 0) return text;
    text += letter;
  }
}

// The output of a process, and its misdeed.
struct Ending {
  std::string said;
  std::string misdeed;
};
Ending ending_of(const std::function<void()>& work, unsigned idle_seconds = 20, int file = -1) {
  std::fflush(nullptr);  // or else ThreadSanitizer writes it in the process, too
  ChildProcess process;
  const UniqueFd socket = process.start("test", work, file);
  Ending ending;
  ending.said = heard(process, socket.get(), idle_seconds);
  ending.misdeed = process.misdeed();
  return ending;
}

Ending filtered(const std::function<void()>& work) {
  return ending_of([&work] {
    say(filter_system_calls() ? "filtered " : "not filtered ");
    work();
    say("done");
  });
}

struct Deed {
  const char* name;
  void (*act)();
};
const std::vector<Deed> kForbidden{
    {"stat", [] { static_cast<void>(::access("/", F_OK)); }},
    {"socket", [] { static_cast<void>(::socket(AF_INET, SOCK_STREAM, 0)); }},
    {"execve",
     [] {
       char name[] = "/bin/true";
       char* const arguments[] = {name, nullptr};
       ::execv(name, arguments);
     }},
    {"fork", [] { static_cast<void>(::syscall(SYS_fork)); }},
    {"clone", [] { static_cast<void>(::syscall(SYS_clone, SIGCHLD, nullptr)); }},
    {"kill the parent", [] { ::kill(::getppid(), 0); }},
    {"signal itself", [] { ::kill(::getpid(), SIGTERM); }},
    {"executable memory",
     [] { ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }},
    {"raise a limit",
     [] {
       const rlimit limit{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
       ::setrlimit(RLIMIT_CPU, &limit);
     }},
    {"block a signal",
     [] {
       sigset_t all;
       ::sigfillset(&all);
       ::sigprocmask(SIG_SETMASK, &all, nullptr);
     }},
    {"ignore a signal", [] { ::syscall(SYS_rt_sigaction, SIGXCPU, nullptr, nullptr, 8); }},
    {"sleep", [] { ::syscall(SYS_pause); }},
};

void expect_killed(const Deed& deed) {
  const Ending ending = filtered(deed.act);
  EXPECT_EQ(ending.said, "filtered ") << deed.name;
  EXPECT_EQ(ending.misdeed, "made a forbidden system call") << deed.name;
}

TEST(SystemCallFilter, OpensNothingButLetsTheCLibraryAsk) {
  const Ending ending = filtered([] {
    const int fd = ::open("/dev/null", O_RDONLY);
    say(fd < 0 && errno == EACCES ? "refused " : "opened ");
  });
  EXPECT_EQ(ending.said, "filtered refused done");
}

TEST(SystemCallFilter, KillsWhoDoesMoreThanReadAndAnswer) {
  for (const Deed& deed : kForbidden) expect_killed(deed);
}

#ifndef VIRNUCPRO_SANITIZED  // they write into pipes
TEST(SystemCallFilter, KillsWhoWritesElsewhere) {
  expect_killed({"write", [] { static_cast<void>(::write(ChildProcess::kFile, "x", 1)); }});
}
#endif

TEST(SystemCallFilter, LetsADecoderWork) {
  const TestFolder folder;
  const UniqueFd file(::open(folder.write("file", "from the file ").c_str(), O_RDONLY));
  const Ending ending = ending_of(
      [] {
        if (!filter_system_calls()) return;
        char text[14];
        if (::pread(ChildProcess::kFile, text, sizeof text, 0) != sizeof text) return;
        say({text, sizeof text});
        std::vector<std::string> much;
        for (std::size_t size = 1; size < 64U << 20U; size *= 2) much.emplace_back(size, 'x');
        much.clear();
        static_cast<void>(std::time(nullptr));
        try {
          throw std::runtime_error("caught ");
        } catch (const std::exception& exception) {
          say(exception.what());
        }
        static_cast<void>(::write(STDERR_FILENO, "x", 1));
        say("done");
      },
      20, file.get());
  EXPECT_EQ(ending.said, "from the file caught done");
  EXPECT_EQ(ending.misdeed, "");
}

TEST(SystemCallFilter, TakesACrashForWhatItIs) {
  EXPECT_EQ(filtered([] { std::abort(); }).misdeed, "");
  EXPECT_EQ(filtered([] { ::raise(SIGABRT); }).misdeed, "");
}

// A container may forbid seccomp.
TEST(SystemCallFilter, SaysThatItIsNotThere) {
  const Ending ending = ending_of([] {
    const scmp_filter_ctx none = seccomp_init(SCMP_ACT_ALLOW);
    seccomp_rule_add(none, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(seccomp), 0);
    seccomp_rule_add(none, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prctl), 0);
    if (seccomp_load(none) == 0) say(filter_system_calls() ? "filtered" : "not filtered");
  });
  EXPECT_EQ(ending.said, "not filtered");
  EXPECT_EQ(ending.misdeed, "");
}

TEST(ChildProcess, HasNoFilesAndCanGainNoRights) {
  const TestFolder folder;
  const UniqueFd file(::open(folder.write("file", "x").c_str(), O_RDONLY));
  for (const int given : {-1, file.get()}) {
    const Ending ending = ending_of(
        [] {
          int signal = 0;
          ::prctl(PR_GET_PDEATHSIG, &signal);
          if (signal == SIGKILL) say("dies, ");
          if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) say("no rights, ");
          for (int number = 0; number < 1000; ++number) {
            if (::fcntl(number, F_GETFD) >= 0) say(std::to_string(number));
          }
        },
        20, given);
    EXPECT_EQ(ending.said, given < 0 ? "dies, no rights, 012" : "dies, no rights, 0123");
  }
}

TEST(ChildProcess, EndsWithTheThreadThatStartedIt) {
  ChildProcess process;
  UniqueFd socket;
  char letter = 0;
  std::thread([&] {
    socket = process.start("test", [] {
      say("x");
      ::pause();
    });
    ASSERT_EQ(::recv(socket.get(), &letter, 1, 0), 1);  // it is not too young to be told
  }).join();
  EXPECT_EQ(heard(process, socket.get()), "");
  EXPECT_EQ(process.misdeed(), "");
}

#ifndef VIRNUCPRO_SANITIZES_THREADS  // a thread of its own computes in every process
TEST(ChildProcess, IsKilledWhenItDoesNothing) {
  const auto wait_for_input = [] {
    char letter = 0;
    if (filter_system_calls()) static_cast<void>(::read(STDIN_FILENO, &letter, 1));
  };
  for (const std::function<void()>& work :
       {std::function<void()>([] { ::pause(); }), std::function<void()>(wait_for_input)}) {
    EXPECT_EQ(ending_of(work, 1).misdeed, "did nothing for 1 seconds");
  }
}
#endif

// It computes a little now and then, so that it is neither idle nor soon out of processor time.
TEST(ChildProcess, IsKilledWhenItTakesTooLong) {
  std::fflush(nullptr);
  ChildProcess process;
  const UniqueFd socket = process.start("test", [] {
    volatile std::uint64_t count = 0;
    while (true) {
      ::usleep(50'000);
      for (int k = 0; k < 10'000; ++k) count = count + 1;
    }
  });
  process.allow(std::uint64_t{1} << 46U, 0);
  EXPECT_EQ(heard(process, socket.get(), 1), "");
  EXPECT_EQ(process.misdeed(), "took longer than 1 seconds");
}

TEST(ChildProcess, MayComputeForLongerThanItMayIdle) {
  const auto compute = [] {
    volatile std::uint64_t count = 0;
    const std::time_t begin = std::time(nullptr);
    while (std::time(nullptr) < begin + 3) count = count + 1;
    say("done");
  };
  const Ending ending = ending_of(compute, 1);
  EXPECT_EQ(ending.said, "done");
  EXPECT_EQ(ending.misdeed, "");
}

}  // namespace
}  // namespace virnucpro
