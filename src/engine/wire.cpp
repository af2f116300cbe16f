#include "engine/wire.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"

namespace virnucpro {
namespace {

constexpr std::uint32_t kMagic = 0x57504e56;  // "VNPW"
constexpr std::uint16_t kVersion = 8;
constexpr std::size_t kCheckedHead = kWireHead - sizeof(std::uint32_t);  // bytes its CRC covers
constexpr std::size_t kLengthPlace = 8;  // byte offset of the length; the payload's CRC follows
constexpr std::size_t kMostText = 16U << 10U;
constexpr std::size_t kMostDescriptions = 1000;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 50U;  // bytes
constexpr const char* kWhere = "a message between this program's processes";

[[noreturn]] void fail(const std::string& why) {
  throw Error(ErrorKind::kInternal, fmt::format("{}: {}", kWhere, why));
}

ByteReader reader_of(std::string_view payload) {
  return {as_bytes(payload), kWhere, ErrorKind::kInternal};
}

// --- parts of a payload --------------------------------------------------------------------------

void put_flag(ByteWriter& out, bool value) {
  out.number(static_cast<std::uint8_t>(value ? 1 : 0));
}

void put_text(ByteWriter& out, std::string_view value) {
  out.number(static_cast<std::uint32_t>(value.size())).raw(value);
}

// Writes a text of an error or log line, cut to at most kMostText bytes.
void put_cut(ByteWriter& out, std::string_view value) {
  put_text(out, value.substr(0, kMostText));
}

template <typename T>
void put_array(ByteWriter& out, const std::vector<T>& values) {
  out.number(std::uint64_t{values.size()}).raw(as_text(std::as_bytes(std::span(values))));
}

bool get_flag(ByteReader& in) {
  const auto value = in.number<std::uint8_t>();
  if (value > 1) fail("a flag is neither 0 nor 1");
  return value == 1;
}

std::string get_text(ByteReader& in, std::size_t most = kMostText) {
  const auto size = in.number<std::uint32_t>();
  if (size > most) fail(fmt::format("a text has {} bytes; the limit is {}", size, most));
  return std::string(in.text(size));
}

template <typename T>
std::vector<T> get_array(ByteReader& in) {
  const auto count = in.number<std::uint64_t>();
  // Compares counts, because count · sizeof(T) could overflow.
  if (count > in.left() / sizeof(T)) fail("an array is cut off");
  const auto bytes = in.read(count * sizeof(T));
  std::vector<T> values(count);
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Reads a value of an enum with `count` values.
template <typename T>
T get_choice(ByteReader& in, std::size_t count) {
  const auto value = in.number<std::uint8_t>();
  if (value >= count) fail("a value of an enum is unknown");
  return static_cast<T>(value);
}

// --- messages ------------------------------------------------------------------------------------

constexpr std::size_t kLogLevels = 3;

void put(ByteWriter& out, const EngineOutputs& outputs) {
  put_flag(out, outputs.scores);
  put_flag(out, outputs.dnabert_s);
  put_flag(out, outputs.esm2);
}

EngineOutputs get_outputs(ByteReader& in) {
  EngineOutputs outputs;
  outputs.scores = get_flag(in);
  outputs.dnabert_s = get_flag(in);
  outputs.esm2 = get_flag(in);
  return outputs;
}

void put(ByteWriter& out, const WorkerSetup& setup) {
  for (const std::string* text : {&setup.dnabert_s, &setup.esm2, &setup.classifier,
                                  &setup.models_dir, &setup.share_dir, &setup.pci, &setup.cupti}) {
    put_text(out, *text);
  }
  out.number(setup.threads);
  out.number(static_cast<std::uint8_t>(setup.precision));
  put_text(out, setup.int8_policy.text());
  put_flag(out, setup.check_precision.has_value());
  out.number(static_cast<std::uint8_t>(setup.check_precision.value_or(Precision::kFp32)));
  put(out, setup.outputs);
  put_flag(out, setup.on_gpu);
  out.number(setup.token_budget);
  put_flag(out, setup.trace);
}

Int8Policy get_policy(ByteReader& in) {
  const std::optional<Int8Policy> policy = Int8Policy::parse(get_text(in));
  if (!policy) fail("its int8 policy cannot be read");
  return *policy;
}

void get(ByteReader& in, WorkerSetup& setup) {
  for (std::string* text : {&setup.dnabert_s, &setup.esm2, &setup.classifier, &setup.models_dir,
                            &setup.share_dir, &setup.pci, &setup.cupti}) {
    *text = get_text(in);
  }
  setup.threads = in.number<std::uint64_t>();
  setup.precision = get_choice<Precision>(in, kPrecisionTable.size());
  setup.int8_policy = get_policy(in);
  const bool checks = get_flag(in);
  const auto check_precision = get_choice<Precision>(in, kPrecisionTable.size());
  if (checks) setup.check_precision = check_precision;
  setup.outputs = get_outputs(in);
  setup.on_gpu = get_flag(in);
  setup.token_budget = in.number<std::uint64_t>();
  setup.trace = get_flag(in);
}

void put(ByteWriter& out, const std::optional<WorkerMemory>& memory) {
  put_flag(out, memory.has_value());
  if (!memory) return;
  for (const std::uint64_t bytes :
       {memory->device_used, memory->device_total, memory->reserved, memory->used, memory->peak}) {
    out.number(bytes);
  }
}

// Reads a number of bytes. Refuses impossible numbers, because their sums could overflow.
std::uint64_t get_bytes(ByteReader& in) {
  const auto bytes = in.number<std::uint64_t>();
  if (bytes > kMostMemory) fail("a size of memory is larger than 2^50 bytes");
  return bytes;
}

std::optional<WorkerMemory> get_memory(ByteReader& in) {
  if (!get_flag(in)) return std::nullopt;
  WorkerMemory memory;
  for (std::uint64_t* bytes :
       {&memory.device_used, &memory.device_total, &memory.reserved, &memory.used, &memory.peak}) {
    *bytes = get_bytes(in);
  }
  if (memory.device_used > memory.device_total || memory.used > memory.reserved ||
      memory.used > memory.peak) {
    fail("more memory is used than there is");
  }
  return memory;
}

void put(ByteWriter& out, const EngineFacts& facts) {
  const BudgetPlan& plan = facts.plan;
  put_flag(out, plan.is_auto);
  for (const std::uint64_t number : {plan.tokens, plan.wanted, plan.threads, plan.weights,
                                     plan.batches, plan.free, plan.total}) {
    out.number(number);
  }
  put(out, facts.memory);
  out.number(facts.esm2_layers);
}

EngineFacts get_facts(ByteReader& in) {
  EngineFacts facts;
  BudgetPlan& plan = facts.plan;
  plan.is_auto = get_flag(in);
  for (std::uint64_t* number : {&plan.tokens, &plan.wanted, &plan.threads}) {
    *number = in.number<std::uint64_t>();
  }
  for (std::uint64_t* bytes : {&plan.weights, &plan.batches, &plan.free, &plan.total}) {
    *bytes = get_bytes(in);
  }
  facts.memory = get_memory(in);
  facts.esm2_layers = in.number<std::uint32_t>();
  return facts;
}

void put(ByteWriter& out, const WorkerHello& hello) {
  put_text(out, hello.kernel_path);
  out.number(hello.dnabert_s_width);
  out.number(hello.esm2_width);
  out.number(hello.token_budget);
  out.number(hello.depth);
  out.number(static_cast<std::uint32_t>(hello.description.size()));
  for (const auto& [name, text] : hello.description) {
    put_text(out, name);
    put_text(out, text);
  }
  put_flag(out, hello.synthetic);
  put_text(out, hello.tokenizer);
  out.number(hello.dnabert_s_vocabulary);
  put(out, hello.facts);
}

void get(ByteReader& in, WorkerHello& hello) {
  hello.kernel_path = get_text(in);
  hello.dnabert_s_width = in.number<std::uint32_t>();
  hello.esm2_width = in.number<std::uint32_t>();
  hello.token_budget = in.number<std::uint64_t>();
  hello.depth = in.number<std::uint64_t>();
  const auto count = in.number<std::uint32_t>();
  if (count > kMostDescriptions) fail("it has too many descriptions");
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string name = get_text(in);
    const bool is_new = hello.description.emplace(std::move(name), get_text(in)).second;
    if (!is_new) fail("two of its descriptions have the same name");
  }
  hello.synthetic = get_flag(in);
  hello.tokenizer = get_text(in);
  hello.dnabert_s_vocabulary = in.number<std::uint32_t>();
  hello.facts = get_facts(in);
}

void put(ByteWriter& out, const BatchRequest& request) {
  out.number(request.id);
  put_array(out, request.frames.esm_offsets);
  put_array(out, request.frames.dna_offsets);
  put_array(out, request.frames.esm_tokens);
  put_array(out, request.frames.dna_tokens);
  out.number(request.batch);
  put_flag(out, request.traced);
  put_flag(out, request.check);
}

void check_offsets(const std::vector<std::uint32_t>& offsets, std::size_t tokens) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != tokens) {
    fail("its offsets do not cover its tokens");
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) fail("its offsets do not rise");
  }
}

