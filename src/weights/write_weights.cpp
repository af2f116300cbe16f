#include "weights/write_weights.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"
#include "weights/name_tables.hpp"
#include "weights/recognise.hpp"
#include "weights/stored_tensor.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// A tensor to write: its name in this program and in the file.
struct Outgoing {
  std::string name;
  std::string published;
  Shape shape;
};

std::vector<Outgoing> list_tensors(const Weights& weights, const NameTable& table,
                                   const DimSizes& sizes, std::uint32_t layers,
                                   std::string_view prefix) {
  std::vector<Outgoing> tensors;
  for (const NameRow& row : table.rows) {
    // For ESM-2, `also` is the published name. For DNABERT-S it is only an old spelling of norms.
    const bool respelt = &table == &esm2_names() && !row.also.empty();
    for (std::uint32_t layer = 0; layer < (is_per_layer(row) ? layers : 1U); ++layer) {
      const std::string name = layer_name(row.name, layer);
      if (!weights.has(name)) continue;
      const std::string published = layer_name(respelt ? row.also : row.name, layer);
      tensors.push_back({name, std::string(prefix) + published, shape_of(row, sizes)});
    }
  }
  return tensors;
}

std::uint64_t values_in(const Outgoing& tensor) {
  return element_count(tensor.shape).value_or(0);
}

std::string make_header(const std::vector<Outgoing>& tensors, const std::string& origin) {
  std::string header = fmt::format(R"({{"__metadata__":{{"format":"pt","origin":"{}"}})", origin);
  std::uint64_t offset = 0;
  for (const Outgoing& tensor : tensors) {
    const std::uint64_t end = offset + 4 * values_in(tensor);
    header += fmt::format(R"(,"{}":{{"dtype":"F32","shape":{},"data_offsets":[{},{}]}})",
                          tensor.published, shape_text(tensor.shape), offset, end);
    offset = end;
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');  // aligns the data to 8 bytes
  return header;
}

void write_safetensors(AtomicFile& file, const Weights& weights,
                       const std::vector<Outgoing>& tensors) {
  const std::string origin = weights.synthetic() ? weights.origin() : "";
  const std::string header = make_header(tensors, origin);
  file.write(bytes_of(std::uint64_t{header.size()}));
  file.write(header);
  std::vector<float> values;
  for (const Outgoing& tensor : tensors) {
    values.resize(values_in(tensor));
    weights.read(tensor.name, tensor.shape, values);
    file.write(as_text(std::as_bytes(std::span(values))));
  }
}

constexpr std::string_view kEsm2Config = R"({{
  "architectures": ["EsmForMaskedLM"],
  "model_type": "esm",
  "vocab_size": 33,
  "pad_token_id": 1,
  "mask_token_id": 32,
  "hidden_size": {},
  "num_hidden_layers": {},
  "num_attention_heads": {},
  "intermediate_size": {},
  "hidden_act": "gelu",
  "layer_norm_eps": 1e-05,
  "max_position_embeddings": 1026,
  "position_embedding_type": "rotary",
  "emb_layer_norm_before": false,
  "token_dropout": {}
}}
)";

constexpr std::string_view kDnabertConfig = R"({{
  "architectures": ["BertForMaskedLM"],
  "model_type": "bert",
  "vocab_size": {},
  "hidden_size": {},
  "num_hidden_layers": {},
  "num_attention_heads": {},
  "intermediate_size": {},
  "hidden_act": "gelu",
  "layer_norm_eps": {},
  "type_vocab_size": 2
}}
)";

}  // namespace

void export_esm2(const Esm2Weights& weights, const fs::path& directory) {
  const Esm2Shape& shape = weights.shape;
  make_directory(directory);
  std::deque<AtomicFile> files;
  files.emplace_back(directory / "config.json")
      .write(fmt::format(kEsm2Config, shape.width, shape.layers, shape.heads, shape.ffn,
                         shape.token_dropout));
  write_safetensors(
      files.emplace_back(directory / "model.safetensors"), *weights.tensors,
      list_tensors(*weights.tensors, esm2_names(), dims_of(shape), shape.layers, "esm."));
  commit_together(files);
}

void export_dnabert_s(const DnabertWeights& weights, const fs::path& directory) {
  const DnabertShape& shape = weights.shape;
  make_directory(directory);
  std::deque<AtomicFile> files;
  files.emplace_back(directory / "config.json")
      .write(fmt::format(kDnabertConfig, shape.vocabulary, shape.width, shape.layers, shape.heads,
                         shape.ffn, shape.layer_norm_eps));
  files.emplace_back(directory / "tokenizer.json")
      .write(read_small_text(weights.tokenizer, kMaxJsonBytes, ErrorKind::kTokenizer));
  write_safetensors(
      files.emplace_back(directory / "model.safetensors"), *weights.tensors,
      list_tensors(*weights.tensors, dnabert_names(), dims_of(shape), shape.layers, "bert."));
  commit_together(files);
}

void export_classifier(const ClassifierWeights& weights, const fs::path& file) {
  AtomicFile whole(file);
  write_safetensors(
      whole, *weights.tensors,
      list_tensors(*weights.tensors, classifier_names(), dims_of(weights.shape), 1, ""));
  whole.commit();
}

}  // namespace virnucpro
