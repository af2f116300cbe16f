// A fake CUPTI: a test says what its GPU did, and the library reports it in records with the real
// layout, but longer. The functions are as in CUPTI's reference.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID = 1, MAX_LIMIT = 12, NO_PRIVILEGES = 35 };
enum { COPY = 1, SET = 2, RUNTIME = 5, KERNEL = 10, OVERHEAD = 17, EXTERNAL = 39, KINDS = 64 };
enum { KERNEL_SIZE = 216, COPY_SIZE = 96, RUNTIME_SIZE = 48, OVERHEAD_SIZE = 56, EXTERNAL_SIZE = 24 };
enum { LONGEST = 256, MOST = 4096, DEEPEST = 8 };

typedef void (*Request)(uint8_t **buffer, size_t *size, size_t *records);
typedef void (*Complete)(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

typedef struct {
  uint8_t bytes[LONGEST];
  int is_complete;
} Record;

static struct {
  Request request;
  Complete complete;
  uint64_t (*clock)(void);
  int enabled[KINDS];
  int refused;  // a kind
  uint32_t correlation;
  uint64_t pushed[DEEPEST];
  int depth;
  Record records[MOST];
  int count;
} state;

static size_t size_of(uint32_t kind) {
  return kind == KERNEL               ? KERNEL_SIZE
         : kind == COPY || kind == SET ? COPY_SIZE
         : kind == RUNTIME             ? RUNTIME_SIZE
         : kind == OVERHEAD            ? OVERHEAD_SIZE
                                       : EXTERNAL_SIZE;
}

static uint32_t kind_of(const uint8_t *bytes) {
  uint32_t kind;
  memcpy(&kind, bytes, sizeof kind);
  return kind;
}

static uint8_t *add(uint32_t kind) {
  if (!state.enabled[kind] || state.count == MOST) return NULL;
  Record *record = &state.records[state.count++];
  memset(record, 0, sizeof *record);
  memcpy(record->bytes, &kind, sizeof kind);
  record->is_complete = 1;
  return record->bytes;
}

static void put(uint8_t *bytes, size_t place, const void *value, size_t size) {
  memcpy(bytes + place, value, size);
}

// Called by the test.

void fake_reset(int refused_kind) {
  memset(&state, 0, sizeof state);
  state.refused = refused_kind;
}

uint64_t fake_clock(void) { return state.clock(); }

// A runtime call, with the correlation of the batch that made it.
static void call(void) {
  ++state.correlation;
  uint8_t *record = state.depth > 0 ? add(EXTERNAL) : NULL;
  if (record != NULL) {
    const uint32_t own = 3;
    put(record, 4, &own, sizeof own);
    put(record, 8, &state.pushed[state.depth - 1], sizeof state.pushed[0]);
    put(record, 16, &state.correlation, sizeof state.correlation);
  }
  add(RUNTIME);
}

static void activity(uint32_t kind, const char *name, uint32_t what, uint32_t stream,
                     uint64_t begin, uint64_t end) {
  uint8_t *record = add(kind);
  if (record == NULL) return;
  state.records[state.count - 1].is_complete = end != 0;
  put(record, 16, &begin, sizeof begin);
  put(record, 24, &end, sizeof end);
  if (kind == KERNEL) {
    put(record, 48, &stream, sizeof stream);
    put(record, 92, &state.correlation, sizeof state.correlation);
    put(record, 104, &name, sizeof name);
  } else {
    record[4] = (uint8_t)what;
    put(record, 40, &stream, sizeof stream);
    put(record, 44, &state.correlation, sizeof state.correlation);
  }
}

void fake_kernel(const char *name, uint32_t stream, uint64_t begin, uint64_t end) {
  call();
  activity(KERNEL, name, 0, stream, begin, end);
}

// The kernel's record comes before the one that names its batch.
void fake_hasty_kernel(const char *name, uint32_t stream, uint64_t begin, uint64_t end) {
  ++state.correlation;
  activity(KERNEL, name, 0, stream, begin, end);
  --state.correlation;
  call();
}

void fake_copy(uint32_t kind, uint32_t stream, uint64_t begin, uint64_t end) {
  call();
  activity(COPY, NULL, kind, stream, begin, end);
}

void fake_memset(uint32_t stream, uint64_t begin, uint64_t end) {
  call();
  activity(SET, NULL, 0, stream, begin, end);
}

void fake_overhead(uint64_t begin, uint64_t end) {
  uint8_t *record = add(OVERHEAD);
  if (record == NULL) return;
  put(record, 24, &begin, sizeof begin);
  put(record, 32, &end, sizeof end);
}

int fake_enabled(void) {
  int count = 0;
  for (int kind = 0; kind < KINDS; ++kind) count += state.enabled[kind];
  return count;
}

// Called by the program.

int cuptiGetVersion(uint32_t *version) {
  *version = 130001;
  return SUCCESS;
}

int cuptiGetResultString(int code, const char **text) {
  *text = code == NO_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_UNKNOWN";
  return SUCCESS;
}

int cuptiActivityRegisterCallbacks(Request request, Complete complete) {
  state.request = request;
  state.complete = complete;
  return SUCCESS;
}

#ifndef FAKE_CUPTI_IS_OLD
int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void)) {
  state.clock = clock;
  return SUCCESS;
}
#endif

int cuptiActivityEnable(uint32_t kind) {
  if ((int)kind == state.refused) return NO_PRIVILEGES;
  state.enabled[kind] = 1;
  return SUCCESS;
}

int cuptiActivityDisable(uint32_t kind) {
  state.enabled[kind] = 0;
  return SUCCESS;
}

int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id) {
  if (kind != 3 || state.depth == DEEPEST) return INVALID;
  state.pushed[state.depth++] = id;
  return SUCCESS;
}

int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *last) {
  if (kind != 3 || state.depth == 0) return INVALID;
  *last = state.pushed[--state.depth];
  return SUCCESS;
}

// Delivers full buffers. Unless forced, it delivers nothing from the first incomplete record on.
int cuptiActivityFlushAll(uint32_t is_forced) {
  uint8_t *buffer = NULL;
  size_t size = 0;
  size_t valid = 0;
  size_t most = 0;
  int done = 0;
  while (done < state.count && (is_forced || state.records[done].is_complete)) {
    const Record *record = &state.records[done];
    const size_t needed = size_of(kind_of(record->bytes));
    if (buffer != NULL && valid + needed > size) {
      state.complete(NULL, 0, buffer, size, valid);
      buffer = NULL;
    }
    if (buffer == NULL) {
      state.request(&buffer, &size, &most);
      memset(buffer, 0, size);
      valid = 0;
    }
    memcpy(buffer + valid, record->bytes, needed);
    valid += needed;
    ++done;
  }
  if (buffer != NULL) state.complete(NULL, 0, buffer, size, valid);
  memmove(state.records, state.records + done, sizeof(Record) * (size_t)(state.count - done));
  state.count -= done;
  return SUCCESS;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record) {
  uint8_t *next = *record == NULL ? buffer : *record + size_of(kind_of(*record));
  if (next >= buffer + valid) return MAX_LIMIT;
  *record = next;
  return SUCCESS;
}
