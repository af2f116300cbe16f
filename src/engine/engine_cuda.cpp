#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/host.hpp"
#include "base/log.hpp"
#include "engine/batch_memory_cuda.hpp"
#include "engine/engine.hpp"
#include "models/calibration_proteins.hpp"
#include "models/classifier.hpp"
#include "models/dnabert_s.hpp"
#include "models/esm2.hpp"
#include "observe/trace.hpp"
#include "ops/backend_cuda.hpp"
#include "ops/backend_int8_cuda.hpp"
#include "ops/finite.hpp"
#include "tensor/cuda_error.hpp"
#include "tensor/device_advice.hpp"
#include "weights/folded_esm2.hpp"

namespace virnucpro {
namespace {

using cuda::DeviceBatch;

// While one batch computes, the next batch's input is copied and its kernels are enqueued.
constexpr std::size_t kDepth = kBatchesAtOnce;
// Threads that load weights. Each needs memory for the largest tensor in fp32, on the host (pinned)
// and on the device. More are used only for int8: they also fold the weights, which takes a
// processor most of a minute.
constexpr std::size_t kFewLoadThreads = 4;
constexpr std::size_t kMostLoadThreads = 16;
// Tokens of a batch. The default is within 1 % of the best speed. With batches below
// kSmallestBudget a GPU is too slow.
constexpr std::size_t kTokenBudget = 32768;
constexpr std::size_t kInt8TokenBudget = 65536;  // int8's kernels are twice as fast as fp16's
constexpr std::size_t kSmallestBudget = 512;

std::size_t wanted_budget(Precision precision) {
  return precision == Precision::kInt8 ? kInt8TokenBudget : kTokenBudget;
}

DeviceInfo info_of(int index, const cudaDeviceProp& properties) {
  DeviceInfo info;
  info.index = index;
  info.name = properties.name;
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.memory_total = properties.totalGlobalMem;
  return info;
}

// Opens the device for the calling thread. Errors: kDevice if the device is absent, too old or not
// available; kOutOfMemory if other programs use all its memory.
cudaDeviceProp open_device(int index) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  const DeviceInfo info = info_of(index, properties);
  if (!is_new_enough(info)) throw Error(ErrorKind::kDevice, why_too_old({&info, 1}));
  // With this flag a thread that waits for the device sleeps and leaves its core to other threads.
  cudaError_t status =
      cudaInitDevice(index, cudaDeviceScheduleBlockingSync, cudaInitDeviceFlagsAreValid);
  if (status == cudaSuccess) status = cudaSetDevice(index);
  if (status != cudaSuccess) throw not_opened(info, status, cudaGetErrorString(status));
  return properties;
}

struct MemoryInfo {
  std::size_t free = 0;
  std::size_t total = 0;
};

// Returns the free and the total memory of the calling thread's device, in bytes.
MemoryInfo memory_info() {
  MemoryInfo info;
  check_cuda(cudaMemGetInfo(&info.free, &info.total), "cudaMemGetInfo");
  return info;
}

std::string_view words_for(Precision precision) {
  if (precision == Precision::kFp32) return kFullPrecision;
  return precision == Precision::kInt8 ? "8 bits" : "16 bits";
}

// Returns the device's memory use and this process's part of it.
WorkerMemory memory_now() {
  const MemoryInfo device = memory_info();
  const CachingAllocator& allocator = device_allocator();
  const MemoryUse use = allocator.use();
  return {.device_used = device.total - device.free,
          .device_total = device.total,
          .reserved = use.current + allocator.kept(),
          .used = use.current,
          .peak = use.peak};
}

cuda::Gemm choose_gemm(Precision precision, bool hopper) {
  switch (precision) {
    case Precision::kFp32:
      return cuda::gemm_generic_fp32;
    case Precision::kFp16:
    case Precision::kInt8:
      return hopper ? cuda::gemm_sm90_fp16 : cuda::gemm_generic_fp16;
    case Precision::kBf16:
      return hopper ? cuda::gemm_sm90_bf16 : cuda::gemm_generic_bf16;
  }
  throw Error(ErrorKind::kInternal, "unknown precision");
}

cuda::Attention choose_attention(Precision precision, bool hopper) {
  switch (precision) {
    case Precision::kFp32:
      return cuda::attention_plain_fp32;
    case Precision::kFp16:
    case Precision::kInt8:
      return hopper ? cuda::attention_sm90_fp16 : cuda::attention_generic_fp16;
    case Precision::kBf16:
      return hopper ? cuda::attention_sm90_bf16 : cuda::attention_generic_bf16;
  }
  throw Error(ErrorKind::kInternal, "unknown precision");
}

// ESM-2 in the precision of a run. int8 uses folded weights (weights/folded_esm2.hpp), which this
// object keeps until loaded().
class Esm2OnGpu {
 public:
  Esm2OnGpu(const Esm2Weights& weights, cuda::Context& context)
      : folded_(fold(weights, context)), model_(make(weights, context)) {}

