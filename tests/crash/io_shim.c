// Preloaded (LD_PRELOAD) into the tested program. Counts the calls that change its output
// directory, read its files or talk to another process, and at a chosen call kills the process,
// holds it up or lets the call fail.
//
//   VNP_SHIM_DIR   absolute path; counts calls on it and on everything in it, and on all sockets
//   VNP_SHIM_READS absolute path; counts calls that read it or anything in it. Without it none is
//                  counted
//   VNP_SHIM       kill:before:KIND:N, kill:after:KIND:N   SIGKILL at the N-th call of that kind
//                  fail:KIND:ERROR:N[:stay]   it fails with EIO, ENOSPC …; `stay`: so do all later
//                                             ones. ERROR `short`: only half is written or read;
//                                             `end`: the file seems to end
//                  slow:KIND:MS[:N]           every call of that kind, or only the first N, takes
//                                             MS milliseconds more
//                  pause:KIND:N               the N-th call waits for someone to open VNP_SHIM_GATE
//                                             to write, and to close it
//   VNP_SHIM_GATE  a named pipe, for `pause`
//   VNP_SHIM_LOG   a file that gets a line "PID KIND N ANY PATH" for each counted call: its number
//                  within its kind, and among all calls that change files
//   VNP_SHIM_ROLE  parent (the default) or worker: `virnucpro worker`
//   VNP_SHIM_ONCE  a file; only the first process that removes it follows VNP_SHIM
//   VNP_SHIM_NO_LOCKS  if set, flock and fcntl locks fail with ENOLCK, as on some network file
//   systems
//   VNP_SHIM_NO_LINKS  if set, link and symlink fail with EPERM, as on vfat and some network file
//   systems
//   VNP_SHIM_NO_NOREPLACE  if set, a rename that must replace nothing fails with EINVAL
//
// Kinds: write fsync truncate rename unlink open (only if it creates; also link) mkdir, or `any` of
// these; stdio (fwrite, used for the log), fork, message (bytes sent over a socket); of
// VNP_SHIM_READS find (an existing file is opened), read, look (stat, access), list (a folder).
//
// Calls inside libc cannot be intercepted, so fwrite, fopen, remove and mkostemp are intercepted,
// too. A forked child that runs no other program is ignored.

#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
  WRITE,
  FSYNC,
  TRUNCATE,
  RENAME,
  UNLINK,
  OPEN,
  MKDIR,
  ANY,
  STDIO,
  FORK,
  MESSAGE,
  FIND,
  READ,
  LOOK,
  LIST,
  KINDS
};

static const char* const kind_names[KINDS] = {
    "write", "fsync", "truncate", "rename", "unlink", "open", "mkdir", "any",
    "stdio", "fork",  "message",  "find",   "read",   "look",  "list"};

static const struct {
  const char* name;
  int number;
} errors[] = {{"EIO", EIO},         {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT},
              {"EACCES", EACCES},   {"EROFS", EROFS},   {"EAGAIN", EAGAIN},
              {"ENOBUFS", ENOBUFS}, {"EPIPE", EPIPE},   {"ECONNRESET", ECONNRESET},
              {"EINTR", EINTR},     {"EMFILE", EMFILE}, {"ENFILE", ENFILE},
              {"ENOMEM", ENOMEM},   {"ESTALE", ESTALE}};

enum action { NOTHING, KILL_BEFORE, KILL_AFTER, FAIL, SHORTEN, END, SLOW, PAUSE };

static struct {
  enum action action;
  enum kind kind;
  int error;
  unsigned long number;  // of the call; milliseconds for `slow`
  unsigned long last;    // call that is slowed down; 0: all
  bool stays;
} rule;

static pid_t home = -1;  // the process whose calls count; none if the role differs
static char directory[PATH_MAX];
static char sources[PATH_MAX];
static const char* once;
static const char* gate;
static bool has_no_locks;
static bool has_no_links;
static bool has_no_noreplace;
static int log_fd = -1;
static atomic_ulong counts[KINDS];

#define REAL(name)                                                       \
  ({                                                                     \
    static __typeof__(&name) real;                                       \
    if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    real;                                                                \
  })

static void refuse(const char* what) {
  dprintf(STDERR_FILENO, "io_shim: cannot understand %s\n", what);
  _exit(99);
}

static enum kind kind_of(const char* name) {
  for (int kind = 0; kind < KINDS; ++kind) {
    if (strcmp(name, kind_names[kind]) == 0) return (enum kind)kind;
  }
  refuse(name);
  return KINDS;
}

static int error_of(const char* name) {
  for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); ++i) {
    if (strcmp(name, errors[i].name) == 0) return errors[i].number;
  }
  refuse(name);
  return 0;
}

