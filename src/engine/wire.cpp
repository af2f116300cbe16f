#include "engine/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"

namespace virnucpro {
namespace {

constexpr std::uint32_t kMagic = 0x57504e56;  // "VNPW"
constexpr std::uint16_t kVersion = 10;
constexpr std::size_t kCheckedHead = kWireHead - sizeof(std::uint32_t);  // bytes before the CRC
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

// --- what a value must satisfy -------------------------------------------------------------------

// Returns how many values an enum has.
std::size_t values_of(Precision /*any*/) {
  return kPrecisionTable.size();
}
std::size_t values_of(ErrorKind /*any*/) {
  return error_table().size();
}
std::size_t values_of(LogLevel /*any*/) {
  return 3;
}
std::size_t values_of(TraceKind /*any*/) {
  return kTraceKinds;
}

template <typename T>
void check(const T& /*any value is possible*/) {}

void check(const EngineSettings& settings) {
  if (settings.precisions.empty()) fail("the engine's settings have no precision");
}

// Refuses impossible sizes of memory, because their sums could overflow.
void check_bytes(std::initializer_list<std::uint64_t> sizes) {
  if (std::max(sizes) > kMostMemory) fail("a size of memory is larger than 2^50 bytes");
}

void check(const WorkerMemory& memory) {
  check_bytes({memory.device_total, memory.reserved, memory.peak});
  if (memory.device_used > memory.device_total || memory.used > memory.reserved ||
      memory.used > memory.peak) {
    fail("the used memory is larger than the total, reserved or peak memory");
  }
}

void check(const BudgetPlan& plan) {
  check_bytes({plan.weights, plan.batches, plan.free, plan.total});
}

// Refuses NaN and negative times, because they would spoil all sums.
void check(const BatchTimes& times) {
  for (const BatchTimeField& field : kBatchTimeFields) {
    const double seconds = times.*field.seconds;
    if (!std::isfinite(seconds) || seconds < 0) fail("a time is negative or not finite");
  }
}

void check_offsets(const std::vector<std::uint32_t>& offsets, std::size_t tokens) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != tokens) {
    fail("the offsets of frames do not cover the tokens");
  }
  if (!std::ranges::is_sorted(offsets)) fail("the offsets of frames do not rise");
}

void check(const PackedFrames& frames) {
  check_offsets(frames.esm_offsets, frames.esm_tokens.size());
  check_offsets(frames.dna_offsets, frames.dna_tokens.size());
  if (frames.esm_offsets.size() != frames.dna_offsets.size()) {
    fail("ESM-2 and DNABERT-S have different numbers of frames");
  }
}

void check(const BatchRequest& request) {
  if (request.model >= kMostModels) fail("a request names a model that no engine has");
}

void check_trace_text(const std::string& text) {
  if (text.size() > kLongestTraceText) fail("a name of a trace is too long");
}

void check(const TracePart& part) {
  for (const TraceName& name : part.names) check_trace_text(name.text);
  for (const std::string& track : part.tracks) check_trace_text(track);
  if (part.events.size() > kMostTraceEvents) fail("a trace has too many events");
  for (const TraceEvent& event : part.events) {
    if (event.name >= part.names.size() || event.track >= part.tracks.size()) {
      fail("an event of a trace has an unknown name or track");
    }
    if (event.end < event.begin) fail("an event of a trace ends before it begins");
  }
}

// --- fields --------------------------------------------------------------------------------------

template <typename T>
concept Enum = std::is_enum_v<T>;

// Writes values to a payload. fields() names the parts of a struct.
class FieldWriter {
 public:
  template <typename T>
  using Of = const T;

  explicit FieldWriter(ByteWriter& out) : out_(out) {}

  template <typename... Values>
  void operator()(const Values&... values) {
    (one(values), ...);
  }
  template <typename T>
  void list(const std::vector<T>& items, std::size_t /*most*/) {
    one(static_cast<std::uint32_t>(items.size()));
    for (const T& item : items) one(item);
  }
  // Writes a text of an error or log line, cut to at most kMostText bytes.
  void cut(std::string_view text) { put_text(text.substr(0, kMostText)); }

