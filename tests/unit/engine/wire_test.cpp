#include "engine/wire.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "unit/engine/worker_samples.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ErrorKind kind_of_reading(const std::string& bytes) {
  return thrown_kind([&] {
    WireReader reader(no_limits());
    reader.add(bytes);
    while (reader.next_message()) {
    }
  });
}

TEST(Wire, KeepsWhatMessagesSay) {
  WireReader reader(no_limits());
  for (const WorkerMessage& message : sample_messages()) reader.add(encode_message(message));
  while (const std::optional<WorkerMessage> message = reader.next_message()) {
    if (const auto* failure = std::get_if<WorkerFailure>(&*message)) {
      EXPECT_EQ(failure->kind, ErrorKind::kWeightsTensor);
      EXPECT_EQ(failure->place.file, "a.pth");
      EXPECT_EQ(failure->place.record, std::nullopt);
      EXPECT_EQ(failure->place.offset, 9U);
      EXPECT_EQ(failure->remedy, "Get it.");
      EXPECT_EQ(failure->batch, 4U);
    }
    if (const auto* answer = std::get_if<WorkerResult>(&*message)) {
      EXPECT_EQ(answer->result.scores[0], 0.25F);
      EXPECT_TRUE(answer->result.esm2[0] != answer->result.esm2[0]) << "NaN stays NaN";
      EXPECT_EQ(answer->result.not_finite, (std::vector<std::uint32_t>{1}));
      ASSERT_TRUE(answer->result.memory);
      EXPECT_EQ(answer->result.memory->device_total, 12000U);
      EXPECT_EQ(answer->result.memory->peak, 4000U);
    }
    if (const auto* request = std::get_if<BatchRequest>(&*message)) {
      EXPECT_TRUE(request->traced);
      EXPECT_EQ(request->model, kCheckModel);
    }
    if (const auto* setup = std::get_if<WorkerSetup>(&*message)) {
      EXPECT_EQ(setup->engine.precisions, (std::vector{Precision::kInt8, Precision::kFp16}));
      EXPECT_EQ(setup->engine.int8_policy.text(), "3-5.qkv,fc2");
      EXPECT_EQ(setup->engine.gpu, 0);
      EXPECT_EQ(setup->models.lookup.share_dir, "/share");
    }
    if (const auto* hello = std::get_if<WorkerHello>(&*message)) {
      EXPECT_EQ(hello->facts.plan.tokens, 4096U);
      EXPECT_EQ(hello->facts.plan.total, 12000U);
      EXPECT_EQ(hello->facts.esm2_layers, 36U);
      EXPECT_TRUE(hello->facts.memory);
    }
  }
}

TEST(Wire, RefusesAPolicyOfOtherLinears) {
  std::string frame = encode_message(sample_messages().front());
  const std::size_t place = frame.find("3-5.qkv,fc2");
  ASSERT_NE(place, std::string::npos);
  frame[place + 10] = '3';
  EXPECT_EQ(kind_of_reading(sealed_frame(frame)), ErrorKind::kInternal);
}

TEST(Wire, SaysNothingOfMemoryThatIsNotKnown) {
  WorkerResult answer = sample_result();
  const std::size_t bytes = encode_message(answer).size();
  answer.result.memory.reset();
  const std::string frame = encode_message(answer);
  EXPECT_EQ(frame.size(), bytes - 5 * sizeof(std::uint64_t));
  WireReader reader(no_limits());
  reader.add(frame);
  const std::optional<WorkerMessage> back = reader.next_message();
  ASSERT_TRUE(back);
  EXPECT_FALSE(std::get<WorkerResult>(*back).result.memory);
  EXPECT_EQ(std::get<WorkerResult>(*back).token_budget, answer.token_budget);
}

TEST(Wire, TakesMessagesApartHoweverTheyCome) {
  std::string stream;
  for (const WorkerMessage& message : sample_messages()) stream += encode_message(message);
  WireReader reader(no_limits());
  std::string again;
  for (const char byte : stream) {
    reader.add({&byte, 1});
    while (const auto message = reader.next_message()) again += encode_message(*message);
  }
  EXPECT_EQ(again, stream);
  EXPECT_TRUE(reader.at_end());
}