  void embed(cuda::Context& context, const DeviceBatch<std::uint8_t>& batch,
             const cuda::DevicePooled& out) const {
    std::visit([&](const auto& model) { model.embed(context, batch, out); }, model_);
  }
  void loaded() { folded_.tensors.reset(); }

 private:
  using Plain = Esm2Model<cuda::Backend>;
  using Int8 = Esm2Model<cuda::Int8Backend>;

  static Esm2Weights fold(const Esm2Weights& weights, const cuda::Context& context) {
    if (context.precision != Precision::kInt8) return {};
    check_esm2_shape(weights);
    return {.shape = weights.shape,
            .tensors = std::make_unique<const FoldedEsm2>(*weights.tensors, weights.shape)};
  }
  std::variant<Plain, Int8> make(const Esm2Weights& weights, cuda::Context& context) const {
    if (context.precision != Precision::kInt8) {
      return std::variant<Plain, Int8>(std::in_place_type<Plain>, weights, context);
    }
    return std::variant<Plain, Int8>(std::in_place_type<Int8>, folded_, context);
  }

  Esm2Weights folded_;
  std::variant<Plain, Int8> model_;
};

// Both encoders in one precision, with the context of their ops. An encoder is absent if no output
// needs it. The weights are on the device after load().
class Encoders {
 public:
  // The models of DNABERT-S that were made so far, by precision. Encoders share them.
  using MadeDnabertS = std::map<Precision, std::shared_ptr<const DnabertSModel<cuda::Backend>>>;

  // If `memory_is_short`, weights of ESM-2's linears stay in the host's memory: all of them for a
  // check model; for int8 only the second 8 bits of each weight, which nothing needs after
  // CudaEngine::calibrate().
  Encoders(const EngineModels& models, const EngineSettings& settings, Precision precision,
           const Int8Policy* searched, bool hopper, bool memory_is_short, cudaStream_t stream,
           const Cancel& cancel, MadeDnabertS& made)
      : cancel_(cancel),
        context_{.cancel = cancel, .precision = precision, .any_int8_policy = searched != nullptr} {
    if (searched == nullptr) context_.int8_policy = settings.int8_policy;
    context_.stream = stream;
    context_.gemm = choose_gemm(precision, hopper);
    context_.int8_gemm = hopper ? cuda::gemm_sm90_int8 : cuda::gemm_generic_int8;
    context_.attention = choose_attention(precision, hopper);
    if (settings.outputs.needs_dnabert_s()) {
      auto& shared = made[beside_esm2(precision, true)];
      if (!shared) {
        shared = std::make_shared<const DnabertSModel<cuda::Backend>>(models.dnabert_s, context_);
      }
      dnabert_s_ = shared;
    }
    if (!settings.outputs.needs_esm2()) return;
    if (precision == Precision::kInt8) {
      context_.calibration = std::make_unique<cuda::Calibration>();
      context_.calibration->in_host_memory = memory_is_short;
    } else if (memory_is_short) {
      context_.streamed = std::make_unique<cuda::StreamedWeights>();
    }
    esm2_.emplace(models.esm2, context_);
    if (context_.streamed != nullptr) context_.streamed->reserve();
  }

  void load(std::size_t threads) {
    context_.uploads.run(threads, cancel_);
    if (esm2_) esm2_->loaded();
    device_allocator().trim();  // frees the buffers of the loading threads
  }

  cuda::Context& context() { return context_; }
  void embed_protein(const DeviceBatch<std::uint8_t>& batch, const cuda::DevicePooled& out) {
    if (!esm2_) return;
    esm2_->embed(context_, batch, out);
    context_.arena.rewind(0);
  }
  void embed_dna(const DeviceBatch<std::uint16_t>& batch, const cuda::DevicePooled& out) {
    if (!dnabert_s_) return;
    dnabert_s_->embed(context_, batch, out);
    context_.arena.rewind(0);
  }

