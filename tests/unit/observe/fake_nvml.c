// A fake of the driver's library for measurements (NVML). Its answers are in the file named by
// FAKE_NVML, which it reads again at every call. A line is
//
//   WHOSE CALL ANSWER…        "GPU-1 power 300000 310000 !15"
//
// WHOSE is "driver" or a device's UUID; every UUID with a line is a device. Each call gets the next
// answer, and the last one repeats. An answer is a number or word, "!CODE" an error, "hang" a call
// that never returns. A call without a line is not supported.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6 };
enum { MOST = 32, LONGEST = 128 };

typedef struct {
  char uuid[LONGEST];
} Device;

typedef struct {
  char key[2 * LONGEST];
  unsigned calls;
} Count;

static Count counts[MOST];
// A monitor that was left behind may still call during the next test.
static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned count_call(const char *whose, const char *call) {
  char key[2 * LONGEST];
  snprintf(key, sizeof key, "%s %s", whose, call);
  unsigned before = 0;
  pthread_mutex_lock(&counts_lock);
  for (int i = 0; i < MOST; ++i) {
    if (counts[i].key[0] == '\0') strcpy(counts[i].key, key);
    if (strcmp(counts[i].key, key) != 0) continue;
    before = counts[i].calls++;
    break;
  }
  pthread_mutex_unlock(&counts_lock);
  return before;
}

static void forget_calls(void) {
  pthread_mutex_lock(&counts_lock);
  memset(counts, 0, sizeof counts);
  pthread_mutex_unlock(&counts_lock);
}

// The rest of the first line for that device and, unless null, that call.
static int find_line(const char *whose, const char *call, char *line, size_t size) {
  FILE *script = fopen(getenv("FAKE_NVML"), "r");
  int found = 0;
  while (script != NULL && !found && fgets(line, (int)size, script) != NULL) {
    char first[LONGEST] = "";
    char second[LONGEST] = "";
    int end = 0;
    sscanf(line, "%127s %127s%n", first, second, &end);
    found = strcmp(first, whose) == 0 && (call == NULL || strcmp(second, call) == 0);
    if (found) memmove(line, line + end, strlen(line + end) + 1);
  }
  if (script != NULL) fclose(script);
  return found;
}

// Makes a file beside the script, which the test can see.
static void leave_trace(const char *of) {
  char path[4096];
  snprintf(path, sizeof path, "%s.%s", getenv("FAKE_NVML"), of);
  FILE *trace = fopen(path, "w");
  if (trace != NULL) fclose(trace);
}

static int answer(const char *whose, const char *call, char *word) {
  char line[1024];
  const unsigned calls = count_call(whose, call);
  if (!find_line(whose, call, line, sizeof line)) return NOT_SUPPORTED;
  char *rest = NULL;
  char *token = strtok_r(line, " \n", &rest);
  for (unsigned i = 0; i <= calls && token != NULL; ++i, token = strtok_r(NULL, " \n", &rest)) {
    snprintf(word, LONGEST, "%s", token);
  }
  if (strcmp(word, "hang") == 0) {
    leave_trace("hang");
    while (1) pause();
  }
  return word[0] == '!' ? atoi(word + 1) : SUCCESS;
}

static int answer_number(const Device *device, const char *call, unsigned long long *number) {
  char word[LONGEST] = "";
  const int code = answer(device->uuid, call, word);
  if (code == SUCCESS) *number = strtoull(word, NULL, 10);
  return code;
}

static int answer_unsigned(const Device *device, const char *call, unsigned *number) {
  unsigned long long wide = 0;
  const int code = answer_number(device, call, &wide);
  if (code == SUCCESS) *number = (unsigned)wide;
  return code;
}

static int answer_text(const char *whose, const char *call, char *text, unsigned size) {
  char word[LONGEST] = "";
  const int code = answer(whose, call, word);
  if (code == SUCCESS) snprintf(text, size, "%s", word);
  return code;
}

int nvmlInit_v2(void) {
  forget_calls();
  char word[LONGEST] = "";
  const int code = answer("driver", "init", word);
  return code == NOT_SUPPORTED ? SUCCESS : code;
}

int nvmlShutdown(void) {
  leave_trace("shutdown");
  return SUCCESS;
}

const char *nvmlErrorString(int code) {
  return code == NOT_SUPPORTED ? "Not Supported"
         : code == NOT_FOUND   ? "Not Found"
         : code == 15          ? "GPU is lost"
                               : "Some Other Error";
}

int nvmlSystemGetDriverVersion(char *text, unsigned size) {
  return answer_text("driver", "version", text, size);
}

int nvmlDeviceGetHandleByUUID(const char *uuid, Device **device) {
  static Device devices[MOST];
  char line[1024];
  if (!find_line(uuid, NULL, line, sizeof line)) return NOT_FOUND;
  for (int i = 0; i < MOST; ++i) {
    if (devices[i].uuid[0] == '\0') snprintf(devices[i].uuid, LONGEST, "%s", uuid);
    *device = &devices[i];
    if (strcmp(devices[i].uuid, uuid) == 0) return SUCCESS;
  }
  return NOT_FOUND;
}

int nvmlDeviceGetName(Device *device, char *text, unsigned size) {
  return answer_text(device->uuid, "name", text, size);
}

int nvmlDeviceGetEnforcedPowerLimit(Device *device, unsigned *milliwatts) {
  return answer_unsigned(device, "power_limit", milliwatts);
}

int nvmlDeviceGetUtilizationRates(Device *device, unsigned *rates) {
  rates[1] = 0;
  return answer_unsigned(device, "utilization", &rates[0]);
}

// "USED/TOTAL"
int nvmlDeviceGetMemoryInfo(Device *device, unsigned long long *memory) {
  char word[LONGEST] = "";
  const int code = answer(device->uuid, "memory", word);
  if (code != SUCCESS) return code;
  sscanf(word, "%llu/%llu", &memory[2], &memory[0]);
  memory[1] = memory[0] - memory[2];
  return SUCCESS;
}

int nvmlDeviceGetTemperature(Device *device, int sensor, unsigned *celsius) {
  return sensor == 0 ? answer_unsigned(device, "temperature", celsius) : NOT_SUPPORTED;
}

int nvmlDeviceGetPowerUsage(Device *device, unsigned *milliwatts) {
  return answer_unsigned(device, "power", milliwatts);
}

int nvmlDeviceGetClockInfo(Device *device, int kind, unsigned *megahertz) {
  return kind == 1 ? answer_unsigned(device, "sm_clock", megahertz) : NOT_SUPPORTED;
}

#ifndef FAKE_NVML_IS_OLD
// In the script the address is a device's UUID, after "PCI-".
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, Device **device) {
  char uuid[LONGEST];
  snprintf(uuid, sizeof uuid, "PCI-%s", address);
  return nvmlDeviceGetHandleByUUID(uuid, device);
}

int nvmlDeviceGetMigMode(Device *device, unsigned *now, unsigned *after_reset) {
  *after_reset = 0;
  return answer_unsigned(device, "mig_mode", now);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(Device *device, unsigned long long *reasons) {
  return answer_number(device, "throttle", reasons);
}

int nvmlDeviceGetTotalEccErrors(Device *device, int kind, int since, unsigned long long *count) {
  return kind == 1 && since == 0 ? answer_number(device, "ecc", count) : NOT_SUPPORTED;
}
#endif