TEST(Wire, NoticesEveryChangedByte) {
  for (const WorkerMessage& message : sample_messages()) {
    const std::string frame = encode_message(message);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      std::string changed = frame;
      changed[i] = static_cast<char>(changed[i] ^ 0x40);
      EXPECT_EQ(kind_of_reading(changed), ErrorKind::kInternal) << i;
    }
  }
}

TEST(Wire, RefusesEveryTruncationThatClaimsToBeWhole) {
  for (const WorkerMessage& message : sample_messages()) {
    const std::string frame = encode_message(message);
    for (std::size_t size = kWireHead; size < frame.size(); ++size) {
      EXPECT_EQ(kind_of_reading(sealed_frame(frame.substr(0, size))), ErrorKind::kInternal);
    }
    EXPECT_EQ(kind_of_reading(sealed_frame(frame + '\0')), ErrorKind::kInternal);
  }
}

// Whether a sample is refused after a change of one of its members.
template <typename Message, typename Change>
bool is_refused(Message message, const Change& change) {
  change(message);
  return kind_of_reading(encode_message(message)) == ErrorKind::kInternal;
}

TEST(Wire, RefusesAModelThatNoEngineHas) {
  EXPECT_TRUE(is_refused(sample_request(), [](BatchRequest& request) { request.model = 2; }));
}

TEST(Wire, RefusesFramesThatDoNotLieInTheirTokens) {
  const auto refused = [](auto change) {
    return is_refused(sample_request(), [&](BatchRequest& request) { change(request.frames); });
  };
  EXPECT_TRUE(refused([](PackedFrames& frames) { frames.esm_offsets.front() = 1; }));
  EXPECT_TRUE(refused([](PackedFrames& frames) { frames.esm_offsets[1] = 99; }));
  EXPECT_TRUE(refused([](PackedFrames& frames) { frames.dna_offsets.back() += 1; }));
  EXPECT_TRUE(refused([](PackedFrames& frames) { frames.dna_offsets = {}; }));
  EXPECT_TRUE(refused([](PackedFrames& frames) {
    frames.dna_offsets.insert(frames.dna_offsets.begin() + 1, frames.dna_offsets[1]);
  }));
}

TEST(Wire, RefusesTimesThatAreNone) {
  for (const double seconds :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(is_refused(
        WorkerResult(), [seconds](WorkerResult& answer) { answer.result.times.esm2 = seconds; }));
  }
}

TEST(Wire, RefusesMemoryThatCannotBe) {
  const auto refused = [](auto change) {
    return is_refused(sample_result(),
                      [&](WorkerResult& answer) { change(*answer.result.memory); });
  };
  EXPECT_TRUE(refused([](WorkerMemory& memory) { memory.device_used = 12001; }));
  EXPECT_TRUE(refused([](WorkerMemory& memory) { memory.used = 5001; }));
  EXPECT_TRUE(refused([](WorkerMemory& memory) { memory.peak = 2999; }));
  EXPECT_TRUE(refused([](WorkerMemory& memory) { memory.device_total = ~std::uint64_t{0}; }));
  EXPECT_TRUE(is_refused(WorkerHello(),
                         [](WorkerHello& hello) { hello.facts.plan.free = ~std::uint64_t{0}; }));
}

TEST(Wire, KeepsATrace) {
  WireReader reader(no_limits());
  reader.add(encode_message(sample_trace()));
  const TracePart part = std::get<WorkerTrace>(*reader.next_message()).part;
  ASSERT_EQ(part.events.size(), 2U);
  EXPECT_EQ(part.events[1].begin, 20U);
  EXPECT_EQ(part.events[1].end, 40U);
  EXPECT_EQ(part.events[1].batch, 4U);
  EXPECT_EQ(part.names[part.events[1].name].text, "gemm");
  EXPECT_EQ(part.names[part.events[1].name].kind, TraceKind::kKernel);
  EXPECT_EQ(part.tracks[part.events[1].track], "GPU, stream 7");
  EXPECT_EQ(part.cupti_time, 200U);
}