static void read_rule(const char* text) {
  char first[16], second[16], third[16], stay[8] = "";
  const int found =
      sscanf(text, "%15[^:]:%15[^:]:%15[^:]:%lu:%7s", first, second, third, &rule.number, stay);
  if (sscanf(text, "slow:%15[^:]:%lu:%lu", second, &rule.number, &rule.last) >= 2) {
    rule.action = SLOW;
    rule.kind = kind_of(second);
    return;
  }
  if (sscanf(text, "pause:%15[^:]:%lu", second, &rule.number) == 2) {
    rule.action = PAUSE;
    rule.kind = kind_of(second);
    return;
  }
  if (found < 4) refuse(text);
  rule.stays = strcmp(stay, "stay") == 0;
  if (strcmp(first, "kill") == 0) {
    rule.action = strcmp(second, "after") == 0 ? KILL_AFTER : KILL_BEFORE;
    rule.kind = kind_of(third);
    return;
  }
  if (strcmp(first, "fail") != 0) refuse(text);
  rule.kind = kind_of(second);
  rule.action = strcmp(third, "short") == 0 ? SHORTEN : strcmp(third, "end") == 0 ? END : FAIL;
  if (rule.action == FAIL) rule.error = error_of(third);
}

__attribute__((constructor)) static void set_up(int argc, char** argv) {
  has_no_locks = getenv("VNP_SHIM_NO_LOCKS") != NULL;
  has_no_links = getenv("VNP_SHIM_NO_LINKS") != NULL;
  has_no_noreplace = getenv("VNP_SHIM_NO_NOREPLACE") != NULL;
  const char* const role = getenv("VNP_SHIM_ROLE");
  const bool wants_worker = role != NULL && strcmp(role, "worker") == 0;
  const bool is_worker = argc > 1 && strcmp(argv[1], "worker") == 0;
  if (wants_worker != is_worker || getenv("VNP_SHIM_DIR") == NULL) return;
  snprintf(directory, sizeof(directory), "%s", getenv("VNP_SHIM_DIR"));
  if (getenv("VNP_SHIM") != NULL) read_rule(getenv("VNP_SHIM"));
  const char* const read_too = getenv("VNP_SHIM_READS");
  if (read_too != NULL) snprintf(sources, sizeof(sources), "%s", read_too);
  once = getenv("VNP_SHIM_ONCE");
  gate = getenv("VNP_SHIM_GATE");
  const char* const log = getenv("VNP_SHIM_LOG");
  if (log != NULL) {
    log_fd =
        (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log_fd < 0) refuse(log);
  }
  home = getpid();
}

static void die(void) {
  syscall(SYS_kill, home, SIGKILL);
  pause();
}

static void wait_at_gate(void) {
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, gate, O_RDONLY | O_CLOEXEC);
  char byte;
  while (syscall(SYS_read, fd, &byte, 1) > 0) {
  }
  syscall(SYS_close, fd);
}

static void add_to_log(enum kind kind, unsigned long number, unsigned long any, const char* path) {
  if (log_fd < 0) return;
  char line[PATH_MAX + 64];
  const int size = snprintf(line, sizeof(line), "%d %s %lu %lu %s\n", (int)home, kind_names[kind],
                            number, any, path);
  syscall(SYS_write, log_fd, line, (size_t)size);
}

static bool is_chosen(enum kind kind, unsigned long number, unsigned long any) {
  if (rule.action == NOTHING) return false;
  if (rule.kind == ANY ? kind > ANY : rule.kind != kind) return false;
  const unsigned long met = rule.kind == ANY ? any : number;
  if (rule.action == SLOW) return rule.last == 0 || met <= rule.last;
  if (met != rule.number && !(rule.stays && met > rule.number)) return false;
  return once == NULL || syscall(SYS_unlinkat, AT_FDCWD, once, 0) == 0;
}

// Decides what happens to a counted call.
static enum action meet(enum kind kind, const char* path) {
  const int before = errno;
  const unsigned long any = kind < ANY ? atomic_fetch_add(&counts[ANY], 1) + 1 : 0;
  const unsigned long number = atomic_fetch_add(&counts[kind], 1) + 1;
  add_to_log(kind, number, any, path);
  const enum action action = is_chosen(kind, number, any) ? rule.action : NOTHING;
  if (action == KILL_BEFORE) die();
  if (action == SLOW) usleep((useconds_t)(1000 * rule.number));
  if (action == PAUSE) wait_at_gate();
  errno = action == FAIL ? rule.error : before;
  return action;
}

