// bench_tokenizer THREADS TOKENIZER TEXTS
//
// Encodes the texts of a file, one per line, on THREADS threads. The work of a pass is the number
// of its texts.

#include <algorithm>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "measure/bench/serve.hpp"
#include "tokens/dna_tokenizer.hpp"

namespace virnucpro::bench {
namespace {

constexpr std::size_t kTextsAtOnce = 256;

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Encodes all texts; returns the number of tokens.
std::size_t encode_all(const DnaTokenizer& tokenizer, const std::vector<std::string>& texts,
                       ThreadPool& pool) {
  std::vector<std::size_t> tokens(pool.size());
  const std::size_t blocks = (texts.size() + kTextsAtOnce - 1) / kTextsAtOnce;
  pool.parallel_for(blocks, [&](std::size_t block, std::size_t thread) {
    const std::size_t end = std::min(texts.size(), (block + 1) * kTextsAtOnce);
    for (std::size_t i = block * kTextsAtOnce; i < end; ++i) {
      tokens[thread] += tokenizer.encode(texts[i]).size();
    }
  });
  return std::accumulate(tokens.begin(), tokens.end(), std::size_t{0});
}

void measure(const std::vector<std::string>& arguments) {
  if (arguments.size() != 4) {
    throw std::invalid_argument("usage: bench_tokenizer THREADS TOKENIZER TEXTS");
  }
  ThreadPool pool(std::stoul(arguments[1]));
  const DnaTokenizer tokenizer = DnaTokenizer::load(arguments[2]);
  const std::vector<std::string> texts = read_lines(arguments[3]);
  const std::size_t tokens = encode_all(tokenizer, texts, pool);
  serve(
      [&] {
        encode_all(tokenizer, texts, pool);
        return texts.size();
      },
      fmt::format("{} texts, {} tokens", texts.size(), tokens));
}

}  // namespace
}  // namespace virnucpro::bench

int main(int argc, char** argv) {
  return virnucpro::bench::run_program(argc, argv, virnucpro::bench::measure);
}