 private:
  const Cancel& cancel_;
  cuda::Context context_;
  std::shared_ptr<const DnabertSModel<cuda::Backend>> dnabert_s_;
  std::optional<Esm2OnGpu> esm2_;
};

// Makes a buffer larger and loses its contents. Sizes are powers of 2, so that buffers rarely grow.
void grow(DeviceBuffer& buffer, std::size_t bytes) {
  if (bytes <= buffer.bytes()) return;
  buffer = {};
  buffer = DeviceBuffer(Purpose::kStaging, std::bit_ceil(bytes));
}

void grow(PinnedBuffer& buffer, std::size_t bytes) {
  if (bytes <= buffer.bytes()) return;
  buffer = {};
  buffer = PinnedBuffer(std::bit_ceil(bytes));
}

// A batch's input. It is collected in pinned memory, then sent to the device in one copy.
class Staging {
 public:
  // Makes room for `bytes` bytes and loses the old contents.
  void reserve(std::size_t bytes) {
    used_ = 0;
    grow(pinned_, bytes);
    grow(device_, bytes);
  }

  template <typename T>
  const T* add(std::span<const T> values) {
    auto* const from = static_cast<std::byte*>(pinned_.data()) + used_;
    auto* const to = static_cast<std::byte*>(device_.data()) + used_;
    if (!values.empty()) std::memcpy(from, values.data(), values.size_bytes());
    used_ += padded(values.size_bytes());
    return reinterpret_cast<const T*>(to);
  }

  void send(const Stream& stream) {
    check_cuda(cudaMemcpyAsync(device_.data(), pinned_.data(), used_, cudaMemcpyHostToDevice,
                               stream.get()),
               "cudaMemcpyAsync");
  }

  static constexpr std::size_t padded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

 private:
  PinnedBuffer pinned_;
  DeviceBuffer device_;
  std::size_t used_ = 0;
};

// A batch's results, on the device or in pinned memory: scores [frames, 2], both embeddings side by
// side [frames, width], and a flag for each frame (1: it has NaN or infinity).
struct Results {
  std::span<float> scores;
  std::span<float> merged;
  std::span<std::uint8_t> flags;
};

// Divides memory into results. The embeddings are first, because they must be aligned to 16 bytes.
Results results_at(void* memory, std::size_t frames, std::size_t width) {
  auto* const numbers = static_cast<float*>(memory);
  auto* const scores = numbers + frames * width;
  return {.scores = {scores, 2 * frames},
          .merged = {numbers, frames * width},
          .flags = {reinterpret_cast<std::uint8_t*>(scores + 2 * frames), frames}};
}

// Events that measure a batch's times. The first two are on the stream of copies, the others on the
// compute stream, in the order in which they are recorded.
struct Marks {
  Event sending;
  Event sent;
  Event begun;
  Event esm2;
  Event dnabert_s;
  Event classified;
  Event done;
};

// Returns the seconds between two events that their streams have reached.
double seconds_between(const Event& first, const Event& last) {
  return 1e-3 * static_cast<double>(first.milliseconds_until(last));
}

// A batch in progress.
struct Slot {
  std::uint64_t id = 0;
  std::uint64_t batch = 0;
  std::size_t frames = 0;
  Staging input;
  DeviceBuffer results;
  PinnedBuffer host_results;
  std::size_t number = 0;  // index of the batch, not counting batches without frames
};

class CudaEngine : public Engine {
 public:
  CudaEngine(const EngineModels& models, const EngineSettings& settings, const Int8Policy* searched,
             const Cancel& cancel)
      : device_(*settings.gpu),
        searched_(searched),
        properties_(open_device(device_)),
        outputs_(settings.outputs),
        shapes_{.dnabert_s = models.dnabert_s.shape,
                .esm2 = models.esm2.shape,
                .classifier = models.classifier.shape} {
    DeviceInfo device = info_of(device_, properties_);
    device.memory_free = memory_info().free;
    BudgetPlan& budget = facts_.plan;
    budget.is_auto = settings.token_budget == 0;
    budget.wanted =
        budget.is_auto ? wanted_budget(settings.precisions[kRunModel]) : settings.token_budget;
    budget.free = device.memory_free;
    budget.total = device.memory_total;
    facts_.kernel_path = cuda_kernel_path(device, settings.generic_kernels);
    if (outputs_.needs_dnabert_s()) facts_.dnabert_s_width = shapes_.dnabert_s.width;
    if (outputs_.needs_esm2()) facts_.esm2_width = shapes_.esm2.width;
    facts_.esm2_layers = shapes_.esm2.layers;
    facts_.depth = kDepth;
    try {
      load(models, settings, cancel);
      plan();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kOutOfMemory || !error.has_usual_remedy()) throw;
      throw too_little_memory(shortage(device, settings, error.detail()));
    }
  }