// Called after every call that was made; returns its result.
static long done(enum action action, long result) {
  if (action == KILL_AFTER) die();
  return result;
}

static bool is_reading(enum kind kind) {
  return kind >= FIND;
}

static bool is_ours(enum kind kind, const char* path) {
  const char* const folder = is_reading(kind) ? sources : directory;
  const size_t size = strlen(folder);
  if (strcmp(folder, "/") == 0) return path[0] == '/';
  if (size == 0 || strncmp(path, folder, size) != 0) return false;
  return path[size] == '\0' || path[size] == '/' || path[size] == ' ';  // " (deleted)"
}

// The path that a descriptor was opened with; false if it is not counted.
static bool names_descriptor(enum kind kind, int fd, char* path) {
  char link[32];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, PATH_MAX - 1);
  path[size > 0 ? size : 0] = '\0';
  return is_ours(kind, path);
}

// Makes a given path absolute; false if it is not counted.
static bool names_path(enum kind kind, int folder, const char* given, char* path) {
  if (given[0] == '/') {
    snprintf(path, PATH_MAX, "%s", given);
    return is_ours(kind, path);
  }
  char base[PATH_MAX] = "";
  if (folder == AT_FDCWD) {
    if (getcwd(base, sizeof(base)) == NULL) return false;
  } else {
    names_descriptor(kind, folder, base);
  }
  if (strlen(base) + strlen(given) + 2 > PATH_MAX) return false;
  strcat(strcat(strcpy(path, base), "/"), given);
  return is_ours(kind, path);
}

static bool is_counted(enum kind kind) {
  return home == (pid_t)syscall(SYS_getpid) && (!is_reading(kind) || sources[0] != '\0');
}

static enum action meet_path(enum kind kind, int folder, const char* given) {
  const int before = errno;
  char path[PATH_MAX];
  const bool ours = is_counted(kind) && names_path(kind, folder, given, path);
  errno = before;
  return ours ? meet(kind, path) : NOTHING;
}

static enum action meet_descriptor(enum kind kind, int fd) {
  if (!is_counted(kind)) return NOTHING;
  const int before = errno;
  char path[PATH_MAX];
  struct stat status;
  const bool socket = kind == WRITE && REAL(fstat)(fd, &status) == 0 && S_ISSOCK(status.st_mode);
  const bool ours = socket || names_descriptor(kind, fd, path);
  errno = before;
  if (!ours) return NOTHING;
  return socket ? meet(MESSAGE, "socket") : meet(kind, path);
}

// A broken connection is broken at both ends.
static ssize_t fail_to_send(int fd) {
  if (rule.error == EPIPE || rule.error == ECONNRESET) shutdown(fd, SHUT_RDWR);
  errno = rule.error;
  return -1;
}

static size_t size_of(enum action action, size_t size) {
  return action == SHORTEN && size > 1 ? size / 2 : size;
}

// A call that gives a number, -1 where it fails.
#define CALL(type, name, meeting, parameters, arguments)                   \
  type name parameters {                                                   \
    const enum action action = meeting;                                    \
    if (action == END) return 0;                                           \
    return action == FAIL ? -1 : (type)done(action, REAL(name) arguments); \
  }

// A call that gives a pointer.
#define GIVER(type, name, meeting, parameters, arguments) \
  type* name parameters {                                 \
    const enum action action = meeting;                   \
    if (action == FAIL) return NULL;                      \
    type* const given = REAL(name) arguments;             \
    done(action, 0);                                      \
    return given;                                         \
  }

// The forms for files over 2 GiB have the same arguments on 64-bit machines.
#define SAME(type, name, other, parameters) type name parameters __attribute__((alias(#other)));

CALL(ssize_t, write, meet_descriptor(WRITE, fd), (int fd, const void* data, size_t size),
     (fd, data, size_of(action, size)))
CALL(ssize_t, pwrite, meet_descriptor(WRITE, fd),
     (int fd, const void* data, size_t size, off_t offset),
     (fd, data, size_of(action, size), offset))
SAME(ssize_t, pwrite64, pwrite, (int fd, const void* data, size_t size, off64_t offset))

ssize_t writev(int fd, const struct iovec* parts, int count) {
  const enum action action = meet_descriptor(WRITE, fd);
  if (action == FAIL) return -1;
  if (action != SHORTEN || count < 1) return done(action, REAL(writev)(fd, parts, count));
  return REAL(write)(fd, parts[0].iov_base, size_of(action, parts[0].iov_len));
}

