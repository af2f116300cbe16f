// bench_engine esm2|dnabert-s MODEL THREADS|cuda|cuda-generic PRECISION SEQUENCES EMBEDDINGS
//
// cuda-generic uses the generic kernels on any GPU.
// PRECISION is fp32, fp16, bf16, int8, or int8:KEPT; KEPT is a value of --int8-keep.
// Embeds the sequences of a file once per request (serve.hpp). Each line is a sequence: a
// protein for esm2, token numbers for dnabert-s. Measures the time of the engine alone, without
// loading and tokenizing. The packer fills the batches beforehand, with the program's own settings.
// The work of a pass is the number of its tokens, including those at the ends of a sequence.
// EMBEDDINGS receives the results as fp32, in the order of the lines. They are compared with
// those of another program (bench/peers).

#include "engine/engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/limits.hpp"
#include "measure/bench/serve.hpp"
#include "tokens/esm_alphabet.hpp"
#include "tokens/packer.hpp"
#include "weights/load.hpp"

namespace virnucpro::bench {
namespace {

struct Measurement {
  bool esm2;
  std::string model;
  EngineSettings settings;
  std::string sequences;
  std::string embeddings;
};

void read_precision(const std::string& text, EngineSettings& settings) {
  const std::string name = text.substr(0, text.find(':'));
  const auto precision = precision_named(name);
  const bool keeps = name != text;
  const auto policy = keeps ? Int8Policy::parse(text.substr(name.size() + 1)) : Int8Policy();
  if (!precision || !policy || (keeps && *precision != Precision::kInt8)) {
    throw std::invalid_argument("PRECISION is fp32, fp16, bf16, int8 or int8:KEPT, not " + text);
  }
  settings.precisions = {*precision};
  settings.int8_policy = *policy;
}

Measurement parse(const std::vector<std::string>& arguments) {
  if (arguments.size() != 7 || (arguments[1] != "esm2" && arguments[1] != "dnabert-s")) {
    throw std::invalid_argument(
        "usage: bench_engine esm2|dnabert-s MODEL THREADS|cuda|cuda-generic PRECISION SEQUENCES "
        "EMBEDDINGS");
  }
  const bool esm2 = arguments[1] == "esm2";
  EngineSettings settings;
  if (arguments[3].starts_with("cuda")) {
    settings.gpu = 0;
    settings.generic_kernels = arguments[3] == "cuda-generic";
  } else {
    settings.threads = std::stoul(arguments[3]);
  }
  read_precision(arguments[4], settings);
  settings.outputs = {.scores = false, .dnabert_s = !esm2, .esm2 = esm2};
  return {.esm2 = esm2,
          .model = arguments[2],
          .settings = settings,
          .sequences = arguments[5],
          .embeddings = arguments[6]};
}

EngineModels load(const Measurement& measurement) {
  const ModelLookup lookup;  // not used: MODEL is a directory
  EngineModels models;
  if (measurement.esm2) {
    models.esm2 = load_esm2(measurement.model, lookup);
  } else {
    models.dnabert_s = load_dnabert_s(measurement.model, lookup);
  }
  return models;
}

FrameTokens tokens_of(const std::string& line, bool esm2) {
  if (esm2) return {.esm = esm_tokens(line), .dna = {}};
  std::istringstream numbers(line);
  FrameTokens tokens;
  for (std::uint16_t token = 0; numbers >> token;) tokens.dna.push_back(token);
  return tokens;
}

std::vector<PackedBatch> pack(const Measurement& measurement, std::size_t token_budget) {
  Packer packer({.token_budget = token_budget,
                 .frames_in_window = limits().frames_in_window,
                 .tokens_in_window = 0,
                 .frames_per_batch = limits().frames_per_batch,
                 .deduplicate = false});
  std::vector<PackedBatch> batches;
  std::ifstream file(measurement.sequences);
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    packer.add(tokens_of(line, measurement.esm2), number++);
    while (std::optional<PackedBatch> batch = packer.next_batch())
      batches.push_back(std::move(*batch));
  }
  while (std::optional<PackedBatch> batch = packer.drain()) batches.push_back(std::move(*batch));
  return batches;
}

std::size_t run(Engine& engine, const std::vector<BatchRequest>& requests) {
  std::size_t tokens = 0;
  std::size_t begun = 0;
  for (const BatchRequest& request : requests) {
    if (begun == engine.facts().depth) {
      engine.finish();
      --begun;
    }
    engine.begin(request);
    ++begun;
    tokens += request.frames.esm_tokens.size() + request.frames.dna_tokens.size();
  }
  for (; begun > 0; --begun) engine.finish();
  return tokens;
}

void write_embeddings(Engine& engine, const std::vector<BatchRequest>& requests,
                      const std::vector<PackedBatch>& batches, const std::string& path) {
  const std::size_t width = std::max(engine.facts().esm2_width, engine.facts().dnabert_s_width);
  std::ofstream file(path, std::ios::binary);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const BatchResult result = engine.run(requests[i]);
    const std::vector<float>& rows = result.esm2.empty() ? result.dnabert_s : result.esm2;
    for (std::size_t row = 0; row < batches[i].occurrences.size(); ++row) {
      const std::size_t bytes = width * sizeof(float);
      file.seekp(static_cast<std::streamoff>(batches[i].occurrences[row].front() * bytes));
      file.write(reinterpret_cast<const char*>(rows.data() + row * width),
                 static_cast<std::streamsize>(bytes));
    }
  }
}

void measure(const std::vector<std::string>& arguments) {
  const Measurement measurement = parse(arguments);
  const Cancel cancel;
  const auto start = std::chrono::steady_clock::now();
  const auto engine = make_engine(load(measurement), measurement.settings, cancel);
  const std::chrono::duration<double> loading = std::chrono::steady_clock::now() - start;
  std::vector<PackedBatch> batches = pack(measurement, engine->facts().plan.tokens);
  std::vector<BatchRequest> requests;
  requests.reserve(batches.size());
  for (PackedBatch& batch : batches) {
    requests.push_back({.id = requests.size(), .frames = std::move(batch.frames)});
  }
  write_embeddings(*engine, requests, batches, measurement.embeddings);
  serve([&] { return run(*engine, requests); }, engine->facts().kernel_path, loading.count());
}

}  // namespace
}  // namespace virnucpro::bench

int main(int argc, char** argv) {
  return virnucpro::bench::run_program(argc, argv, virnucpro::bench::measure);
}
