// The pickle reader builds data and nothing else.

#include "weights/pickle_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "unit/weights/weight_builder.hpp"

namespace virnucpro {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

ErrorKind pickle_error(const std::string& bytes, std::string* message = nullptr) {
  return error_of([&] { read_pickle(as_bytes(bytes), "data.pkl"); }, message);
}

TEST(PickleReader, ReadsPlainData) {
  // {'a': [1, -2, 3.5], 'b': (None, True, 'text'), 'c': 70000} in protocol 2
  const std::string bytes =
      "\x80\x02}q\0(X\x01\0\0\0aq\x01]q\x02(K\x01J\xfe\xff\xff\xffG@\x0c\0\0\0\0\0\0e"
      "X\x01\0\0\0bq\x03N\x88X\x04\0\0\0textq\x04\x87q\x05X\x01\0\0\0cq\x06J\x70\x11\x01\0u."s;
  const PickleDocument document = read_pickle(as_bytes(bytes), "data.pkl");
  const PickleNode& root = document[document.root];
  const PickleNode* list = document.member(root, "a");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->items.size(), 3U);
  EXPECT_EQ(document[list->items[1]].integer, -2);
  EXPECT_EQ(document[list->items[2]].real, 3.5);
  const PickleNode* tuple = document.member(root, "b");
  ASSERT_NE(tuple, nullptr);
  EXPECT_EQ(document[tuple->items[0]].type, PickleType::kNone);
  EXPECT_EQ(document[tuple->items[2]].text, "text");
  EXPECT_EQ(document.member(root, "c")->integer, 70000);
  EXPECT_EQ(document.member(root, "d"), nullptr);
}

TEST(PickleReader, ReadsLaterProtocols) {
  // OrderedDict by STACK_GLOBAL, MEMOIZE and FRAME, with a LONG1 of eight bytes
  const std::string bytes =
      "\x80\x04\x95\x40\0\0\0\0\0\0\0\x8c\x0b"
      "collections\x94\x8c\x0bOrderedDict\x94\x93\x94)R\x94\x8c\x01k\x94"
      "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\xff"
      "s."s;
  const PickleDocument document = read_pickle(as_bytes(bytes), "data.pkl");
  EXPECT_EQ(document.member(document[document.root], "k")->integer, -1);
}

TEST(PickleReader, RefusesToRunAnything) {
  for (const auto& [bytes, named] :
       {std::pair{"cos\nsystem\nX\x02\0\0\0id\x85R."s, "os.system"},
        std::pair{"cbuiltins\neval\nX\x03\0\0\0"
                  "1+1\x85R."s,
                  "builtins.eval"},
        std::pair{"\x8c\x05posix\x8c\x06system\x93."s, ""}, std::pair{"ctorch\nload\n."s, ""},
        std::pair{"(ios\nsystem\n."s, ""}, std::pair{"(cos\nsystem\no."s, ""},  // INST, OBJ
        std::pair{"\x82\x01."s, ""}, std::pair{"Pid\n."s, ""}}) {               // EXT1, PERSID
    std::string message;
    EXPECT_EQ(pickle_error("\x80\x04" + bytes, &message), ErrorKind::kPickleForbidden) << bytes;
    EXPECT_THAT(message, HasSubstr(named));
  }
}

TEST(PickleReader, RefusesCallsOfWhatIsNotCallable) {
  EXPECT_EQ(pickle_error("\x80\x02K\x01)R."s), ErrorKind::kPickleForbidden);
  EXPECT_EQ(pickle_error("\x80\x02"
                         "ctorch\nFloatStorage\n)R."s),
            ErrorKind::kPickleForbidden);
  EXPECT_EQ(pickle_error("\x80\x02K\x01Q."s), ErrorKind::kPickleForbidden);
  EXPECT_EQ(pickle_error("\x80\x02"
                         "ctorch._utils\n_rebuild_tensor_v2\n)R."s),
            kBadFormat);
}

