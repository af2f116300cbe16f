// Preloaded (LD_PRELOAD) into a benchmark. Where the benchmark starts a run of predict, this starts
// the program RUN_SHIM_PROGRAM with the same arguments instead.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const[], char *const[]);

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
