#include "sequence/system_call_filter.hpp"

#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "base/log.hpp"

namespace virnucpro {
namespace {

struct Rule {
  int call;
  std::vector<scmp_arg_cmp> only{};  // conditions that must all hold
};

// Matches an int argument of this value, by its lower 32 bits: the kernel ignores the upper ones.
scmp_arg_cmp is(unsigned argument, int value) {
  constexpr std::uint64_t kInt = 0xffffffffU;
  return {argument, SCMP_CMP_MASKED_EQ, kInt, static_cast<std::uint32_t>(value)};
}

scmp_arg_cmp lacks(unsigned argument, int bit) {
  return {argument, SCMP_CMP_MASKED_EQ, static_cast<std::uint32_t>(bit), 0};
}

// Allows reading from every open file: this is safe, because no other file can be opened.
void add_reading(std::vector<Rule>& rules) {
  for (const int call : {SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(close)}) {
    rules.push_back({call});
  }
  rules.push_back({SCMP_SYS(recvfrom), {is(0, STDIN_FILENO)}});
}

void add_writing(std::vector<Rule>& rules) {
  rules.push_back({SCMP_SYS(write), {is(0, STDOUT_FILENO)}});
  for (const int call : {SCMP_SYS(write), SCMP_SYS(writev)}) {
    rules.push_back({call, {is(0, STDERR_FILENO)}});
  }
}

// Allows calls that manage memory, but not those that make memory executable.
void add_memory(std::vector<Rule>& rules) {
  for (const int call : {SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise)}) {
    rules.push_back({call});
  }
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) {
    rules.push_back({call, {lacks(2, PROT_EXEC)}});
  }
}

// Allows the process to end. The C library calls abort() for a damaged heap, which must look like a
// crash, not like a forbidden call. Blocking signals is forbidden, so SIGXCPU (at the limit of
// processor time) always ends the process.
void add_ends(std::vector<Rule>& rules) {
  for (const int call : {SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(rt_sigreturn),
                         SCMP_SYS(restart_syscall), SCMP_SYS(getpid), SCMP_SYS(gettid)}) {
    rules.push_back({call});
  }
  rules.push_back({SCMP_SYS(rt_sigprocmask), {is(0, SIG_UNBLOCK)}});
  rules.push_back({SCMP_SYS(tgkill), {is(0, ::getpid()), is(2, SIGABRT)}});
}

// Allows locks, clocks (if they need the kernel), random numbers, and the number of processors,
// which the C library reads when memory is short.
void add_harmless(std::vector<Rule>& rules) {
  for (const int call :
       {SCMP_SYS(futex), SCMP_SYS(sched_yield), SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),
        SCMP_SYS(time), SCMP_SYS(getrandom), SCMP_SYS(sched_getaffinity)}) {
    rules.push_back({call});
  }
}

// These calls fail with EACCES instead of killing the process. On valid CRAM files, malloc may
// return memory of a second arena to the system. malloc then opens a file in /proc for the memory
// policy, but also works without this file.
constexpr std::array kRefused{SCMP_SYS(open), SCMP_SYS(openat)};

// Allows further calls that the sanitizers of a test build make. For example, UBSan writes an
// object into a pipe to test whether its memory can be read.
void add_sanitizers([[maybe_unused]] std::vector<Rule>& rules) {
#ifdef VIRNUCPRO_SANITIZED
  for (const int call : {SCMP_SYS(sigaltstack), SCMP_SYS(pipe2), SCMP_SYS(write)}) {
    rules.push_back({call});
  }
#endif
}

std::vector<Rule> all_rules() {
  std::vector<Rule> rules;
  add_reading(rules);
  add_writing(rules);
  add_memory(rules);
  add_ends(rules);
  add_harmless(rules);
  add_sanitizers(rules);
  return rules;
}

}  // namespace

bool filter_system_calls() {
  const std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, decltype(&seccomp_release)> filter(
      seccomp_init(SCMP_ACT_KILL_PROCESS), seccomp_release);
  if (!filter) return false;
  // Calls of 32-bit and x32 programs kill the process, because their numbers mean other calls.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  const std::vector<Rule> rules = all_rules();
  return std::all_of(kRefused.begin(), kRefused.end(),
                     [&filter](int call) {
                       return seccomp_rule_add_array(filter.get(), SCMP_ACT_ERRNO(EACCES), call, 0,
                                                     nullptr) == 0;
                     }) &&
         std::all_of(rules.begin(), rules.end(),
                     [&filter](const Rule& rule) {
                       return seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, rule.call,
                                                     static_cast<unsigned>(rule.only.size()),
                                                     rule.only.data()) == 0;
                     }) &&
         seccomp_load(filter.get()) == 0;
}

void say_unfiltered() {
  static std::once_flag said;
  std::call_once(said, [] {
    log_warning(
        "system calls cannot be filtered here (seccomp), so only limits of memory, time and files "
        "protect from malicious CRAM and HDF5 files: give only files that you trust");
  });
}

}  // namespace virnucpro