void get(ByteReader& in, BatchRequest& request) {
  PackedFrames& frames = request.frames;
  request.id = in.number<std::uint64_t>();
  frames.esm_offsets = get_array<std::uint32_t>(in);
  frames.dna_offsets = get_array<std::uint32_t>(in);
  frames.esm_tokens = get_array<std::uint8_t>(in);
  frames.dna_tokens = get_array<std::uint16_t>(in);
  request.batch = in.number<std::uint64_t>();
  request.traced = get_flag(in);
  request.check = get_flag(in);
  check_offsets(frames.esm_offsets, frames.esm_tokens.size());
  check_offsets(frames.dna_offsets, frames.dna_tokens.size());
  if (frames.esm_offsets.size() != frames.dna_offsets.size()) {
    fail("its models have different numbers of frames");
  }
}

// Reads a time in seconds. Refuses NaN and negative times, because they would spoil all sums.
double get_seconds(ByteReader& in) {
  const auto seconds = in.number<double>();
  if (!std::isfinite(seconds) || seconds < 0) fail("a time is negative or not finite");
  return seconds;
}

void put(ByteWriter& out, const WorkerResult& message) {
  const BatchResult& result = message.result;
  out.number(result.id);
  put_array(out, result.scores);
  put_array(out, result.dnabert_s);
  put_array(out, result.esm2);
  put_array(out, result.not_finite);
  for (const BatchTimeField& field : kBatchTimeFields) out.number(result.times.*field.seconds);
  put(out, result.memory);
  out.number(message.token_budget);
}

