// Preloaded (LD_PRELOAD) into a benchmark. Where the benchmark starts a run of predict, this starts
// the program RUN_SHIM_PROGRAM with the same arguments instead. When a run has ended, the seconds
// in the file RUN_SHIM_SECONDS, which that program wrote, are added to the benchmark's clock: so
// runs of known duration need no time, and how busy the machine is matters little.
// With RUN_SHIM_HASTE, what a program sleeps takes no time, and is added to its clock as well.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const[], char *const[]);
typedef pid_t wait_function(pid_t, int *, int, struct rusage *);
typedef int clock_function(clockid_t, struct timespec *);

static atomic_long added_milliseconds;

int posix_spawn(pid_t *id, const char *path, const posix_spawn_file_actions_t *files,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const variables[]) {
  spawn_function *const spawn = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawn");
  const char *const instead = getenv("RUN_SHIM_PROGRAM");
  const int is_run = arguments[0] != NULL && arguments[1] != NULL &&
                     strcmp(arguments[1], "predict") == 0;
  return spawn(id, is_run && instead != NULL ? instead : path, files, attributes, arguments,
               variables);
}

static void add_seconds(void) {
  const char *const path = getenv("RUN_SHIM_SECONDS");
  FILE *const file = path == NULL ? NULL : fopen(path, "r");
  double seconds = 0;
  if (file == NULL) return;
  if (fscanf(file, "%lf", &seconds) == 1) atomic_fetch_add(&added_milliseconds, (long)(1000 * seconds));
  fclose(file);
  unlink(path);
}

pid_t wait4(pid_t id, int *status, int options, struct rusage *usage) {
  wait_function *const wait = (wait_function *)dlsym(RTLD_NEXT, "wait4");
  const pid_t ended = wait(id, status, options, usage);
  if (ended > 0) add_seconds();
  return ended;
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
  if (getenv("RUN_SHIM_HASTE") == NULL) {
    errno = clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest);
    return errno == 0 ? 0 : -1;
  }
  atomic_fetch_add(&added_milliseconds, 1000 * time->tv_sec + time->tv_nsec / 1000000);
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  clock_function *const get = (clock_function *)dlsym(RTLD_NEXT, "clock_gettime");
  const int error = get(clock, time);
  const long added = atomic_load(&added_milliseconds);
  if (error == 0 && clock == CLOCK_MONOTONIC && added > 0) {
    time->tv_sec += added / 1000;
    time->tv_nsec += added % 1000 * 1000000;
    time->tv_sec += time->tv_nsec / 1000000000;
    time->tv_nsec %= 1000000000;
  }
  return error;
}
