// bin/virnucpro of a package starts the program, libexec/virnucpro. The program uses the host's
// dynamic loader and C library if these are as new as those that the package was built with, and
// otherwise the loader and library that the package carries. This launcher is linked statically, so
// it needs neither.
//
// The host's library is preferred because graphics drivers are made for it. A new host's driver may
// need a newer C library than the carried one, and an old host's driver also works with a newer
// library. So one package serves old and new systems. The alternative, a build against an old
// glibc, would need compilers and ten libraries in versions of 2018.
//
// The launcher becomes the program by exec and sets no variable: it passes the folders to the
// loader as arguments. So there is one process, and children see the user's LD_LIBRARY_PATH.
//
// VIRNUCPRO_LOADER=host or carried forces the choice, for tests. Like a shell, the launcher exits
// with 127 if the program cannot be started.
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int kNotStarted = 127;
// The program's ELF header names this loader.
constexpr const char* kHostLoader = "/lib64/ld-linux-x86-64.so.2";
// Drivers lie in these folders on RHEL, SUSE and WSL, whose loaders search them. Debian's loader
// does not search them, but reads the host's ld.so.cache, which usually names these folders.
constexpr const char* kDriverFolders = "/usr/lib64:/usr/lib/wsl/lib";

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "virnucpro: %s\n", what.c_str());
  std::exit(kNotStarted);
}

[[noreturn]] void fail_errno(const std::string& what) {
  fail(what + ": " + std::strerror(errno));
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

// Returns the folder that contains bin/.
std::string own_prefix() {
  std::string path(PATH_MAX, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length < 0) fail_errno("/proc/self/exe cannot be read");
  path.resize(static_cast<std::size_t>(length));
  return folder_of(folder_of(path));
}

// Returns a file's content; empty if it cannot be read.
std::string content_of(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string content;
  std::string part(1 << 20, '\0');
  for (ssize_t length; (length = ::read(file, part.data(), part.size())) > 0;) {
    content.append(part, 0, static_cast<std::size_t>(length));
  }
  ::close(file);
  return content;
}

// Returns the largest N of the versions GLIBC_2.N in a C library's file; 0 if there is none.
int newest_version_in(std::string_view library) {
  constexpr std::string_view kName{"\0GLIBC_2.", 9};
  int newest = 0;
  for (auto at = library.find(kName); at != library.npos; at = library.find(kName, at)) {
    at += kName.size();
    const int version = std::atoi(library.data() + at);  // a NUL ends each name
    if (version > newest) newest = version;
  }
  return newest;
}

// True if the host's C library, which lies beside its loader, is as new as the carried library.
bool host_is_new_enough() {
  char* const loader = ::realpath(kHostLoader, nullptr);
  if (loader == nullptr) return false;
  const std::string library = folder_of(loader) + "/libc.so.6";
  std::free(loader);
  // The carried library has the version of the C library with which this launcher was built.
  return newest_version_in(content_of(library)) >= __GLIBC_MINOR__;
}

bool takes_carried() {
  const char* const set = ::secure_getenv("VIRNUCPRO_LOADER");
  const std::string_view choice = set == nullptr ? "" : set;
  if (choice == "carried") return true;
  if (choice == "host") return false;
  if (!choice.empty()) fail(std::string("VIRNUCPRO_LOADER ") + set + ": expected host or carried");
  return !host_is_new_enough();
}

// Returns the folders that the carried loader searches after those that the program names. A loader
// that gets folders as an argument ignores LD_LIBRARY_PATH, so that variable's folders are added.
// In a set-uid program secure_getenv() returns null, because the caller must not choose libraries.
std::string library_path(const std::string& glibc) {
  std::string path = glibc;
  const char* const set = ::secure_getenv("LD_LIBRARY_PATH");
  if (set != nullptr && *set != '\0') path += std::string(":") + set;
  return path + ':' + kDriverFolders;
}

[[noreturn]] void start_by_carried(const std::string& prefix, const std::string& program,
                                   char** argv) {
  if (prefix.find_first_of(":;$") != prefix.npos) {
    fail(prefix +
         ": the C library of this package cannot be used in a folder whose name has a \":\", \";\" "
         "or \"$\": move the package to another folder");
  }
  const std::string glibc = prefix + "/lib/virnucpro/glibc";
  const std::string loader = glibc + "/ld-linux-x86-64.so.2";
  const std::string path = library_path(glibc);
  std::vector<const char*> arguments{loader.c_str(),   "--argv0",    argv[0],
                                     "--library-path", path.c_str(), program.c_str()};
  for (char** argument = argv + 1; *argument != nullptr; ++argument) arguments.push_back(*argument);
  arguments.push_back(nullptr);
  ::execv(loader.c_str(), const_cast<char**>(arguments.data()));
  fail_errno(loader + " cannot be started");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 1) fail("the program was started without a name (argv[0])");
  const std::string prefix = own_prefix();
  const std::string program = prefix + "/libexec/virnucpro";
  if (takes_carried()) start_by_carried(prefix, program, argv);
  ::execv(program.c_str(), argv);
  fail_errno(program + " cannot be started");
}