void get(ByteReader& in, WorkerResult& message) {
  BatchResult& result = message.result;
  result.id = in.number<std::uint64_t>();
  result.scores = get_array<float>(in);
  result.dnabert_s = get_array<float>(in);
  result.esm2 = get_array<float>(in);
  result.not_finite = get_array<std::uint32_t>(in);
  for (const BatchTimeField& field : kBatchTimeFields) {
    result.times.*field.seconds = get_seconds(in);
  }
  result.memory = get_memory(in);
  message.token_budget = in.number<std::uint64_t>();
}

void put(ByteWriter& out, const std::optional<std::uint64_t>& number) {
  put_flag(out, number.has_value());
  out.number(number.value_or(0));
}

std::optional<std::uint64_t> get_optional(ByteReader& in) {
  const bool is_there = get_flag(in);
  const auto value = in.number<std::uint64_t>();
  return is_there ? std::optional(value) : std::nullopt;
}

void put(ByteWriter& out, const WorkerFailure& failure) {
  out.number(static_cast<std::uint8_t>(failure.kind));
  put_cut(out, failure.place.file);
  put(out, failure.place.record);
  put(out, failure.place.offset);
  put_cut(out, failure.place.tensor);
  put_cut(out, failure.detail);
  put_cut(out, failure.remedy);
  put(out, failure.batch);
  out.number(failure.token_budget);
}