 private:
  template <typename T>
  void one(const T& value) {
    fields(*this, value);
  }
  template <Number T>
  void one(const T& value) {
    out_.number(value);
  }
  template <Enum T>
  void one(const T& value) {
    out_.number(static_cast<std::uint8_t>(value));
  }
  void one(const bool& value) { out_.number(static_cast<std::uint8_t>(value ? 1 : 0)); }
  void one(const std::string& text) { put_text(text); }
  void one(const std::filesystem::path& path) { put_text(path.native()); }
  void one(const Int8Policy& policy) { put_text(policy.text()); }
  template <typename T>
  void one(const std::optional<T>& value) {
    one(value.has_value());
    if (value) one(*value);
  }
  template <PlainValue T>
  void one(const std::vector<T>& values) {
    out_.number(std::uint64_t{values.size()}).raw(as_text(std::as_bytes(std::span(values))));
  }
  void one(const std::map<std::string, std::string>& texts) {
    one(static_cast<std::uint32_t>(texts.size()));
    for (const auto& [name, text] : texts) (*this)(name, text);
  }
  void put_text(std::string_view text) {
    out_.number(static_cast<std::uint32_t>(text.size())).raw(text);
  }

  ByteWriter& out_;
};

// Reads what a FieldWriter wrote, and checks every value.
class FieldReader {
 public:
  template <typename T>
  using Of = T;

  explicit FieldReader(ByteReader& in) : in_(in) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }
  template <typename T>
  void list(std::vector<T>& items, std::size_t most) {
    const auto count = in_.number<std::uint32_t>();
    if (count > most) fail("a list is too long");
    items.resize(count);
    for (T& item : items) one(item);
  }
  void cut(std::string& text) { one(text); }

 private:
  template <typename T>
  void one(T& value) {
    fields(*this, value);
    check(value);
  }
  template <Number T>
  void one(T& value) {
    value = in_.number<T>();
  }
  template <Enum T>
  void one(T& value) {
    const auto number = in_.number<std::uint8_t>();
    if (number >= values_of(value)) fail("a value of an enum is unknown");
    value = static_cast<T>(number);
  }
  void one(bool& value) {
    const auto number = in_.number<std::uint8_t>();
    if (number > 1) fail("a flag is neither 0 nor 1");
    value = number == 1;
  }
  void one(std::string& text) {
    const auto size = in_.number<std::uint32_t>();
    if (size > kMostText)
      fail(fmt::format("a text has {} bytes; the limit is {}", size, kMostText));
    text = in_.text(size);
  }
  void one(std::filesystem::path& path) {
    std::string text;
    one(text);
    path = std::move(text);
  }
  void one(Int8Policy& policy) {
    std::string text;
    one(text);
    const std::optional<Int8Policy> read = Int8Policy::parse(text);
    if (!read) fail("the int8 policy cannot be read");
    policy = *read;
  }
  template <typename T>
  void one(std::optional<T>& value) {
    bool has_value = false;
    one(has_value);
    if (has_value) one(value.emplace());
  }
  template <PlainValue T>
  void one(std::vector<T>& values) {
    const auto count = in_.number<std::uint64_t>();
    // Compares counts, because count · sizeof(T) could overflow.
    if (count > in_.left() / sizeof(T)) fail("an array is cut off");
    const auto bytes = in_.read(count * sizeof(T));
    values.resize(count);
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  void one(std::map<std::string, std::string>& texts) {
    const auto count = in_.number<std::uint32_t>();
    if (count > kMostDescriptions) fail("the models have too many descriptions");
    for (std::uint32_t i = 0; i < count; ++i) {
      std::string name;
      std::string text;
      (*this)(name, text);
      const bool is_new = texts.emplace(std::move(name), std::move(text)).second;
      if (!is_new) fail("two descriptions of the models have the same name");
    }
  }

  ByteReader& in_;
};

// --- messages ------------------------------------------------------------------------------------
// The fields of each struct, in the order in which they are sent. `io` reads or writes them.

template <typename Io, typename T>
using Of = typename Io::template Of<T>;

template <typename Io>
void fields(Io& io, Of<Io, ModelSettings>& models) {
  io(models.dnabert_s, models.esm2, models.classifier, models.lookup.models_dir,
     models.lookup.share_dir);
}

template <typename Io>
void fields(Io& io, Of<Io, EngineOutputs>& outputs) {
  io(outputs.scores, outputs.dnabert_s, outputs.esm2);
}

template <typename Io>
void fields(Io& io, Of<Io, EngineSettings>& settings) {
  io(settings.threads, settings.int8_policy, settings.outputs, settings.gpu,
     settings.generic_kernels, settings.token_budget);
  io.list(settings.precisions, kMostModels);
}

template <typename Io>
void fields(Io& io, Of<Io, WorkerSetup>& setup) {
  io(setup.models, setup.engine, setup.pci, setup.trace, setup.cupti);
}

