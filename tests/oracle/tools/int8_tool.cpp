// int8_tool ESM2 < proteins > embeddings
//
// Embeds each line's protein with ESM-2 in 8 bits on the CPU, as the program does on a GPU, and
// writes the embeddings as fp32 in this machine's byte order. ESM2 is a folder or a synthetic name.

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/thread_pool.hpp"
#include "models/esm2_int8.hpp"
#include "tokens/esm_alphabet.hpp"
#include "weights/load.hpp"

namespace {

using namespace virnucpro;

constexpr std::size_t kTokens = 4096;  // of a batch, approximately

struct Batch {
  std::vector<std::uint8_t> tokens;
  std::vector<std::uint32_t> offsets{0};
};

bool read_batch(Batch& batch) {
  batch = {};
  std::string protein;
  while (batch.tokens.size() < kTokens && std::getline(std::cin, protein)) {
    const std::vector<std::uint8_t> tokens = esm_tokens(protein);
    batch.tokens.insert(batch.tokens.end(), tokens.begin(), tokens.end());
    batch.offsets.push_back(static_cast<std::uint32_t>(batch.tokens.size()));
  }
  return !batch.tokens.empty();
}

void embed_all(const std::string& weights) {
  ThreadPool pool(1);
  const Cancel cancel;
  OpContext context{.pool = pool, .cancel = cancel};
  const Esm2Int8 model(load_esm2(weights, ModelLookup{}), context);
  std::vector<float> rows;
  for (Batch batch; read_batch(batch);) {
    rows.resize((batch.offsets.size() - 1) * model.width());
    model.embed(context, {batch.tokens, batch.offsets}, rows);
    std::cout.write(reinterpret_cast<const char*>(rows.data()),
                    static_cast<std::streamsize>(rows.size() * sizeof(float)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: int8_tool ESM2 < proteins > embeddings\n";
    return 2;
  }
  try {
    embed_all(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
