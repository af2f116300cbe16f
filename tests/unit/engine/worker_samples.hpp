#pragma once

#include <limits>
#include <variant>
#include <vector>

#include "engine/wire.hpp"
#include "engine/worker_messages.hpp"

namespace virnucpro {

// Returns limits with which a reader accepts every message that can be written.
inline WireLimits no_limits() {
  WireLimits limits;
  const auto allow = [&limits]<typename... Messages>(const std::variant<Messages...>& /*any*/) {
    (limits.allow<Messages>(kMostPayload), ...);
  };
  allow(WorkerMessage{});
  return limits;
}

inline BatchRequest sample_request() {
  BatchRequest request;
  request.id = 7;
  request.frames.esm_tokens = {0, 5, 2, 0, 6, 7, 2};
  request.frames.esm_offsets = {0, 3, 7};
  request.frames.dna_tokens = {1, 900, 2, 1, 2};
  request.frames.dna_offsets = {0, 3, 5};
  request.batch = 4;
  request.traced = true;
  request.model = kCheckModel;
  return request;
}

inline WorkerResult sample_result() {
  WorkerResult answer;
  answer.result.id = 7;
  answer.result.scores = {0.25F, 0.75F, 1, 0};
  answer.result.esm2 = {std::numeric_limits<float>::quiet_NaN(), 3};
  answer.result.not_finite = {1};
  answer.result.times = {.waiting = 0.5,
                         .to_device = 0.125,
                         .esm2 = 1,
                         .dnabert_s = 0.25,
                         .classifier = 0,
                         .to_host = 2};
  answer.result.memory = {
      .device_used = 9000, .device_total = 12000, .reserved = 5000, .used = 3000, .peak = 4000};
  answer.token_budget = 4096;
  return answer;
}

inline WorkerTrace sample_trace() {
  return {{.names = {{"enqueue", TraceKind::kHost}, {"gemm", TraceKind::kKernel}},
           .tracks = {"main 12", "GPU, stream 7"},
           .events = {{.begin = 10, .end = 30, .batch = 4, .name = 0, .track = 0},
                      {.begin = 20, .end = 40, .batch = 4, .name = 1, .track = 1}},
           .dropped = 1,
           .recording_time = 100,
           .cupti_time = 200,
           .kernels = "CUPTI, API version 130001"}};
}

// Returns one message of every type, with every field set.
inline std::vector<WorkerMessage> sample_messages() {
  const WorkerSetup setup{.models = {.dnabert_s = "synthetic:dnabert-s-tiny",
                                     .esm2 = "synthetic:esm2_tiny",
                                     .classifier = "synthetic",
                                     .lookup = {.models_dir = "/models", .share_dir = "/share"}},
                          .engine = {.threads = 3,
                                     .precisions = {Precision::kInt8, Precision::kFp16},
                                     .int8_policy = Int8Policy::parse("fc2,3-5.qkv").value(),
                                     .outputs = {.scores = true, .dnabert_s = false, .esm2 = true},
                                     .gpu = 0,
                                     .generic_kernels = true,
                                     .token_budget = 512},
                          .pci = "0000:3b:00.0",
                          .trace = true,
                          .cupti = "/lib/libcupti.so"};
  const WorkerHello hello{.facts = {.kernel_path = "cpu-avx2",
                                    .dnabert_s_width = 768,
                                    .esm2_width = 2560,
                                    .depth = 2,
                                    .plan = {.tokens = 4096,
                                             .wanted = 32768,
                                             .is_auto = true,
                                             .threads = 2,
                                             .weights = 5000,
                                             .batches = 700,
                                             .free = 11000,
                                             .total = 12000},
                                    .memory = sample_result().result.memory,
                                    .esm2_layers = 36},
                          .description = {{"esm2", "a"}, {"esm2_hash", "b"}},
                          .synthetic = true,
                          .tokenizer = "/share/tokenizer.json",
                          .dnabert_s_vocabulary = 4096};
  const WorkerFailure failure{.kind = ErrorKind::kWeightsTensor,
                              .place = {.file = "a.pth", .offset = 9, .tensor = "fc1"},
                              .detail = "it is not there",
                              .remedy = "Get it.",
                              .batch = 4,
                              .token_budget = 128};
  return {setup,
          hello,
          sample_request(),
          sample_result(),
          failure,
          WorkerLogLine{.level = LogLevel::kWarning, .text = "memory is short"},
          sample_trace()};
}

}  // namespace virnucpro
