#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "base/error.hpp"
#include "base/log.hpp"
#include "engine/engine.hpp"
#include "engine/messages.hpp"
#include "observe/trace_part.hpp"

namespace virnucpro {

// What passes between a run and its worker processes. wire.hpp gives it its form on a socket.

// The first message to a worker: what it needs to load the models and make its engine.
struct WorkerSetup {
  std::string dnabert_s;   // the models as the user named them
  std::string esm2;        //
  std::string classifier;  // empty: none is needed
  std::string models_dir;
  std::string share_dir;
  std::uint64_t threads = 1;
  Precision precision = Precision::kFp32;
  EngineOutputs outputs{};
  bool on_gpu = false;             // the only one that the process sees
  std::string pci{};               // where that GPU is: "0000:3b:00.0"; empty: not known
  std::uint64_t token_budget = 0;  // 0: the device's own choice
  bool trace = false;              // until a batch comes that is not traced
  std::string cupti{};             // TraceSettings::cupti
};

// A worker's first answer, once it could compute.
struct WorkerHello {
  std::string kernel_path;
  std::uint32_t dnabert_s_width = 0;
  std::uint32_t esm2_width = 0;
  std::uint64_t token_budget = 0;
  std::uint64_t depth = 1;                         // batches that it has begun at a time
  std::map<std::string, std::string> description;  // of its models: run/load_models.hpp
  bool synthetic = false;
  std::string tokenizer;                   // DNABERT-S's file; empty where that is not computed
  std::uint32_t dnabert_s_vocabulary = 0;  // tokens that DNABERT-S knows
};

struct WorkerResult {
  BatchResult result;
  std::uint64_t token_budget = 0;  // that it has the memory for now
};

// A batch that failed for want of memory, which the worker survives; or, with any other kind, the
// worker's last message.
struct WorkerFailure {
  ErrorKind kind = ErrorKind::kInternal;
  Place place{};
  std::string detail;
  std::optional<std::uint64_t> batch{};  // during which it happened
  std::uint64_t token_budget = 0;        // that it believes to have the memory for now
};

struct WorkerLogLine {
  LogLevel level = LogLevel::kInfo;
  std::string text;
};

// What a worker recorded since the last of these. It comes before the result of a batch, so that
// with the results of all batches that are traced all of the trace is there.
struct WorkerTrace {
  TracePart part;
};

using WorkerMessage = std::variant<WorkerSetup, WorkerHello, BatchRequest, WorkerResult,
                                   WorkerFailure, WorkerLogLine, WorkerTrace>;

}  // namespace virnucpro
