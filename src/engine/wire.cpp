#include "engine/wire.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "weights/byte_reader.hpp"

namespace virnucpro {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are sent as they lie in memory");

constexpr std::uint32_t kMagic = 0x57504e56;  // "VNPW"
constexpr std::uint16_t kVersion = 3;
constexpr std::size_t kCheckedHead = 12;  // bytes of a frame's head that its checksum covers
constexpr std::size_t kMostText = 1U << 20U;
constexpr std::size_t kMostDescriptions = 1000;
constexpr const char* kWhere = "a message between this program's processes";

[[noreturn]] void fail(const std::string& why) {
  throw Error(ErrorKind::kInternal, fmt::format("{}: {}", kWhere, why));
}

class Writer {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T>
  void number(T value) { append(&value, sizeof value); }
  void flag(bool value) { number<std::uint8_t>(value ? 1 : 0); }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    append(value.data(), value.size());
  }
  template <typename T>
  void array(const std::vector<T>& values) {
    number<std::uint64_t>(values.size());
    append(values.data(), values.size() * sizeof(T));
  }

  std::string& bytes() { return bytes_; }

 private:
  void append(const void* from, std::size_t size) {
    bytes_.append(static_cast<const char*>(from), size);
  }

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view payload)
      : reader_(as_bytes(payload), kWhere, ErrorKind::kInternal) {}

  template <typename T>
  requires std::is_arithmetic_v<T> T number() {
    T value{};
    std::memcpy(&value, reader_.read(sizeof value).data(), sizeof value);
    return value;
  }
  bool flag() {
    const auto value = number<std::uint8_t>();
    if (value > 1) fail("a switch is neither on nor off");
    return value == 1;
  }
  std::string text() {
    const auto size = number<std::uint32_t>();
    if (size > kMostText) fail("a text is too long");
    return std::string(reader_.text(size));
  }
  template <typename T>
  std::vector<T> array() {
    const auto count = number<std::uint64_t>();
    // Compares counts, so that nothing overflows.
    if (count > (reader_.size() - reader_.offset()) / sizeof(T)) fail("an array is cut");
    const auto bytes = reader_.read(count * sizeof(T));
    std::vector<T> values(count);
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  // An enum value; the enum has `count` values.
  template <typename T>
  T choice(std::size_t count) {
    const auto value = number<std::uint8_t>();
    if (value >= count) fail("a value is not one of those it can be");
    return static_cast<T>(value);
  }
  void end() const {
    if (reader_.offset() != reader_.size()) fail("it is longer than what it holds");
  }

 private:
  ByteReader reader_;
};

constexpr std::size_t kPrecisions = 3;
constexpr std::size_t kLogLevels = 4;

void put(Writer& out, const EngineOutputs& outputs) {
  out.flag(outputs.scores);
  out.flag(outputs.dnabert_s);
  out.flag(outputs.esm2);
}

EngineOutputs get_outputs(Reader& in) {
  EngineOutputs outputs;
  outputs.scores = in.flag();
  outputs.dnabert_s = in.flag();
  outputs.esm2 = in.flag();
  return outputs;
}

void put(Writer& out, const WorkerSetup& setup) {
  for (const std::string* text : {&setup.dnabert_s, &setup.esm2, &setup.classifier,
                                  &setup.models_dir, &setup.share_dir, &setup.pci, &setup.cupti}) {
    out.text(*text);
  }
  out.number(setup.threads);
  out.number(static_cast<std::uint8_t>(setup.precision));
  put(out, setup.outputs);
  out.flag(setup.on_gpu);
  out.number(setup.token_budget);
  out.flag(setup.trace);
}

void get(Reader& in, WorkerSetup& setup) {
  for (std::string* text : {&setup.dnabert_s, &setup.esm2, &setup.classifier, &setup.models_dir,
                            &setup.share_dir, &setup.pci, &setup.cupti}) {
    *text = in.text();
  }
  setup.threads = in.number<std::uint64_t>();
  setup.precision = in.choice<Precision>(kPrecisions);
  setup.outputs = get_outputs(in);
  setup.on_gpu = in.flag();
  setup.token_budget = in.number<std::uint64_t>();
  setup.trace = in.flag();
}

void put(Writer& out, const WorkerHello& hello) {
  out.text(hello.kernel_path);
  out.number(hello.dnabert_s_width);
  out.number(hello.esm2_width);
  out.number(hello.token_budget);
  out.number(hello.depth);
  out.number(static_cast<std::uint32_t>(hello.description.size()));
  for (const auto& [name, text] : hello.description) {
    out.text(name);
    out.text(text);
  }
  out.flag(hello.synthetic);
  out.text(hello.tokenizer);
  out.number(hello.dnabert_s_vocabulary);
}

