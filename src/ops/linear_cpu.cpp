#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "ops/linear.hpp"
#include "ops/onednn.hpp"
#include "ops/read_tensor.hpp"
#include "weights/dtype.hpp"

namespace virnucpro {
namespace {

using dnnl::memory;

// The most outputs of one product. Such a product takes about a millisecond, far more than oneDNN
// needs to start it. Even a batch of one panel has enough products for many threads.
constexpr std::size_t kBlockOutputs = 512;

memory::dim dim(std::size_t size) {
  return static_cast<memory::dim>(size);
}

dnnl::primitive_attr attributes(Epilogue epilogue) {
  dnnl::post_ops after;
  if (epilogue == Epilogue::kGeluGate) {
    throw Error(ErrorKind::kInternal, "the CPU does not support the epilogue kGeluGate");
  }
  if (epilogue == Epilogue::kBiasGelu) {
    after.append_eltwise(1.0F, dnnl::algorithm::eltwise_gelu_erf, 0.0F, 0.0F);
  }
  if (epilogue == Epilogue::kBiasAdd) after.append_sum(1.0F);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(after);
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);  // overrides oneDNN's environment variable
  return attributes;
}

struct BlockShape {
  std::size_t inputs;
  std::size_t outputs;        // outputs of this block
  std::size_t layer_outputs;  // outputs of the layer: the row stride of the result
};

// One block of a layer's outputs: its product and its weights, in oneDNN's layout.
class Block {
 public:
  // `weights` is [shape.outputs, shape.inputs]; `bias` is [shape.outputs], or null.
  Block(const BlockShape& shape, std::size_t first_output, Precision precision, Epilogue epilogue,
        const float* weights, const float* bias)
      : first_output_(first_output) {
    const auto type =
        precision == Precision::kBf16 ? memory::data_type::bf16 : memory::data_type::f32;
    const memory::dims weight_dims{dim(shape.inputs), dim(shape.outputs)};
    input_ = memory::desc({dim(kPanelRows), dim(shape.inputs)}, type, memory::format_tag::ab);
    output_ = memory::desc({dim(kPanelRows), dim(shape.outputs)}, memory::data_type::f32,
                           memory::dims{dim(shape.layer_outputs), 1});
    const memory::desc any_weights(weight_dims, type, memory::format_tag::any);
    bias_desc_ =
        memory::desc({1, dim(shape.outputs)}, memory::data_type::f32, memory::format_tag::ab);
    const auto product = bias == nullptr
                             ? dnnl::matmul::desc(input_, any_weights, output_)
                             : dnnl::matmul::desc(input_, any_weights, bias_desc_, output_);
    const dnnl::matmul::primitive_desc description(product, attributes(epilogue), cpu_engine());
    matmul_ = dnnl::matmul(description);
    scratchpad_ = description.scratchpad_desc();
    weights_desc_ = description.weights_desc();
    lay_out(memory::desc(weight_dims, memory::data_type::f32, memory::format_tag::ba), weights);
    if (bias != nullptr) {
      bias_ = HostArray<float>(Purpose::kWeights, shape.outputs);
      std::copy_n(bias, shape.outputs, bias_.data());
    }
  }

  // Computes one panel. `input` has this block's precision; `output` is the first output row.
  void run(OnednnThread& thread, const void* input, float* output) const {
    dnnl::engine& engine = cpu_engine();
    std::unordered_map<int, memory> arguments{
        {DNNL_ARG_SRC, memory(input_, engine, const_cast<void*>(input))},
        {DNNL_ARG_WEIGHTS, memory(weights_desc_, engine, weights_.data())},
        {DNNL_ARG_DST, memory(output_, engine, output + first_output_)},
        {DNNL_ARG_SCRATCHPAD,
         memory(scratchpad_, engine, thread.scratchpad(scratchpad_.get_size()))}};
    if (bias_.size() != 0) {
      arguments.emplace(DNNL_ARG_BIAS, memory(bias_desc_, engine, bias_.data()));
    }
    matmul_.execute(thread.stream(), arguments);
    thread.stream().wait();
  }

