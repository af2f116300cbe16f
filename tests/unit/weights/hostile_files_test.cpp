// Files that are cut, damaged or lie: each is refused with a typed error, and their false sizes
// allocate nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "unit/length.hpp"
#include "unit/memory_file.hpp"
#include "unit/weights/weight_builder.hpp"
#include "weights/load.hpp"
#include "weights/safetensors.hpp"
#include "weights/tensor_archive.hpp"
#include "weights/zip_file.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

TensorArchive parse(const std::string& bytes) {
  const MemoryFile memory(bytes);
  return parse_archive(SteadyFile(memory.path(), kWeightsErrors));
}

Safetensors parse_as_safetensors(const std::string& bytes) {
  const MemoryFile memory(bytes);
  return parse_safetensors(SteadyFile(memory.path(), kWeightsErrors));
}

struct HostileWeights : testing::Test {
  ErrorKind parse_error(const std::string& bytes) {
    return error_of([&] { parse(bytes); }, &message);
  }
  ErrorKind header_error(std::string_view header, std::string_view data = "") {
    return parse_error(safetensors_of(header, data));
  }
  // Loads a classifier from these bytes and reads all of it.
  ErrorKind load_error(const std::string& bytes, std::uint32_t inputs = 3) {
    const ScratchDir scratch;
    const auto path = scratch.write("classifier", bytes);
    return error_of([&] { load_classifier(path, inputs, {}).tensors->hash(); }, &message);
  }

  std::string message;  // of the last error
};
using HostileSafetensors = HostileWeights;
using HostileZip = HostileWeights;
using HostileFiles = HostileWeights;
using HostileTensors = HostileWeights;