TEST(Wire, RefusesATraceThatDoesNotFitTogether) {
  const auto refused = [](auto change) {
    return is_refused(sample_trace(), [&](WorkerTrace& trace) { change(trace.part); });
  };
  EXPECT_TRUE(refused([](TracePart& part) { part.events[0].name = 2; }));
  EXPECT_TRUE(refused([](TracePart& part) { part.events[0].track = 2; }));
  EXPECT_TRUE(refused([](TracePart& part) { part.events[0].end = 9; }));
  EXPECT_TRUE(refused([](TracePart& part) { part.events.resize(kMostTraceEvents + 1); }));
  EXPECT_TRUE(refused([](TracePart& part) { part.names.resize(kMostTraceNames + 1); }));
  EXPECT_TRUE(refused([](TracePart& part) { part.names[0].text.resize(kLongestTraceText + 1); }));
  EXPECT_TRUE(refused([](TracePart& part) { part.tracks[0].resize(kLongestTraceText + 1); }));
  EXPECT_TRUE(refused([](TracePart& part) { part.tracks.resize(kMostTraceTracks + 1); }));
}

// The frame of a message whose head, with its own right checksum, names another length.
std::string with_length(const WorkerMessage& message, std::uint32_t length) {
  std::string frame = encode_message(message);
  frame.replace(8, sizeof length, bytes_of(length));
  return sealed_head(std::move(frame));
}

template <typename Message>
WireLimits only(std::uint64_t bytes) {
  WireLimits limits;
  limits.allow<Message>(bytes);
  return limits;
}

std::string why_refused(const std::string& bytes, const WireLimits& limits) {
  WireReader reader(limits);
  return reason_of(ErrorKind::kInternal, [&] {
    reader.add(bytes);
    reader.next_message();
  });
}

TEST(Wire, RefusesALengthBeforeThePayloadComes) {
  const std::string longer = with_length(WorkerLogLine{}, kMostLogLine + 1);
  const std::string head = longer.substr(0, kWireHead);
  EXPECT_THAT(why_refused(head, only<WorkerLogLine>(kMostLogLine)), HasSubstr("for this type"));
  EXPECT_EQ(why_refused(head, only<WorkerLogLine>(kMostLogLine + 1)), "");
}

TEST(Wire, RefusesATypeThatNobodyAskedFor) {
  const std::string head = encode_message(WorkerLogLine{}).substr(0, kWireHead);
  EXPECT_THAT(why_refused(head, only<WorkerResult>(kMostPayload)), HasSubstr("is not expected"));
}

TEST(Wire, RefusesAHeadWhoseOwnChecksumIsWrong) {
  std::string head = encode_message(WorkerLogLine{}).substr(0, kWireHead);
  for (std::size_t i = 0; i < kWireHead; ++i) {
    std::string changed = head;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(why_refused(changed, no_limits()), "") << i;
  }
}

TEST(Wire, ShortensLongTextsToWhatAReaderTakes) {
  const std::string text(1U << 20U, 'x');
  const auto taken = [](const WorkerMessage& message, const WireLimits& limits) {
    WireReader reader(limits);
    reader.add(encode_message(message));
    return reader.next_message().value();
  };
  const auto line = taken(WorkerLogLine{.text = text}, only<WorkerLogLine>(kMostLogLine));
  EXPECT_THAT(text, StartsWith(std::get<WorkerLogLine>(line).text));
  const WorkerFailure long_one{
      .place = {.file = text, .tensor = text}, .detail = text, .remedy = text};
  const auto failure = taken(long_one, only<WorkerFailure>(kMostFailure));
  EXPECT_THAT(text, StartsWith(std::get<WorkerFailure>(failure).detail));
  EXPECT_EQ(std::get<WorkerFailure>(failure).remedy, std::get<WorkerFailure>(failure).detail);
  WorkerTrace trace = sample_trace();
  trace.part.kernels = text;
  EXPECT_NO_THROW(taken(trace, only<WorkerTrace>(kMostTrace)));
}

TEST(Wire, TakesATraceOfTheMostOfEverything) {
  WorkerTrace trace;
  const std::string text(kLongestTraceText, 'x');
  trace.part.names.assign(kMostTraceNames, {text, TraceKind::kHost});
  trace.part.tracks.assign(kMostTraceTracks, text);
  trace.part.events.resize(kMostTraceEvents);
  EXPECT_EQ(why_refused(encode_message(trace), only<WorkerTrace>(kMostTrace)), "");
}

}  // namespace
}  // namespace virnucpro