TEST(PickleReader, RefusesControlCharactersInItsMessages) {
  std::string message;
  pickle_error(
      "\x80\x02"
      "c\x1b[31mos\nsystem\n."s,
      &message);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

TEST(PickleReader, RefusesAMisusedStack) {
  for (const std::string& bytes :
       {"."s, "\x80\x02."s,
        "\x80\x02"
        "0."s,
        "\x80\x02u."s, "\x80\x02t."s,
        "\x80\x02K\x01K\x02"
        "a."s,
        "\x80\x02}(K\x01u."s, "\x80\x02h\x07."s, "\x80\x02N"s, "\x80\x02X\xff\xff\xff\xff."s,
        "\x80\x09N."s, "\x80\x02K\x01(."s, "\x80\x02NNb."s}) {
    const ErrorKind kind = pickle_error(bytes);
    EXPECT_EQ(kind, kBadFormat);
  }
}

TEST(PickleReader, APickleThatContainsItselfIsHarmless) {
  const std::string bytes = "\x80\x02]q\0h\0a."s;
  const PickleDocument document = read_pickle(as_bytes(bytes), "data.pkl");
  EXPECT_EQ(document[document.root].items.at(0), document.root);
}

TEST(PickleReader, KnowsArraysOfNumpyWhereTheyAreAllowed) {
  const auto reconstructed = [](const std::string& module) {
    return "\x80\x02" + fmt::format("c{}.multiarray\n_reconstruct\n", module) +
           "cnumpy\nndarray\nK\0\x85"s
           "c_codecs\nencode\nX\x01\0\0\0bX\x06\0\0\0latin1\x86R\x87R"
           "(K\x01K\x02\x85"
           "cnumpy\ndtype\nX\x02\0\0\0f4\x89\x88\x87R"
           "\x89"
           "c__builtin__\nbytes\n)Rtb."s;
  };
  for (const char* module : {"numpy.core", "numpy._core"}) {
    const std::string bytes = reconstructed(module);
    const PickleDocument document =
        read_pickle(as_bytes(bytes), "data.pkl", {}, checkpoint_globals());
    EXPECT_EQ(document[document.root].type, PickleType::kObject);
    EXPECT_EQ(pickle_error(bytes), ErrorKind::kPickleForbidden) << "weights name no numpy";
  }
  for (const char* other : {"cnumpy\nload\n.", "cnumpy\nndarray\n)R.", "cos\nsystem\n."}) {
    const std::string bytes = fmt::format("\x80\x02{}", other);
    EXPECT_EQ(error_of([&] { read_pickle(as_bytes(bytes), "x", {}, checkpoint_globals()); }),
              ErrorKind::kPickleForbidden);
  }
}

TEST(PickleReader, FloatsNeedNotBeKept) {
  const std::string real = "G@\x0c\0\0\0\0\0\0"s;
  const std::string bytes = "\x80\x02](" + real + real + real + "e.";
  const PickleLimits limits{.values = 4, .keeps_floats = false};
  const PickleDocument document = read_pickle(as_bytes(bytes), "data.pkl", limits);
  EXPECT_EQ(document[document.root].items.size(), 3U);
  EXPECT_EQ(document.nodes.size(), 2U);
  EXPECT_EQ(error_of([&] { read_pickle(as_bytes(bytes), "x", {.values = 3}); }),
            ErrorKind::kPickleTooLarge);
}

TEST(PickleReader, BombsEndAtABound) {
  const auto repeat = [](const std::string& part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  constexpr std::size_t kTooMany = kMaxPickleNodes + 1;
  EXPECT_EQ(pickle_error("\x80\x02\x8a\x09\0\0\0\0\0\0\0\0\0."s), ErrorKind::kPickleTooLarge);
  EXPECT_EQ(pickle_error("\x80\x02" + repeat("N", kTooMany)), ErrorKind::kPickleTooLarge);
  EXPECT_EQ(pickle_error("\x80\x02" + repeat("(", kTooMany)), ErrorKind::kPickleTooLarge);
  EXPECT_EQ(pickle_error("\x80\x02Nq"s + '\0' + repeat("h\0"s, kTooMany)),
            ErrorKind::kPickleTooLarge);
  // One long list of pairs, used by every OrderedDict.
  const std::string pairs = "](" + repeat("NN\x86", 4096) + "eq"s + '\1';
  EXPECT_EQ(pickle_error("\x80\x02" + pairs + repeat("ccollections\nOrderedDict\nh\1\x85R0"s, 300)),
            ErrorKind::kPickleTooLarge);
}

}  // namespace
}  // namespace virnucpro