void get(ByteReader& in, WorkerFailure& failure) {
  failure.kind = get_choice<ErrorKind>(in, error_table().size());
  failure.place.file = get_text(in);
  failure.place.record = get_optional(in);
  failure.place.offset = get_optional(in);
  failure.place.tensor = get_text(in);
  failure.detail = get_text(in);
  failure.remedy = get_text(in);
  failure.batch = get_optional(in);
  failure.token_budget = in.number<std::uint64_t>();
}

void put(ByteWriter& out, const WorkerLogLine& line) {
  out.number(static_cast<std::uint8_t>(line.level));
  put_cut(out, line.text);
}

void get(ByteReader& in, WorkerLogLine& line) {
  line.level = get_choice<LogLevel>(in, kLogLevels);
  line.text = get_text(in);
}

void put(ByteWriter& out, const WorkerTrace& trace) {
  const TracePart& part = trace.part;
  out.number(static_cast<std::uint32_t>(part.names.size()));
  for (const TraceName& name : part.names) {
    put_text(out, name.text);
    out.number(static_cast<std::uint8_t>(name.kind));
  }
  out.number(static_cast<std::uint32_t>(part.tracks.size()));
  for (const std::string& track : part.tracks) put_text(out, track);
  put_array(out, part.events);
  out.number(part.dropped);
  out.number(part.recording_time);
  out.number(part.cupti_time);
  put_cut(out, part.kernels);
}

std::uint32_t get_count(ByteReader& in, std::size_t most) {
  const auto count = in.number<std::uint32_t>();
  if (count > most) fail("a trace has too many names or tracks");
  return count;
}

void check_event(const TraceEvent& event, const TracePart& part) {
  if (event.name >= part.names.size() || event.track >= part.tracks.size()) {
    fail("an event of a trace has an unknown name or track");
  }
  if (event.end < event.begin) fail("an event of a trace ends before it begins");
}

void get(ByteReader& in, WorkerTrace& trace) {
  TracePart& part = trace.part;
  part.names.resize(get_count(in, kMostTraceNames));
  for (TraceName& name : part.names) {
    name.text = get_text(in, kLongestTraceText);
    name.kind = get_choice<TraceKind>(in, kTraceKinds);
  }
  part.tracks.resize(get_count(in, kMostTraceTracks));
  for (std::string& track : part.tracks) track = get_text(in, kLongestTraceText);
  part.events = get_array<TraceEvent>(in);
  if (part.events.size() > kMostTraceEvents) fail("a trace has too many events");
  for (const TraceEvent& event : part.events) check_event(event, part);
  part.dropped = in.number<std::uint64_t>();
  part.recording_time = in.number<std::uint64_t>();
  part.cupti_time = in.number<std::uint64_t>();
  part.kernels = get_text(in);
}

// A full trace, failure or log line fits its limit. The spare bytes are for numbers and counts.
static_assert(kMostTrace >= kMostTraceEvents * sizeof(TraceEvent) +
                                (kMostTraceNames + kMostTraceTracks) * (kLongestTraceText + 8) +
                                2 * kMostText);
static_assert(kMostFailure >= 5 * kMostText);
static_assert(kMostLogLine > kMostText + 8);