  // Waits for the streams, because they may still use the memory that the members release.
  ~CudaEngine() override {
    cudaStreamSynchronize(copies_.get());
    cudaStreamSynchronize(compute_.get());
  }
  CudaEngine(const CudaEngine&) = delete;
  CudaEngine& operator=(const CudaEngine&) = delete;

  const EngineFacts& facts() const override { return facts_; }

  void begin(const BatchRequest& request) override {
    check_cuda(cudaSetDevice(device_), "cudaSetDevice");  // because any thread may call begin()
    Slot& slot = slots_.at(next_);
    slot.id = request.id;
    slot.batch = request.batch;
    slot.frames = request.frames.frames();
    if (slot.frames > 0) {
      Encoders& encoders = encoders_.at(request.model);
      if (searched_ != nullptr) encoders.context().int8_policy = *searched_;
      prepare(slot, request.frames, encoders);
      enqueue(slot, gather(slot, request.frames), encoders);
    }
    under_way_.push_back(&slot);
    next_ = (next_ + 1) % slots_.size();
  }

  BatchResult finish() override {
    Slot& slot = *under_way_.front();
    under_way_.pop_front();
    BatchResult result;
    result.id = slot.id;
    if (slot.frames == 0) return result;
    wait_for(slot);
    const TraceSpan span("results", slot.batch);
    result.times = times_of(slot.number);
    result.memory = memory_now();
    const Results results = host_results(slot);
    if (classifier_) result.scores.assign(results.scores.begin(), results.scores.end());
    if (outputs_.dnabert_s) result.dnabert_s = columns(results.merged, 0, facts_.dnabert_s_width);
    if (outputs_.esm2)
      result.esm2 = columns(results.merged, facts_.dnabert_s_width, facts_.esm2_width);
    for (std::uint32_t frame = 0; frame < slot.frames; ++frame) {
      const bool scored = result.scores.empty() ||
                          all_finite(std::span{result.scores}.subspan(2 * std::size_t{frame}, 2));
      if (results.flags[frame] != 0 || !scored) result.not_finite.push_back(frame);
    }
    return result;
  }

 private:
  void load(const EngineModels& models, const EngineSettings& settings, const Cancel& cancel) {
    const bool hopper =
        !settings.generic_kernels && has_hopper_kernels(info_of(device_, properties_));
    Encoders::MadeDnabertS made;
    for (const Precision precision : settings.precisions) {
      const LoadPlan loading = plan_loading(precision, settings);
      if (loading.memory_is_short) require_host_memory(precision);
      Encoders& encoders =
          encoders_.emplace_back(models, settings, precision, searched_, hopper,
                                 loading.memory_is_short, compute_.get(), cancel, made);
      if (outputs_.scores && !classifier_) {
        classifier_.emplace(models.classifier, encoders.context());
      }
      encoders.load(loading.threads);
      if (encoders.context().calibration != nullptr) calibrate(encoders);
    }
  }

  // How the models of a precision are loaded.
  struct LoadPlan {
    std::size_t threads = kFewLoadThreads;
    bool memory_is_short = false;  // the device's, so ESM-2's weights are kept on the host
  };