void get(Reader& in, WorkerHello& hello) {
  hello.kernel_path = in.text();
  hello.dnabert_s_width = in.number<std::uint32_t>();
  hello.esm2_width = in.number<std::uint32_t>();
  hello.token_budget = in.number<std::uint64_t>();
  hello.depth = in.number<std::uint64_t>();
  const auto count = in.number<std::uint32_t>();
  if (count > kMostDescriptions) fail("it describes too much");
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string name = in.text();
    const bool is_new = hello.description.emplace(std::move(name), in.text()).second;
    if (!is_new) fail("it describes something twice");
  }
  hello.synthetic = in.flag();
  hello.tokenizer = in.text();
  hello.dnabert_s_vocabulary = in.number<std::uint32_t>();
}

void put(Writer& out, const BatchRequest& request) {
  out.number(request.id);
  out.array(request.frames.esm_offsets);
  out.array(request.frames.dna_offsets);
  out.array(request.frames.esm_tokens);
  out.array(request.frames.dna_tokens);
  out.number(request.batch);
  out.flag(request.traced);
}

void check_offsets(const std::vector<std::uint32_t>& offsets, std::size_t tokens) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != tokens) {
    fail("frames do not lie in their tokens");
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) fail("frames do not follow each other");
  }
}

void get(Reader& in, BatchRequest& request) {
  PackedFrames& frames = request.frames;
  request.id = in.number<std::uint64_t>();
  frames.esm_offsets = in.array<std::uint32_t>();
  frames.dna_offsets = in.array<std::uint32_t>();
  frames.esm_tokens = in.array<std::uint8_t>();
  frames.dna_tokens = in.array<std::uint16_t>();
  request.batch = in.number<std::uint64_t>();
  request.traced = in.flag();
  check_offsets(frames.esm_offsets, frames.esm_tokens.size());
  check_offsets(frames.dna_offsets, frames.dna_tokens.size());
  if (frames.esm_offsets.size() != frames.dna_offsets.size()) {
    fail("its models have different numbers of frames");
  }
}

// Times are shown and added up: one NaN or negative value would spoil all.
double get_seconds(Reader& in) {
  const auto seconds = in.number<double>();
  if (!std::isfinite(seconds) || seconds < 0) fail("a time is not one");
  return seconds;
}

void put(Writer& out, const WorkerResult& message) {
  const BatchResult& result = message.result;
  out.number(result.id);
  out.array(result.scores);
  out.array(result.dnabert_s);
  out.array(result.esm2);
  out.array(result.not_finite);
  for (const BatchTimeField& field : kBatchTimeFields) out.number(result.times.*field.seconds);
  out.number(message.token_budget);
}

void get(Reader& in, WorkerResult& message) {
  BatchResult& result = message.result;
  result.id = in.number<std::uint64_t>();
  result.scores = in.array<float>();
  result.dnabert_s = in.array<float>();
  result.esm2 = in.array<float>();
  result.not_finite = in.array<std::uint32_t>();
  for (const BatchTimeField& field : kBatchTimeFields) {
    result.times.*field.seconds = get_seconds(in);
  }
  message.token_budget = in.number<std::uint64_t>();
}

void put(Writer& out, const std::optional<std::uint64_t>& number) {
  out.flag(number.has_value());
  out.number(number.value_or(0));
}

std::optional<std::uint64_t> get_optional(Reader& in) {
  const bool is_there = in.flag();
  const auto value = in.number<std::uint64_t>();
  return is_there ? std::optional(value) : std::nullopt;
}

void put(Writer& out, const WorkerFailure& failure) {
  out.number(static_cast<std::uint8_t>(failure.kind));
  out.text(failure.place.file);
  put(out, failure.place.record);
  put(out, failure.place.offset);
  out.text(failure.place.tensor);
  out.text(std::string_view(failure.detail).substr(0, kMostText));
  put(out, failure.batch);
  out.number(failure.token_budget);
}

void get(Reader& in, WorkerFailure& failure) {
  failure.kind = in.choice<ErrorKind>(error_table().size());
  failure.place.file = in.text();
  failure.place.record = get_optional(in);
  failure.place.offset = get_optional(in);
  failure.place.tensor = in.text();
  failure.detail = in.text();
  failure.batch = get_optional(in);
  failure.token_budget = in.number<std::uint64_t>();
}

void put(Writer& out, const WorkerLogLine& line) {
  out.number(static_cast<std::uint8_t>(line.level));
  out.text(std::string_view(line.text).substr(0, kMostText));
}

void get(Reader& in, WorkerLogLine& line) {
  line.level = in.choice<LogLevel>(kLogLevels);
  line.text = in.text();
}