TEST_F(HostileSafetensors, EveryTruncationIsRefused) {
  const std::string whole = build_safetensors(small_classifier());
  ASSERT_NO_THROW(parse_as_safetensors(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    const ErrorKind kind = parse_error(whole.substr(0, size));
    EXPECT_TRUE(kind == ErrorKind::kWeightsTruncated || kind == kBadFormat);
    if (size > whole.size() - 100) {
      EXPECT_EQ(kind, ErrorKind::kWeightsTruncated);
    }
  }
}

TEST_F(HostileSafetensors, HeadersThatLieAreRefused) {
  EXPECT_EQ(parse_error(le_bytes(~0ULL, 8) + "{}"), kBadFormat);
  EXPECT_EQ(parse_error(le_bytes(1000, 8) + "{}"), ErrorKind::kWeightsTruncated);
  EXPECT_EQ(header_error("{\"a\":"), ErrorKind::kJson);
  EXPECT_EQ(header_error(R"({"a":[1]})"), kBadFormat);
  EXPECT_EQ(header_error(R"({"a":{}})"), kBadFormat);
  for (const std::string members :
       {R"("dtype":"F32","shape":[1])", R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])",
        R"("dtype":"F8","shape":[4],"data_offsets":[0,4])",
        R"("dtype":"F32","shape":[2],"data_offsets":[0,4])",
        R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"}) {
    EXPECT_EQ(header_error("{\"a\":{" + members + "}}", "1234"), kBadFormat) << members;
  }
  EXPECT_EQ(
      header_error(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
      kBadFormat);
  EXPECT_EQ(header_error(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                         R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                         "12345678"),
            ErrorKind::kJson);
}

TEST_F(HostileSafetensors, HolesOverlapsAndTailsAreRefused) {
  const auto two = [](int begin) {
    return fmt::format(R"({{"a":{{"dtype":"U8","shape":[4],"data_offsets":[0,4]}},)"
                       R"("b":{{"dtype":"U8","shape":[4],"data_offsets":[{},{}]}}}})",
                       begin, begin + 4);
  };
  EXPECT_NO_THROW(parse_as_safetensors(safetensors_of(two(4), "12345678")));
  EXPECT_EQ(header_error(two(3), "1234567"), kBadFormat);
  EXPECT_EQ(header_error(two(5), "123456789"), kBadFormat);
  EXPECT_EQ(header_error(two(4), "123456789"), kBadFormat);
}

TEST_F(HostileSafetensors, OfTheFreeTextOnlyTheOriginIsTaken) {
  const auto origin = [](std::string_view metadata) {
    const std::string header = fmt::format(R"({{"__metadata__":{}}})", metadata);
    return parse_as_safetensors(safetensors_of(header, "")).origin;
  };
  EXPECT_EQ(origin(R"({"format":"pt","origin":"synthetic:x:1"})"), "synthetic:x:1");
  EXPECT_EQ(origin(R"({"format":"pt"})"), "");
  EXPECT_EQ(origin(R"({"origin":3})"), "");
  EXPECT_EQ(origin(R"({"a":{"origin":"synthetic"}})"), "");
  EXPECT_EQ(origin(R"(["origin","synthetic"])"), "");
  EXPECT_EQ(origin(R"("synthetic")"), "");
}

TEST_F(HostileZip, EveryTruncationIsRefused) {
  const std::string whole = read_text(weight_data() / "classifier/module.pth");
  ASSERT_NO_THROW(parse(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_EQ(parse_error(whole.substr(0, size)), ErrorKind::kWeightsTruncated);
  }
}

// Any changed byte is found, or is one that is not used.
TEST_F(HostileZip, NoFlippedByteChangesTheWeightsSilently) {
  const std::string whole = read_text(weight_data() / "classifier/module.pth");
  const ScratchDir scratch;
  const auto path = scratch.write("module.pth", whole);
  const std::string hash = load_classifier(path, 20, {}).tensors->hash();
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const std::size_t step = test_length() == TestLength::kCheck ? 5 : 1;
  for (std::size_t place = 0; place < whole.size(); place += step) {
    SCOPED_TRACE(place);
    file.seekp(static_cast<std::streamoff>(place));
    file.put(static_cast<char>(whole[place] ^ 0x41)).flush();
    try {
      EXPECT_EQ(load_classifier(path, 20, {}).tensors->hash(), hash);
    } catch (const Error& error) {
      EXPECT_EQ(error.info().exit_code, 1);
      EXPECT_NE(error.kind(), ErrorKind::kInternal);
    }
    file.seekp(static_cast<std::streamoff>(place));
    file.put(whole[place]).flush();
  }
}

TEST_F(HostileZip, WrongChecksumNamesTheTensor) {
  std::string bytes = read_text(weight_data() / "classifier/module.pth");
  const MemoryFile memory(bytes);
  for (const ZipEntry& entry : read_zip(SteadyFile(memory.path()))) {
    if (!entry.name.ends_with("/data/0")) continue;
    bytes[entry.record.extent.offset + 9] ^= 1;
    EXPECT_EQ(load_error(bytes, 20), ErrorKind::kWeightsCorrupt);
    EXPECT_THAT(message, HasSubstr("hidden_layer.weight"));
    return;
  }
  FAIL() << "no storage 0";
}

std::string pickled_text(const std::string& value) {
  return fmt::format("X{}{}", le_bytes(value.size(), 4), value);
}

// A torch file of float tensors that all use one storage with one element.
std::string torch_file_of_one_number(const std::vector<std::pair<std::string, Shape>>& tensors) {
  const auto text = pickled_text;
  const auto tuple = [](const Shape& numbers) {
    std::string items = "(";
    for (const std::uint64_t number : numbers) items += fmt::format("J{}", le_bytes(number, 4));
    return items + "t";
  };
  std::string pickle = "\x80\x02}(";
  for (const auto& [name, shape] : tensors) {
    pickle += text(name) + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") +
              "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\x01tQJ" + le_bytes(0, 4) +
              tuple(shape) + tuple(Shape(shape.size(), 0)) + "\x89}tR";
  }
  return build_zip({{"a/data.pkl", pickle + "u."}, {"a/data/0", le_bytes(0x3f800000, 4)}});
}

std::vector<std::pair<std::string, Shape>> classifier_shapes(std::uint64_t hidden) {
  return {{"hidden_layer.weight", {hidden, 3}},
          {"hidden_layer.bias", {hidden}},
          {"bn1.weight", {hidden}},
          {"bn1.bias", {hidden}},
          {"bn1.running_mean", {hidden}},
          {"bn1.running_var", {hidden}},
          {"output_layer.weight", {2, hidden}},
          {"output_layer.bias", {2}}};
}

TEST_F(HostileZip, TensorsLargerThanTheFileAreRefused) {
  const ScratchDir scratch;
  const auto small = scratch.write("small", torch_file_of_one_number(classifier_shapes(8)));
  EXPECT_NO_THROW(load_classifier(small, 3, {}).tensors->hash());
  EXPECT_EQ(load_error(torch_file_of_one_number(classifier_shapes(1U << 20U))), kBadFormat);
  EXPECT_THAT(message, HasSubstr("hidden_layer.weight"));
  EXPECT_THAT(message, HasSubstr("need more bytes than the files have"));
}

TEST_F(HostileZip, LongNamesAreRefused) {
  const std::string name(1024, 'n');
  EXPECT_NO_THROW(parse(torch_file_of_one_number({{name, {1}}})));
  EXPECT_EQ(parse_error(torch_file_of_one_number({{name + "n", {1}}})), kBadFormat);
  EXPECT_THAT(message, HasSubstr("too long"));
}

std::string pickled_module(const std::string& state) {
  return fmt::format("c__main__\nMLPClassifier\n)\x81{}b", state);
}

// A torch file with `levels` levels of modules; each level has the next one twice. The innermost
// has `count` fields that share one value.
std::string torch_file_of_modules(std::size_t levels, std::size_t count, const std::string& value) {
  std::string fields;
  for (std::size_t i = 0; i < count; ++i) {
    fields += pickled_text(fmt::format("{:04x}", i)) + "h\x01";
  }
  std::string module = pickled_module(fmt::format("}}({}u", fields));
  for (std::size_t level = 0; level < levels; ++level) {
    module = pickled_module(fmt::format("}}{}}}({}{}q\x02{}h\x02us", pickled_text("_modules"),
                                        pickled_text("a"), module, pickled_text("b")));
  }
  return build_zip({{"a/data.pkl", fmt::format("\x80\x02{}q\x01\x30{}.", value, module)}});
}

TEST_F(HostileZip, ModulesNamedAgainAndAgainAreRefused) {
  const std::string none = "N";
  EXPECT_NO_THROW(parse(torch_file_of_modules(4, 1000, none)));
  EXPECT_EQ(parse_error(torch_file_of_modules(8, 1000, none)), kBadFormat);
  EXPECT_THAT(message, HasSubstr("too many values"));
}

TEST_F(HostileZip, NamesAndSettingsTooLongTogetherAreRefused) {
  const std::string value = pickled_text(std::string(1000, 'v'));
  EXPECT_NO_THROW(parse(torch_file_of_modules(0, 4000, value)));
  EXPECT_EQ(parse_error(torch_file_of_modules(0, 4200, value)), kBadFormat);
  EXPECT_THAT(message, HasSubstr("too long together"));
}

TEST_F(HostileFiles, OtherFormatsAreRefusedByName) {
  const std::string legacy("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  EXPECT_EQ(parse_error(legacy), kBadFormat);
  EXPECT_THAT(message, HasSubstr("before 1.6"));
  EXPECT_EQ(parse_error("version https://git-lfs.github.com/spec/v1"), kBadFormat);
  EXPECT_THAT(message, HasSubstr("git lfs pull"));
  EXPECT_EQ(parse_error("<!DOCTYPE html>"), kBadFormat);
  EXPECT_EQ(parse_error(""), ErrorKind::kWeightsTruncated);
}

TEST_F(HostileTensors, NotFiniteValuesAreRefusedByName) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    auto tensors = small_classifier();
    tensors[6].values[3] = bad;
    EXPECT_EQ(load_error(build_safetensors(tensors)), ErrorKind::kWeightsNotFinite);
    EXPECT_THAT(message, HasSubstr("output_layer.weight"));
    EXPECT_THAT(message, HasSubstr("element 3"));
  }
}

TEST_F(HostileTensors, NegativeVarianceIsRefused) {
  auto tensors = small_classifier();
  tensors[5].values[1] = -1e-30F;
  EXPECT_EQ(load_error(build_safetensors(tensors)), ErrorKind::kWeightsTensor);
  EXPECT_THAT(message, HasSubstr("bn1.running_var"));
}

TEST_F(HostileTensors, MissingMisnamedAndMisshapenTensorsAreNamed) {
  auto tensors = small_classifier();
  tensors[3].name = "bn1.offset";
  EXPECT_EQ(load_error(build_safetensors(tensors)), ErrorKind::kWeightsTensor);
  EXPECT_THAT(message, HasSubstr("bn1.bias"));

  tensors = small_classifier();
  tensors[2].shape = {1, 2};
  EXPECT_EQ(load_error(build_safetensors(tensors)), ErrorKind::kWeightsTensor);
  EXPECT_THAT(message, HasSubstr("bn1.weight"));
  EXPECT_THAT(message, HasSubstr("[1, 2], expected [2]"));

  EXPECT_EQ(load_error(build_safetensors(small_classifier()), 4), ErrorKind::kWeightsTensor);
  EXPECT_THAT(message, HasSubstr("takes 3 numbers, but ESM-2 and DNABERT-S together give 4"));
}

TEST_F(HostileTensors, ReadChecksTheExpectedShape) {
  const ScratchDir scratch;
  const auto path = scratch.write("c", build_safetensors(small_classifier()));
  const auto classifier = load_classifier(path, 3, {});
  std::vector<float> values(6);
  EXPECT_EQ(error_of([&] {
              classifier.tensors->read("hidden_layer.weight", {3, 2}, values);
            }),
            ErrorKind::kWeightsTensor);
  EXPECT_EQ(error_of([&] {
              classifier.tensors->read("hidden_layer.weigh", {2, 3}, values);
            }),
            ErrorKind::kWeightsTensor);
}

}  // namespace
}  // namespace virnucpro