ssize_t pwritev(int fd, const struct iovec* parts, int count, off_t offset) {
  const enum action action = meet_descriptor(WRITE, fd);
  if (action == FAIL) return -1;
  if (action != SHORTEN || count < 1) return done(action, REAL(pwritev)(fd, parts, count, offset));
  return REAL(pwrite)(fd, parts[0].iov_base, size_of(action, parts[0].iov_len), offset);
}
SAME(ssize_t, pwritev64, pwritev, (int fd, const struct iovec* parts, int count, off64_t offset))

size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
  const enum action action = meet_descriptor(STDIO, fileno(file));
  if (action == FAIL) return 0;
  const size_t written = REAL(fwrite)(data, size, count, file);
  return (size_t)done(action, (long)written);
}

ssize_t send(int fd, const void* data, size_t size, int flags) {
  const enum action action = meet_descriptor(WRITE, fd);
  if (action == FAIL) return fail_to_send(fd);
  return done(action, REAL(send)(fd, data, size_of(action, size), flags));
}

ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  const enum action action = meet_descriptor(WRITE, fd);
  if (action == FAIL) return fail_to_send(fd);
  return done(action, REAL(sendmsg)(fd, message, flags));
}

CALL(int, fsync, meet_descriptor(FSYNC, fd), (int fd), (fd))
CALL(int, fdatasync, meet_descriptor(FSYNC, fd), (int fd), (fd))
CALL(int, sync_file_range, meet_descriptor(FSYNC, fd),
     (int fd, off64_t offset, off64_t size, unsigned flags), (fd, offset, size, flags))
CALL(int, ftruncate, meet_descriptor(TRUNCATE, fd), (int fd, off_t size), (fd, size))
SAME(int, ftruncate64, ftruncate, (int fd, off64_t size))
CALL(int, fallocate, meet_descriptor(TRUNCATE, fd), (int fd, int mode, off_t offset, off_t size),
     (fd, mode, offset, size))
SAME(int, fallocate64, fallocate, (int fd, int mode, off64_t offset, off64_t size))

// Returns an error number, and does not set errno.
int posix_fallocate(int fd, off_t offset, off_t size) {
  const enum action action = meet_descriptor(TRUNCATE, fd);
  return action == FAIL ? rule.error : (int)done(action, REAL(posix_fallocate)(fd, offset, size));
}
SAME(int, posix_fallocate64, posix_fallocate, (int fd, off64_t offset, off64_t size))

CALL(int, rename, meet_path(RENAME, AT_FDCWD, to), (const char* from, const char* to), (from, to))
CALL(int, renameat, meet_path(RENAME, to_folder, to),
     (int from_folder, const char* from, int to_folder, const char* to),
     (from_folder, from, to_folder, to))

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  const enum action action = meet_path(RENAME, to_folder, to);
  const bool refused = has_no_noreplace && (flags & RENAME_NOREPLACE) != 0;
  if (refused) errno = EINVAL;
  if (refused || action == FAIL) return -1;
  return (int)done(action, REAL(renameat2)(from_folder, from, to_folder, to, flags));
}

CALL(int, unlink, meet_path(UNLINK, AT_FDCWD, path), (const char* path), (path))
CALL(int, unlinkat, meet_path(UNLINK, folder, path), (int folder, const char* path, int flags),
     (folder, path, flags))
CALL(int, remove, meet_path(UNLINK, AT_FDCWD, path), (const char* path), (path))
CALL(int, rmdir, meet_path(UNLINK, AT_FDCWD, path), (const char* path), (path))
CALL(int, mkdir, meet_path(MKDIR, AT_FDCWD, path), (const char* path, mode_t mode), (path, mode))
CALL(int, mkdirat, meet_path(MKDIR, folder, path), (int folder, const char* path, mode_t mode),
     (folder, path, mode))

static mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  const enum action action = meet_path((flags & O_CREAT) != 0 ? OPEN : FIND, folder, path);
  return action == FAIL ? -1 : (int)done(action, REAL(openat)(folder, path, flags, mode));
}
SAME(int, openat64, openat, (int folder, const char* path, int flags, ...))

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return openat(AT_FDCWD, path, flags, mode);
}
SAME(int, open64, open, (const char* path, int flags, ...))