void put(Writer& out, const WorkerTrace& trace) {
  const TracePart& part = trace.part;
  out.number(static_cast<std::uint32_t>(part.names.size()));
  for (const TraceName& name : part.names) {
    out.text(name.text);
    out.number(static_cast<std::uint8_t>(name.kind));
  }
  out.number(static_cast<std::uint32_t>(part.tracks.size()));
  for (const std::string& track : part.tracks) out.text(track);
  out.array(part.events);
  out.number(part.dropped);
  out.number(part.recording_time);
  out.number(part.cupti_time);
  out.text(std::string_view(part.kernels).substr(0, kMostText));
}

std::uint32_t get_count(Reader& in, std::size_t most) {
  const auto count = in.number<std::uint32_t>();
  if (count > most) fail("a trace has too much of something");
  return count;
}

void check_event(const TraceEvent& event, const TracePart& part) {
  if (event.name >= part.names.size() || event.track >= part.tracks.size()) {
    fail("an event of a trace has no name or track");
  }
  if (event.end < event.begin) fail("an event of a trace ends before it begins");
}

void get(Reader& in, WorkerTrace& trace) {
  TracePart& part = trace.part;
  part.names.resize(get_count(in, kMostTraceNames));
  for (TraceName& name : part.names) {
    name.text = in.text();
    name.kind = in.choice<TraceKind>(kTraceKinds);
  }
  part.tracks.resize(get_count(in, kMostTraceTracks));
  for (std::string& track : part.tracks) track = in.text();
  part.events = in.array<TraceEvent>();
  if (part.events.size() > kMostTraceEvents) fail("a trace has too many events");
  for (const TraceEvent& event : part.events) check_event(event, part);
  part.dropped = in.number<std::uint64_t>();
  part.recording_time = in.number<std::uint64_t>();
  part.cupti_time = in.number<std::uint64_t>();
  part.kernels = in.text();
}

std::uint32_t checksum(std::string_view head, std::string_view payload) {
  return crc32c(as_bytes(payload), crc32c(as_bytes(head.substr(0, kCheckedHead))));
}

template <std::size_t... Types>
WorkerMessage decode(std::size_t type, std::string_view payload, std::index_sequence<Types...>) {
  WorkerMessage message;
  Reader in(payload);
  const auto read = [&]<std::size_t Type>() { get(in, message.emplace<Type>()); };
  static_cast<void>(((type == Types && (read.template operator()<Types>(), true)) || ...));
  in.end();
  return message;
}

// The fields of a frame's head.
struct Head {
  std::size_t type = 0;
  std::uint32_t length = 0;
  std::uint32_t checksum = 0;
};

Head read_head(std::string_view bytes) {
  Reader in(bytes.substr(0, kWireHead));
  if (in.number<std::uint32_t>() != kMagic) fail("it does not begin as one");
  const auto version = in.number<std::uint16_t>();
  if (version != kVersion) fail(fmt::format("it is of version {}, not {}", version, kVersion));
  Head head;
  head.type = in.number<std::uint16_t>();
  head.length = in.number<std::uint32_t>();
  head.checksum = in.number<std::uint32_t>();
  if (head.type >= std::variant_size_v<WorkerMessage>) fail("there is no such type");
  if (head.length > kMostPayload) fail("it is too long");
  return head;
}

}  // namespace

std::string encode_message(const WorkerMessage& message) {
  Writer out;
  out.number(kMagic);
  out.number(kVersion);
  out.number(static_cast<std::uint16_t>(message.index()));
  out.number<std::uint64_t>(0);  // length and checksum, set later
  std::visit([&out](const auto& part) { put(out, part); }, message);
  if (out.bytes().size() - kWireHead > kMostPayload) fail("it would be too long");
  return sealed_frame(std::move(out.bytes()));
}

std::string sealed_frame(std::string frame) {
  if (frame.size() < kWireHead) return frame;
  const auto length = static_cast<std::uint32_t>(frame.size() - kWireHead);
  std::memcpy(frame.data() + kCheckedHead - sizeof length, &length, sizeof length);
  const std::uint32_t crc = checksum(frame, std::string_view(frame).substr(kWireHead));
  std::memcpy(frame.data() + kCheckedHead, &crc, sizeof crc);
  return frame;
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
  const Head head = read_head(rest);
  if (rest.size() - kWireHead < head.length) return std::nullopt;
  const std::string_view payload = rest.substr(kWireHead, head.length);
  if (checksum(rest, payload) != head.checksum) fail("its checksum does not fit");
  WorkerMessage message =
      decode(head.type, payload, std::make_index_sequence<std::variant_size_v<WorkerMessage>>());
  taken_ += kWireHead + head.length;
  return message;
}

}  // namespace virnucpro