  // Memory is not short for the run's own model, which must fit on the device; but loading int8
  // takes twice the memory of its weights, or four times for a search for a policy, which also
  // holds the weights in 16 bits. A check model must leave room for batches of the wanted size.
  LoadPlan plan_loading(Precision precision, const EngineSettings& settings) const {
    if (!outputs_.needs_esm2()) return {};
    const bool is_first = encoders_.empty();
    const bool is_int8 = precision == Precision::kInt8;
    const std::size_t tokens = is_first ? kSmallestBudget : facts_.plan.wanted;
    std::uint64_t batches = 0;
    for (const Precision one : settings.precisions) {
      batches = std::max(batches, memory_need(shapes_, outputs_, one, tokens).batches);
    }
    const std::uint64_t times = is_first && is_int8 ? (searched_ != nullptr ? 4 : 2) : 1;
    const std::uint64_t weights = memory_need(shapes_, outputs_, precision, tokens).weights;
    const std::uint64_t free = memory_info().free + device_allocator().kept();
    const std::uint64_t used = std::min(times * weights + batches, free);
    const std::uint64_t tensor =
        std::uint64_t{shapes_.esm2.width} * shapes_.esm2.ffn * sizeof(float);
    std::uint64_t most = (free - used) / tensor;
    if (most < kFewLoadThreads) return {.memory_is_short = !is_first || is_int8};
    if (!is_int8) return {};
    most = std::min<std::uint64_t>({most, usable_processors(), kMostLoadThreads});
    // At most a sixteenth of a job's memory.
    if (const auto limit = read_control_group().memory_limit) {
      most = std::min(most, *limit / 16 / tensor);
    }
    return {.threads = std::max<std::size_t>(most, kFewLoadThreads)};
  }

  void require_host_memory(Precision precision) const {
    const std::uint64_t bytes =
        memory_need(shapes_, {.scores = false, .esm2 = true}, precision, 0).weights;
    const auto limit = read_control_group().memory_limit;
    if (!has_room(bytes) || (limit && *limit < bytes)) {
      throw Error(
          ErrorKind::kOutOfMemory,
          fmt::format("cuda:{} has too little free memory, and the host has too little memory for "
                      "{} of ESM-2's weights in {}",
                      device_, gib_text(bytes), name_of(precision)))
          .advised(encoders_.empty()
                       ? "Give the job or container more memory, or use a smaller --esm-model."
                       : "Give the job or container more memory, use a smaller --esm-model, or "
                         "give --margin 0, which loads no second model for close calls.");
    }
    log_info(
        "cuda:{} has too little free memory: {} of ESM-2's weights in {} stay in the host's memory",
        device_, gib_text(bytes), name_of(precision));
  }

  // Computes calibration_frames(), because the 8-bit linears correct their biases with this batch.
  void calibrate(Encoders& encoders) {
    const PackedFrames frames = calibration_frames();
    reserve(encoders, frames.esm_tokens.size(), 0);
    Slot slot;
    slot.frames = frames.frames();
    const Input input = gather(slot, frames);
    slot.input.send(compute_);
    slot.results = DeviceBuffer(Purpose::kStaging, result_bytes(slot.frames, facts_.esm2_width));
    const DeviceMatrix means{
        .data = slot.results.data(), .rows = slot.frames, .width = facts_.esm2_width};
    encoders.embed_protein(input.protein, {.rows = means, .column = 0, .width = facts_.esm2_width});
    compute_.synchronize();
    encoders.context().calibration.reset();
    activations_ = {};
    device_allocator().trim();
  }

  MemoryShortage shortage(const DeviceInfo& device, const EngineSettings& settings,
                          const std::string& failed) const {
    const Precision first = settings.precisions[kRunModel];
    return {.device = device,
            .models = memory_need(shapes_, outputs_, first, kSmallestBudget),
            .in_half = memory_need(shapes_, outputs_, Precision::kFp16, kSmallestBudget),
            .smaller = needs_with_smaller_esm2(shapes_, outputs_, kSmallestBudget),
            .precision = words_for(first),
            .failed = failed};
  }

  std::uint32_t width() const { return facts_.dnabert_s_width + facts_.esm2_width; }
  bool wants_embeddings() const { return outputs_.dnabert_s || outputs_.esm2; }

  std::vector<float> columns(std::span<const float> merged, std::size_t first,
                             std::size_t count) const {
    std::vector<float> values;
    values.reserve(merged.size() / width() * count);
    for (std::size_t row = 0; row < merged.size(); row += width()) {
      const auto from = merged.begin() + static_cast<std::ptrdiff_t>(row + first);
      values.insert(values.end(), from, from + static_cast<std::ptrdiff_t>(count));
    }
    return values;
  }