int creat(const char* path, mode_t mode) {
  return openat(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
SAME(int, creat64, creat, (const char* path, mode_t mode))

GIVER(FILE, fopen, meet_path(mode[0] == 'r' ? FIND : OPEN, AT_FDCWD, path),
      (const char* path, const char* mode), (path, mode))
SAME(FILE*, fopen64, fopen, (const char* path, const char* mode))
CALL(int, mkostemp, meet_path(OPEN, AT_FDCWD, name), (char* name, int flags), (name, flags))
SAME(int, mkostemp64, mkostemp, (char* name, int flags))

int mkstemp(char* name) {
  return mkostemp(name, 0);
}
SAME(int, mkstemp64, mkstemp, (char* name))

GIVER(char, mkdtemp, meet_path(MKDIR, AT_FDCWD, name), (char* name), (name))

CALL(ssize_t, read, meet_descriptor(READ, fd), (int fd, void* data, size_t size),
     (fd, data, size_of(action, size)))
CALL(ssize_t, pread, meet_descriptor(READ, fd), (int fd, void* data, size_t size, off_t offset),
     (fd, data, size_of(action, size), offset))
SAME(ssize_t, pread64, pread, (int fd, void* data, size_t size, off64_t offset))

ssize_t readv(int fd, const struct iovec* parts, int count) {
  const enum action action = meet_descriptor(READ, fd);
  if (action == FAIL) return -1;
  if (action == END) return 0;
  if (action != SHORTEN || count < 1) return done(action, REAL(readv)(fd, parts, count));
  return REAL(read)(fd, parts[0].iov_base, size_of(action, parts[0].iov_len));
}

CALL(int, stat, meet_path(LOOK, AT_FDCWD, path), (const char* path, struct stat* status),
     (path, status))
CALL(int, stat64, meet_path(LOOK, AT_FDCWD, path), (const char* path, struct stat64* status),
     (path, status))
CALL(int, lstat, meet_path(LOOK, AT_FDCWD, path), (const char* path, struct stat* status),
     (path, status))
CALL(int, lstat64, meet_path(LOOK, AT_FDCWD, path), (const char* path, struct stat64* status),
     (path, status))
CALL(int, fstat, meet_descriptor(LOOK, fd), (int fd, struct stat* status), (fd, status))
CALL(int, fstat64, meet_descriptor(LOOK, fd), (int fd, struct stat64* status), (fd, status))
CALL(int, fstatat, meet_path(LOOK, folder, path),
     (int folder, const char* path, struct stat* status, int flags), (folder, path, status, flags))
CALL(int, fstatat64, meet_path(LOOK, folder, path),
     (int folder, const char* path, struct stat64* status, int flags),
     (folder, path, status, flags))
CALL(int, access, meet_path(LOOK, AT_FDCWD, path), (const char* path, int mode), (path, mode))

GIVER(DIR, opendir, meet_path(LIST, AT_FDCWD, path), (const char* path), (path))
GIVER(DIR, fdopendir, meet_descriptor(LIST, fd), (int fd), (fd))
GIVER(struct dirent, readdir, meet_descriptor(LIST, dirfd(folder)), (DIR* folder), (folder))
GIVER(struct dirent64, readdir64, meet_descriptor(LIST, dirfd(folder)), (DIR* folder), (folder))

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (has_no_links) {
    errno = EPERM;
    return -1;
  }
  const enum action action = meet_path(OPEN, to_folder, to);
  if (action == FAIL) return -1;
  return (int)done(action, REAL(linkat)(from_folder, from, to_folder, to, flags));
}

int symlink(const char* to, const char* path) {
  if (!has_no_links) return REAL(symlink)(to, path);
  errno = EPERM;
  return -1;
}

int flock(int fd, int operation) {
  if (!has_no_locks) return REAL(flock)(fd, operation);
  errno = ENOLCK;
  return -1;
}

static int lock_or_call(int (*real)(int, int, ...), int fd, int command, void* argument) {
  const bool locks = command == F_GETLK || command == F_SETLK || command == F_SETLKW;
  if (!has_no_locks || !locks) return real(fd, command, argument);
  errno = ENOLCK;
  return -1;
}

// The argument is a pointer or an int, which one register holds.
int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return lock_or_call(REAL(fcntl), fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return lock_or_call(REAL(fcntl64), fd, command, argument);
}

static enum action meet_fork(void) {
  return is_counted(FORK) ? meet(FORK, "process") : NOTHING;
}

pid_t fork(void) {
  const enum action action = meet_fork();
  if (action == FAIL) return -1;
  const pid_t child = REAL(fork)();
  return child == 0 ? 0 : (pid_t)done(action, child);
}

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const arguments[],
                char* const environment[]) {
  const enum action action = meet_fork();
  if (action == FAIL) return rule.error;
  return (int)done(action,
                   REAL(posix_spawn)(child, path, actions, attributes, arguments, environment));
}

int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const arguments[],
                 char* const environment[]) {
  const enum action action = meet_fork();
  if (action == FAIL) return rule.error;
  return (int)done(action,
                   REAL(posix_spawnp)(child, file, actions, attributes, arguments, environment));
}