template <std::size_t... Types>
WorkerMessage decode(std::size_t type, std::string_view payload, std::index_sequence<Types...>) {
  WorkerMessage message;
  ByteReader in = reader_of(payload);
  const auto read = [&]<std::size_t Type>() { get(in, message.emplace<Type>()); };
  static_cast<void>(((type == Types && (read.template operator()<Types>(), true)) || ...));
  if (in.left() != 0) fail("it has bytes after its last field");
  return message;
}

// The fields of a message's head that differ between messages.
struct Head {
  std::size_t type = 0;
  std::uint32_t length = 0;
  std::uint32_t checksum = 0;  // CRC-32C of the payload
};

Head read_head(std::string_view bytes, const WireLimits& limits) {
  ByteReader in = reader_of(bytes.substr(0, kWireHead));
  if (in.number<std::uint32_t>() != kMagic) fail("its first bytes are wrong");
  const auto version = in.number<std::uint16_t>();
  if (version != kVersion)
    fail(fmt::format("it has version {}; this program has version {}", version, kVersion));
  Head head;
  head.type = in.number<std::uint16_t>();
  head.length = in.number<std::uint32_t>();
  head.checksum = in.number<std::uint32_t>();
  if (in.number<std::uint32_t>() != crc32c(as_bytes(bytes.substr(0, kCheckedHead)))) {
    fail("the checksum of its head is wrong");
  }
  if (head.type >= std::variant_size_v<WorkerMessage>) fail("its type is unknown");
  const std::uint64_t most = limits.most(head.type);
  if (most == 0) fail("no message of its type is expected");
  if (head.length > most) {
    fail(fmt::format("it has {} bytes; the limit for its type is {}", head.length, most));
  }
  return head;
}

}  // namespace

std::string encode_message(const WorkerMessage& message) {
  ByteWriter out;
  out.number(kMagic);
  out.number(kVersion);
  out.number(static_cast<std::uint16_t>(message.index()));
  out.raw(std::string(kWireHead - out.bytes().size(), '\0'));  // room for length and checksums
  std::visit([&out](const auto& part) { put(out, part); }, message);
  if (out.bytes().size() - kWireHead > kMostPayload) fail("it would be longer than 2 GiB");
  return sealed_frame(std::move(out.bytes()));
}

std::string sealed_frame(std::string frame) {
  if (frame.size() < kWireHead) return frame;
  const auto length = static_cast<std::uint32_t>(frame.size() - kWireHead);
  frame.replace(kLengthPlace, sizeof length, bytes_of(length));
  const std::uint32_t crc = crc32c(as_bytes(std::string_view(frame).substr(kWireHead)));
  frame.replace(kLengthPlace + sizeof length, sizeof crc, bytes_of(crc));
  return sealed_head(std::move(frame));
}

std::string sealed_head(std::string frame) {
  const std::uint32_t crc = crc32c(as_bytes(std::string_view(frame).substr(0, kCheckedHead)));
  return frame.replace(kCheckedHead, sizeof crc, bytes_of(crc));
}

void WireReader::add(std::span<const char> bytes) {
  if (taken_ > 0) {
    bytes_.erase(0, taken_);
    taken_ = 0;
  }
  bytes_.append(bytes.data(), bytes.size());
}

std::optional<WorkerMessage> WireReader::next_message() {
  const std::string_view rest = std::string_view(bytes_).substr(taken_);
  if (rest.size() < kWireHead) return std::nullopt;
  const Head head = read_head(rest, limits_);
  if (rest.size() - kWireHead < head.length) return std::nullopt;
  const std::string_view payload = rest.substr(kWireHead, head.length);
  if (crc32c(as_bytes(payload)) != head.checksum) fail("its checksum is wrong");
  WorkerMessage message =
      decode(head.type, payload, std::make_index_sequence<std::variant_size_v<WorkerMessage>>());
  message_bytes_ = kWireHead + head.length;
  taken_ += message_bytes_;
  return message;
}

}  // namespace virnucpro
