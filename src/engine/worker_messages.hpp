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
#include "weights/load.hpp"

namespace virnucpro {

// The messages between a run and its worker processes; wire.hpp writes them to a socket.

// The first message to a worker. It says which models to load and how to make the engine.
struct WorkerSetup {
  ModelSettings models{};
  EngineSettings engine{};
  std::string pci{};    // the GPU's address: "0000:3b:00.0"; empty: unknown
  bool trace = false;   // trace until the first batch that is not traced
  std::string cupti{};  // value of TraceSettings::cupti
};

// A worker's message that it is ready to compute.
struct WorkerHello {
  EngineFacts facts{};
  std::map<std::string, std::string> description;  // describes the models (run/load_models.hpp)
  bool synthetic = false;
  std::string tokenizer;                   // path of DNABERT-S's tokenizer; empty without DNABERT-S
  std::uint32_t dnabert_s_vocabulary = 0;  // the number of DNABERT-S's tokens
};

struct WorkerResult {
  BatchResult result;
  std::uint64_t token_budget = 0;  // tokens of a batch that fits in memory now
};

// A worker's error. After kOutOfMemory for a batch the worker continues to compute. After any other
// error the worker sends nothing more.
struct WorkerFailure {
  ErrorKind kind = ErrorKind::kInternal;
  Place place{};
  std::string detail;
  std::string remedy{};                  // the user's next step; empty: as in base/error.cpp
  std::optional<std::uint64_t> batch{};  // the batch that the worker was computing
  std::uint64_t token_budget = 0;        // tokens of a batch that should fit in memory now
};

struct WorkerLogLine {
  LogLevel level = LogLevel::kInfo;
  std::string text;
};

// The events of a worker's trace since its last WorkerTrace. A worker sends them before each
// batch's result, so the trace is complete when all results of traced batches have arrived. If a
// worker is lost, only the events of its last batches are missing.
struct WorkerTrace {
  TracePart part;
};

using WorkerMessage = std::variant<WorkerSetup, WorkerHello, BatchRequest, WorkerResult,
                                   WorkerFailure, WorkerLogLine, WorkerTrace>;

}  // namespace virnucpro