template <typename Io>
void fields(Io& io, Of<Io, WorkerMemory>& memory) {
  io(memory.device_used, memory.device_total, memory.reserved, memory.used, memory.peak);
}

template <typename Io>
void fields(Io& io, Of<Io, BudgetPlan>& plan) {
  io(plan.tokens, plan.wanted, plan.is_auto, plan.threads, plan.weights, plan.batches, plan.free,
     plan.total);
}

template <typename Io>
void fields(Io& io, Of<Io, EngineFacts>& facts) {
  io(facts.kernel_path, facts.dnabert_s_width, facts.esm2_width, facts.depth, facts.plan,
     facts.memory, facts.esm2_layers);
}

template <typename Io>
void fields(Io& io, Of<Io, WorkerHello>& hello) {
  io(hello.facts, hello.description, hello.synthetic, hello.tokenizer, hello.dnabert_s_vocabulary);
}

template <typename Io>
void fields(Io& io, Of<Io, PackedFrames>& frames) {
  io(frames.esm_offsets, frames.dna_offsets, frames.esm_tokens, frames.dna_tokens);
}

template <typename Io>
void fields(Io& io, Of<Io, BatchRequest>& request) {
  io(request.id, request.frames, request.batch, request.traced, request.model);
}

template <typename Io>
void fields(Io& io, Of<Io, BatchTimes>& times) {
  for (const BatchTimeField& field : kBatchTimeFields) io(times.*field.seconds);
}

template <typename Io>
void fields(Io& io, Of<Io, BatchResult>& result) {
  io(result.id, result.scores, result.dnabert_s, result.esm2, result.not_finite, result.times,
     result.memory);
}

template <typename Io>
void fields(Io& io, Of<Io, WorkerResult>& message) {
  io(message.result, message.token_budget);
}

template <typename Io>
void fields(Io& io, Of<Io, WorkerFailure>& failure) {
  io(failure.kind, failure.place.record, failure.place.offset, failure.batch, failure.token_budget);
  io.cut(failure.place.file);
  io.cut(failure.place.tensor);
  io.cut(failure.detail);
  io.cut(failure.remedy);
}

template <typename Io>
void fields(Io& io, Of<Io, WorkerLogLine>& line) {
  io(line.level);
  io.cut(line.text);
}

template <typename Io>
void fields(Io& io, Of<Io, TraceName>& name) {
  io(name.text, name.kind);
}

template <typename Io>
void fields(Io& io, Of<Io, TracePart>& part) {
  io.list(part.names, kMostTraceNames);
  io.list(part.tracks, kMostTraceTracks);
  io(part.events, part.dropped, part.recording_time, part.cupti_time);
  io.cut(part.kernels);
}

template <typename Io>
void fields(Io& io, Of<Io, WorkerTrace>& trace) {
  io(trace.part);
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
  FieldReader io(in);
  const auto read = [&]<std::size_t Type>() { io(message.emplace<Type>()); };
  static_cast<void>(((type == Types && (read.template operator()<Types>(), true)) || ...));
  if (in.left() != 0) fail("bytes follow the message's last field");
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
  if (in.number<std::uint32_t>() != kMagic) fail("the first bytes are not those of such a message");
  const auto version = in.number<std::uint16_t>();
  if (version != kVersion)
    fail(fmt::format("the message has version {}; this program has version {}", version, kVersion));
  Head head;
  head.type = in.number<std::uint16_t>();
  head.length = in.number<std::uint32_t>();
  head.checksum = in.number<std::uint32_t>();
  if (in.number<std::uint32_t>() != crc32c(as_bytes(bytes.substr(0, kCheckedHead)))) {
    fail("the checksum of the message's head is wrong");
  }
  if (head.type >= std::variant_size_v<WorkerMessage>) fail("the message's type is unknown");
  const std::uint64_t most = limits.most(head.type);
  if (most == 0) fail("a message of this type is not expected now");
  if (head.length > most) {
    fail(fmt::format("the message has {} bytes; the limit for this type is {}", head.length, most));
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
  std::visit(FieldWriter(out), message);
  if (out.bytes().size() - kWireHead > kMostPayload) fail("the message would be longer than 2 GiB");
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
  if (crc32c(as_bytes(payload)) != head.checksum) fail("the message's checksum is wrong");
  WorkerMessage message =
      decode(head.type, payload, std::make_index_sequence<std::variant_size_v<WorkerMessage>>());
  message_bytes_ = kWireHead + head.length;
  taken_ += message_bytes_;
  return message;
}

}  // namespace virnucpro
