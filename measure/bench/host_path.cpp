// bench_host_path THREADS CHUNK_SIZE TOKENIZER FILE…
//
// Times the stages of a run before inference, all together (measure/timing/host_stages.hpp). The
// amount of work of a pass is the number of its sequences.

#include <stdexcept>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "measure/bench/serve.hpp"
#include "measure/timing/host_stages.hpp"
#include "tokens/dna_tokenizer.hpp"

namespace virnucpro::bench {
namespace {

void measure(const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) {
    throw std::invalid_argument("usage: bench_host_path THREADS CHUNK_SIZE TOKENIZER FILE...");
  }
  const DnaTokenizer tokenizer = DnaTokenizer::load(arguments[3]);
  const Cancel cancel;
  const HostStageSettings settings{.inputs = {arguments.begin() + 4, arguments.end()},
                                   .chunk_size = std::stoull(arguments[2])};
  HostPath path(settings, std::stoul(arguments[1]), tokenizer, cancel);
  const std::uint64_t sequences = path.pass();
  serve([&path] { return path.pass(); },
        fmt::format("{} sequences, {} different frames", sequences, path.frames()));
}

}  // namespace
}  // namespace virnucpro::bench

int main(int argc, char** argv) {
  return virnucpro::bench::run_program(argc, argv, virnucpro::bench::measure);
}
