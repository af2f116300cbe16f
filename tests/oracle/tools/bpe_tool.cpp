// bpe_tool TOKENIZER.json [REPEATS] < texts > tokens
//
// Without REPEATS it writes, for each text (framed_texts.hpp), the number of its tokens (32 bits)
// and the tokens (16 bits each), in this machine's byte order. With REPEATS it encodes all texts
// that many times and prints the best rate, in texts per second on one thread.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framed_texts.hpp"
#include "tokens/dna_tokenizer.hpp"

namespace {

using virnucpro::DnaTokenizer;

std::vector<std::string> read_texts() {
  std::vector<std::string> texts;
  while (std::optional<std::string> text = next_framed_text(std::cin)) {
    texts.push_back(*std::move(text));
  }
  return texts;
}

template <typename T>
void write(const T* values, std::size_t count) {
  std::cout.write(reinterpret_cast<const char*>(values),
                  static_cast<std::streamsize>(count * sizeof(T)));
}

void write_tokens(const DnaTokenizer& tokenizer, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::vector<std::uint16_t> tokens = tokenizer.encode(text);
    const auto count = static_cast<std::uint32_t>(tokens.size());
    write(&count, 1);
    write(tokens.data(), tokens.size());
  }
}

double best_rate(const DnaTokenizer& tokenizer, const std::vector<std::string>& texts,
                 int repeats) {
  double best = 0.0;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    std::size_t tokens = 0;
    for (const std::string& text : texts) tokens += tokenizer.encode(text).size();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (tokens != 0) best = std::max(best, static_cast<double>(texts.size()) / took.count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: bpe_tool TOKENIZER.json [REPEATS] < texts\n";
    return 2;
  }
  try {
    const DnaTokenizer tokenizer = DnaTokenizer::load(argv[1]);
    const std::vector<std::string> texts = read_texts();
    if (argc == 2) {
      write_tokens(tokenizer, texts);
    } else {
      std::cout << best_rate(tokenizer, texts, std::stoi(argv[2])) << '\n';
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return std::cout ? 0 : 1;
}