  // Reserves memory for batches of `wanted` tokens. Halves this number until the memory suffices.
  void plan() {
    BudgetPlan& budget = facts_.plan;
    for (budget.tokens = budget.wanted;; budget.tokens /= 2) {
      try {
        for (Encoders& encoders : encoders_) reserve(encoders, budget.tokens, budget.tokens);
        for (Slot& slot : slots_) reserve(slot, budget.tokens);
        break;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kOutOfMemory || budget.tokens / 2 < kSmallestBudget) throw;
        release();
      }
    }
    facts_.memory = memory_now();
    budget.weights = device_allocator().use(Purpose::kWeights).current;
    budget.batches = facts_.memory->used - budget.weights;
    if (budget.tokens == budget.wanted) return;
    log_warning(
        "the GPU has too little free memory: batches have {} tokens instead of {}; results are the "
        "same",
        budget.tokens, budget.wanted);
  }

  // Releases the memory of reserve(), because plan() tries half as many tokens next, for which
  // the buffers need other sizes.
  void release() {
    activations_ = {};
    for (Slot& slot : slots_) {
      slot.input = {};
      slot.results = {};
    }
  }

  // Reserves memory for the activations of batches of this many tokens of each model. The next
  // batch of `encoders` uses this memory.
  void reserve(Encoders& encoders, std::size_t esm_tokens, std::size_t dna_tokens) {
    cuda::Context& context = encoders.context();
    context.arena = Arena();
    allocate_activations(context, shapes_, outputs_, esm_tokens, dna_tokens, esm_tokens);
    const std::size_t bytes = context.arena.most();
    if (bytes > activations_.bytes()) {
      compute_.synchronize();
      activations_ = {};
      activations_ = DeviceBuffer(Purpose::kActivations, bytes);
    }
    context.arena = Arena(activations_.data(), activations_.bytes());
  }

  // Reserves a slot's memory for any batch of at most this many tokens of either model.
  void reserve(Slot& slot, std::size_t tokens) {
    slot.input.reserve(input_bytes(tokens));
    grow(slot.results, result_bytes(most_frames(tokens), width()));
  }

  // Makes room for a batch. plan() reserved enough, except for a frame longer than the budget.
  void prepare(Slot& slot, const PackedFrames& frames, Encoders& encoders) {
    const std::size_t longest = longest_sequence(frames.esm_offsets);
    try {
      reserve(encoders, frames.esm_tokens.size(), frames.dna_tokens.size());
      grow(slot.results, result_bytes(slot.frames, width()));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kOutOfMemory) throw;
      throw Error(
          ErrorKind::kOutOfMemory,
          fmt::format("the GPU has too little memory for a batch of {} ESM-2 and {} DNABERT-S "
                      "tokens; the batch's longest protein has {} tokens: {}",
                      frames.esm_tokens.size(), frames.dna_tokens.size(), longest, error.detail()));
    }
    if (longest > positions_) {
      compute_.synchronize();
      positions_ = std::bit_ceil(longest);
      for (Encoders& one : encoders_) cuda::cover_positions(one.context(), positions_);
    }
    grow(slot.host_results, result_bytes(slot.frames, wants_embeddings() ? width() : 0));
  }

  // Returns the marks of a batch. There is a set of marks for each batch in progress and one more,
  // because times_of() also reads the previous batch's marks.
  Marks& marks(std::size_t number) { return marks_[number % marks_.size()]; }

  BatchTimes times_of(std::size_t number) {
    const Marks& here = marks(number);
    BatchTimes times{.waiting = 0,
                     .to_device = seconds_between(here.sending, here.sent),
                     .esm2 = seconds_between(here.begun, here.esm2),
                     .dnabert_s = seconds_between(here.esm2, here.dnabert_s),
                     .classifier = seconds_between(here.dnabert_s, here.classified),
                     .to_host = seconds_between(here.classified, here.done)};
    if (number > 0) times.waiting = seconds_between(marks(number - 1).done, here.begun);
    return times;
  }

  template <typename Token>
  static DeviceBatch<Token> stage(Staging& input, const std::vector<Token>& tokens,
                                  const std::vector<std::uint32_t>& offsets,
                                  const std::vector<cuda::AttentionItem>& items) {
    DeviceBatch<Token> batch;
    batch.tokens = tokens;
    batch.offsets = offsets;
    batch.device_tokens = input.add(std::span<const Token>(tokens));
    batch.device_offsets = input.add(std::span<const std::uint32_t>(offsets));
    batch.items = input.add(std::span<const cuda::AttentionItem>(items));
    batch.item_count = items.size();
    return batch;
  }

  void wait_for(const Slot& slot) {
    const TraceSpan span("wait for the GPU", slot.batch);
    marks(slot.number).done.synchronize();
  }

  struct Input {
    DeviceBatch<std::uint8_t> protein;
    DeviceBatch<std::uint16_t> dna;
  };

  // Copies a batch's input to pinned memory.
  static Input gather(Slot& slot, const PackedFrames& frames) {
    const TraceSpan span("gather", slot.batch);
    const auto esm_items = cuda::attention_items(frames.esm_offsets);
    const auto dna_items = cuda::attention_items(frames.dna_offsets);
    const auto bytes_of = [](const auto& values) {
      return Staging::padded(values.size() * sizeof(values[0]));
    };
    slot.input.reserve(bytes_of(frames.esm_tokens) + bytes_of(frames.esm_offsets) +
                       bytes_of(esm_items) + bytes_of(frames.dna_tokens) +
                       bytes_of(frames.dna_offsets) + bytes_of(dna_items));
    return {.protein = stage(slot.input, frames.esm_tokens, frames.esm_offsets, esm_items),
            .dna = stage(slot.input, frames.dna_tokens, frames.dna_offsets, dna_items)};
  }

  // Sends a batch's input to the device and enqueues all its kernels.
  void enqueue(Slot& slot, const Input& input, Encoders& encoders) {
    const TraceSpan span("enqueue", slot.batch);
    const TracedLaunches launches(slot.batch);
    slot.number = computed_++;
    Marks& here = marks(slot.number);
    here.sending.record(copies_);
    slot.input.send(copies_);
    here.sent.record(copies_);
    check_cuda(cudaStreamWaitEvent(compute_.get(), here.sent.get()), "cudaStreamWaitEvent");
    here.begun.record(compute_);

    const Results results = results_at(slot.results.data(), slot.frames, width());
    const DeviceMatrix merged{.data = results.merged.data(), .rows = slot.frames, .width = width()};
    encoders.embed_protein(
        input.protein,
        {.rows = merged, .column = facts_.dnabert_s_width, .width = facts_.esm2_width});
    here.esm2.record(compute_);
    encoders.embed_dna(input.dna, {.rows = merged, .column = 0, .width = facts_.dnabert_s_width});
    here.dnabert_s.record(compute_);
    cuda::Context& context = encoders.context();
    if (classifier_) classifier_->classify(context, merged, results.scores);
    context.arena.rewind(0);
    cuda::flag_rows(merged, results.flags.data(), context.stream);
    here.classified.record(compute_);
    fetch(slot, results);
    here.done.record(compute_);
  }

  // Returns a batch's results in pinned memory; they include embeddings if an output needs them.
  Results host_results(const Slot& slot) const {
    return results_at(slot.host_results.data(), slot.frames, wants_embeddings() ? width() : 0);
  }

  void fetch(Slot& slot, const Results& results) {
    const Results host = host_results(slot);
    const auto copy = [&](auto to, auto from) {
      check_cuda(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyDeviceToHost,
                                 compute_.get()),
                 "cudaMemcpyAsync");
    };
    if (classifier_) copy(host.scores, results.scores);
    if (wants_embeddings()) copy(host.merged, results.merged);
    copy(host.flags, results.flags);
  }

  int device_;
  const Int8Policy* searched_;
  cudaDeviceProp properties_;
  EngineOutputs outputs_;
  ModelShapes shapes_;
  Stream compute_;
  Stream copies_;
  std::deque<Encoders> encoders_;  // one for each precision
  std::optional<ClassifierModel<cuda::Backend>> classifier_;
  DeviceBuffer activations_;
  EngineFacts facts_;
  std::size_t positions_ = cuda::kPositions;  // number of positions in the rotary tables
  std::array<Slot, kDepth> slots_;
  std::size_t next_ = 0;
  std::array<Marks, kDepth + 1> marks_;
  std::size_t computed_ = 0;  // how many batches with frames began so far
  std::deque<Slot*> under_way_;
};

}  // namespace

std::unique_ptr<Engine> make_cuda_engine(const EngineModels& models, const EngineSettings& settings,
                                         const Int8Policy* searched, const Cancel& cancel) {
  return std::make_unique<CudaEngine>(models, settings, searched, cancel);
}

}  // namespace virnucpro