 private:
  void lay_out(const memory::desc& plain, const float* weights) {
    weights_ = HostBuffer(Purpose::kWeights, weights_desc_.get_size());
    memory from(plain, cpu_engine(), const_cast<float*>(weights));
    memory to(weights_desc_, cpu_engine(), weights_.data());
    dnnl::stream& stream = OnednnThread::here().stream();
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  }

  std::size_t first_output_;
  memory::desc input_, weights_desc_, bias_desc_, output_, scratchpad_;
  dnnl::matmul matmul_;
  HostBuffer weights_;
  HostArray<float> bias_;
};

// Returns all panels in bf16, rounded once for all blocks.
HostArray<std::uint16_t> rounded_panels(OpContext& context, const Panels& in) {
  const std::size_t count = kPanelRows * in.width();
  HostArray<std::uint16_t> rounded(Purpose::kActivations, in.panels() * count);
  context.pool.parallel_for(in.panels(), [&](std::size_t panel, std::size_t) {
    std::transform(in.row(panel * kPanelRows), in.row(panel * kPanelRows) + count,
                   rounded.data() + panel * count, f32_to_bf16);
  });
  return rounded;
}

}  // namespace

struct Linear::Blocks {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  Precision precision = Precision::kFp32;
  std::vector<Block> blocks;

  void add_part(OpContext& context, const Weights& weights, const LinearPart& part,
                std::size_t first_output, Epilogue epilogue);
};

void Linear::Blocks::add_part(OpContext& context, const Weights& weights, const LinearPart& part,
                              std::size_t first_output, Epilogue epilogue) {
  const HostArray<float> values = read_tensor(weights, part.weight, {part.outputs, inputs});
  HostArray<float> bias;
  if (epilogue != Epilogue::kNone) bias = read_tensor(weights, part.bias, {part.outputs});
  const std::size_t wanted = (part.outputs + kBlockOutputs - 1) / kBlockOutputs;
  const std::size_t width = (part.outputs + wanted - 1) / wanted;
  const std::size_t count = (part.outputs + width - 1) / width;
  std::vector<std::optional<Block>> made(count);
  context.pool.parallel_for(count, [&](std::size_t index, std::size_t) {
    const std::size_t first = index * width;
    const BlockShape shape{inputs, std::min(width, part.outputs - first), outputs};
    with_onednn([&](OnednnThread&) {
      require_room_for_onednn();
      made[index].emplace(shape, first_output + first, precision, epilogue,
                          values.data() + first * inputs,
                          bias.size() == 0 ? nullptr : bias.data() + first);
    });
  });
  for (std::optional<Block>& block : made) blocks.push_back(std::move(block.value()));
}

std::size_t outputs_of(std::span<const LinearPart> parts) {
  std::size_t outputs = 0;
  for (const LinearPart& part : parts) outputs += part.outputs;
  return outputs;
}

Linear::Linear(OpContext& context, const Weights& weights, std::span<const LinearPart> parts,
               std::size_t inputs, Precision precision, Epilogue epilogue) {
  auto made = std::make_unique<Blocks>();
  made->inputs = inputs;
  made->precision = precision;
  made->outputs = outputs_of(parts);
  std::size_t first_output = 0;
  for (const LinearPart& part : parts) {
    made->add_part(context, weights, part, first_output, epilogue);
    first_output += part.outputs;
  }
  blocks_ = std::move(made);
}

Linear::~Linear() = default;
Linear::Linear(Linear&&) noexcept = default;

std::size_t Linear::outputs() const {
  return blocks_->outputs;
}

void Linear::run(OpContext& context, const Panels& in, Panels& out) const {
  const bool rounds = blocks_->precision == Precision::kBf16;
  const HostArray<std::uint16_t> rounded =
      rounds ? rounded_panels(context, in) : HostArray<std::uint16_t>();
  // Tasks are ordered by block, then by panel, so that a block's weights stay in the cache.
  const std::size_t panels = in.panels();
  context.pool.parallel_for(blocks_->blocks.size() * panels, [&](std::size_t task, std::size_t) {
    const Block& block = blocks_->blocks[task / panels];
    const std::size_t first_row = task % panels * kPanelRows;
    with_onednn([&](OnednnThread& thread) {
      const void* input = in.row(first_row);
      if (rounds) input = rounded.data() + first_row * in.width();
      block.run(thread, input, out.row(first_row));
    });
  });
}

}  // namespace virnucpro
