#include "weights/pickle_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

// The opcodes that describe data, with names like those in Python's pickletools.
enum Opcode : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNoneValue = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobalName = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kBinFloat = 'G',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kEmptyDict = '}',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kProto = 0x80,
  kNewObj = 0x81,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kEmptySet = 0x8f,
  kAddItems = 0x90,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
};

// Only the first arguments of a call are kept, at most this many. Later arguments are not needed.
constexpr std::ptrdiff_t kUsedArguments = 4;

constexpr std::size_t kLongestShown = 80;  // bytes of a name in a message

class PickleReader {
 public:
  PickleReader(std::span<const std::byte> bytes, const std::string& file,
               const PickleLimits& limits, std::span<const AllowedGlobal> globals)
      : reader_(bytes, file, ErrorKind::kWeightsFormat), limits_(limits), globals_(globals) {
    if (bytes.size() > limits_.bytes) {
      too_large(fmt::format("the pickle is too long: {} bytes; the limit is {}", bytes.size(),
                            limits_.bytes));
    }
    allowed_.reserve(globals_.size());
    for (std::size_t i = 0; i < globals_.size(); ++i) allowed_.emplace(globals_[i].name, i);
  }

  PickleDocument read() {
    while (true) {
      const auto opcode = reader_.number<std::uint8_t>();
      if (opcode == kStop) break;
      if (!scalar(opcode) && !container(opcode) && !memo(opcode) && !callable(opcode)) {
        forbid(fmt::format("opcode 0x{:02x}", opcode));
      }
    }
    document_.root = pop();
    return std::move(document_);
  }

 private:
  [[noreturn]] void malformed(std::string detail) const {
    reader_.fail(ErrorKind::kWeightsFormat, std::move(detail));
  }
  [[noreturn]] void too_large(std::string detail) const {
    reader_.fail(ErrorKind::kPickleTooLarge, std::move(detail));
  }
  [[noreturn]] void forbid(std::string what) const {
    reader_.fail(ErrorKind::kPickleForbidden, std::move(what));
  }

  PickleId make(PickleNode node) {
    bound(document_.nodes.size());
    document_.nodes.push_back(std::move(node));
    return static_cast<PickleId>(document_.nodes.size() - 1);
  }
  void push(PickleNode node) { push_id(make(std::move(node))); }
  void push_id(PickleId id) {
    bound(stack_.size());
    stack_.push_back(id);
  }
  void bound(std::size_t count) const {
    if (count < limits_.values) return;
    too_large(fmt::format("the pickle makes too many values; the limit is {}", limits_.values));
  }

  // Removes and returns the top value. As in Python, values below the last mark cannot be removed.
  PickleId pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
      malformed("the pickle takes a value from an empty stack");
    }
    const PickleId id = stack_.back();
    stack_.pop_back();
    return id;
  }
  PickleNode& top() {
    const PickleId id = pop();
    stack_.push_back(id);
    return document_.nodes[id];
  }
  std::vector<PickleId> pop_to_mark() {
    if (marks_.empty()) malformed("the pickle uses a mark that it did not set");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleId> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  void push_tuple(std::size_t size) {
    std::vector<PickleId> items(size);
    for (std::size_t i = size; i-- > 0;) items[i] = pop();
    push({.type = PickleType::kTuple, .items = std::move(items)});
  }
  const PickleNode& node(PickleId id) const { return document_.nodes[id]; }

  // --- opcodes, by family; each function returns true if it handled the opcode ---------------
  bool scalar(std::uint8_t opcode) {
    switch (opcode) {
      case kNoneValue:
        push({});
        return true;
      case kNewTrue:
      case kNewFalse:
        push({.type = PickleType::kBool, .integer = opcode == kNewTrue ? 1 : 0});
        return true;
      case kBinInt:
        push_int(static_cast<std::int32_t>(reader_.number<std::uint32_t>()));
        return true;
      case kBinInt1:
        push_int(reader_.number<std::uint8_t>());
        return true;
      case kBinInt2:
        push_int(reader_.number<std::uint16_t>());
        return true;
      case kLong1:
        push_int(read_long());
        return true;
      case kBinFloat:
        push_float();
        return true;
      case kShortBinUnicode:
      case kShortBinBytes:
        push_text(reader_.number<std::uint8_t>());
        return true;
      case kBinUnicode:
      case kBinBytes:
        push_text(reader_.number<std::uint32_t>());
        return true;
      case kBinUnicode8:
        push_text(reader_.number<std::uint64_t>());
        return true;
      default:
        return false;
    }
  }

  void push_int(std::int64_t value) { push({.type = PickleType::kInt, .integer = value}); }
  void push_text(std::uint64_t size) {
    push({.type = PickleType::kString, .text = reader_.text(size)});
  }
  void push_float() {
    // kBinFloat is the only opcode with a big-endian number.
    const std::uint64_t bits = __builtin_bswap64(reader_.number<std::uint64_t>());
    if (limits_.keeps_floats) {
      push({.type = PickleType::kFloat, .real = std::bit_cast<double>(bits)});
      return;
    }
    if (!any_float_) any_float_ = make({.type = PickleType::kFloat});
    push_id(*any_float_);
  }
  std::int64_t read_long() {
    const auto size = reader_.number<std::uint8_t>();
    if (size > 8) too_large("an integer in the pickle has more than 64 bits");
    const auto bytes = reader_.read(size);
    const bool negative = size > 0 && (bytes.back() & std::byte{0x80}) != std::byte{0};
    std::uint64_t bits = negative ? std::numeric_limits<std::uint64_t>::max() : 0;
    for (std::size_t i = size; i-- > 0;) {
      bits = (bits << 8U) | std::to_integer<std::uint64_t>(bytes[i]);
    }
    return static_cast<std::int64_t>(bits);
  }

  bool container(std::uint8_t opcode) {
    switch (opcode) {
      case kMark:
        bound(marks_.size());
        marks_.push_back(stack_.size());
        return true;
      case kPop:
        drop();
        return true;
      case kPopMark:
        pop_to_mark();
        return true;
      case kEmptyList:
      case kEmptySet:
        push({.type = PickleType::kList});
        return true;
      case kEmptyDict:
        push({.type = PickleType::kDict});
        return true;
      case kEmptyTuple:
        push_tuple(0);
        return true;
      case kTuple1:
      case kTuple2:
      case kTuple3:
        push_tuple(static_cast<std::size_t>(opcode - kTuple1) + 1);
        return true;
      case kTuple:
        push({.type = PickleType::kTuple, .items = pop_to_mark()});
        return true;
      case kAppend:
        extend({pop()}, PickleType::kList);
        return true;
      case kAppends:
      case kAddItems:
        extend(pop_to_mark(), PickleType::kList);
        return true;
      case kSetItem: {
        const PickleId value = pop();
        extend({pop(), value}, PickleType::kDict);
        return true;
      }
      case kSetItems:
        extend(pop_to_mark(), PickleType::kDict);
        return true;
      default:
        return false;
    }
  }

  void drop() {
    if (!marks_.empty() && marks_.back() == stack_.size()) {
      marks_.pop_back();
    } else {
      pop();
    }
  }

  void extend(const std::vector<PickleId>& items, PickleType type) {
    PickleNode& target = top();
    if (target.type != type) malformed("the pickle adds items to a value that cannot hold items");
    if (type == PickleType::kDict && items.size() % 2 != 0)
      malformed("a key of a dict has no value");
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  bool memo(std::uint8_t opcode) {
    switch (opcode) {
      case kProto:
        if (const auto version = reader_.number<std::uint8_t>(); version < 2 || version > 5) {
          malformed(fmt::format("the pickle has protocol {}; only protocols 2 to 5 can be read",
                                version));
        }
        return true;
      case kFrame:
        reader_.number<std::uint64_t>();  // the frame's length, a hint for readers of streams
        return true;
      case kBinPut:
        put(reader_.number<std::uint8_t>());
        return true;
      case kLongBinPut:
        put(reader_.number<std::uint32_t>());
        return true;
      case kMemoize:
        put(memo_.size());
        return true;
      case kBinGet:
        get(reader_.number<std::uint8_t>());
        return true;
      case kLongBinGet:
        get(reader_.number<std::uint32_t>());
        return true;
      default:
        return false;
    }
  }

  void put(std::uint64_t index) {
    const PickleId id = pop();
    stack_.push_back(id);
    bound(memo_.size());
    memo_[index] = id;
  }
  void get(std::uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) malformed("the pickle reads a memo entry that it never wrote");
    push_id(found->second);
  }

  bool callable(std::uint8_t opcode) {
    switch (opcode) {
      case kGlobalName: {
        const std::string_view module = line();
        push_global(module, line());
        return true;
      }
      case kStackGlobal: {
        const PickleId name = pop();
        const PickleId module = pop();
        if (node(name).type != PickleType::kString || node(module).type != PickleType::kString) {
          malformed("the name of a global is not text");
        }
        push_global(node(module).text, node(name).text);
        return true;
      }
      case kReduce:
      case kNewObj: {
        const PickleId arguments = pop();
        call(pop(), arguments);
        return true;
      }
      case kBuild:
        build();
        return true;
      case kBinPersId:
        push_storage();
        return true;
      default:
        return false;
    }
  }

  std::string_view line() {
    const std::uint64_t begin = reader_.offset();
    while (reader_.number<std::uint8_t>() != '\n') {
    }
    const std::uint64_t size = reader_.offset() - begin - 1;
    reader_.seek(begin);
    const std::string_view text = reader_.text(size);
    reader_.read(1);
    return text;
  }

  void push_global(std::string_view module, std::string_view name) {
    const auto found = allowed_.find(fmt::format("{}.{}", module, name));
    if (found == allowed_.end()) {
      forbid(fmt::format("global {}.{}", shown_text(module, kLongestShown),
                         shown_text(name, kLongestShown)));
    }
    push({.type = PickleType::kGlobal,
          .integer = static_cast<std::int64_t>(found->second),
          .text = globals_[found->second].name});
  }

  // Makes the value that the call of a global would return.
  void call(PickleId callee, PickleId argument_tuple) {
    if (node(callee).type != PickleType::kGlobal ||
        node(argument_tuple).type != PickleType::kTuple) {
      forbid("a call of something that is not one of the allowed globals");
    }
    const AllowedGlobal& global = globals_[static_cast<std::size_t>(node(callee).integer)];
    const std::span<const PickleId> all = node(argument_tuple).items;
    const std::vector<PickleId> arguments(all.begin(),
                                          all.begin() + std::min(std::ssize(all), kUsedArguments));
    switch (global.use) {
      case GlobalUse::kDict:
        push({.type = PickleType::kDict, .items = pairs(arguments)});
        return;
      case GlobalUse::kList:
        push({.type = PickleType::kList});
        return;
      case GlobalUse::kIdentity:
      case GlobalUse::kRebuildParameter:
        require(!arguments.empty(), global.name);
        push_id(arguments[0]);
        return;
      case GlobalUse::kRebuildTensor:
        require(arguments.size() >= 4, global.name);
        push({.type = PickleType::kTensor, .items = arguments});
        return;
      case GlobalUse::kObject:
        push({.type = PickleType::kObject, .text = global.name});
        return;
      case GlobalUse::kStorageType:
      case GlobalUse::kConstant:
        forbid(fmt::format("a call of {}", global.name));
    }
  }

  void require(bool enough, std::string_view name) const {
    if (!enough) malformed(fmt::format("a call of {} has too few arguments", name));
  }

  // Returns the members of OrderedDict([[key, value], …]), as old versions of Python pickle it.
  std::vector<PickleId> pairs(const std::vector<PickleId>& arguments) {
    std::vector<PickleId> items;
    if (arguments.empty()) return items;
    for (const PickleId pair : node(arguments[0]).items) {
      if (node(pair).items.size() != 2) malformed("an OrderedDict is not made of pairs");
      bound(taken_over_++);  // limits copies: a pickle can use a list many times
      items.insert(items.end(), node(pair).items.begin(), node(pair).items.end());
    }
    return items;
  }

  // Sets an object's state. The state of a dict (_metadata) or a tensor is not needed and ignored.
  void build() {
    PickleId state = pop();
    if (node(state).type == PickleType::kTuple && !node(state).items.empty()) {
      state = node(state).items[0];  // (state, slots)
    }
    PickleNode& target = top();
    if (target.type == PickleType::kObject) {
      target.items = {state};
    } else if (target.type != PickleType::kDict && target.type != PickleType::kTensor) {
      malformed("the pickle gives a state to a value that cannot have a state");
    }
  }

  // Reads torch's only kind of persistent id: ('storage', type, key, location, elements).
  void push_storage() {
    const PickleNode& id = node(pop());
    const bool is_storage = id.type == PickleType::kTuple && id.items.size() == 5 &&
                            node(id.items[0]).text == "storage" && is_storage_type(id.items[1]) &&
                            node(id.items[2]).type == PickleType::kString &&
                            node(id.items[4]).type == PickleType::kInt;
    if (!is_storage) forbid("a persistent id that does not stand for a storage of torch");
    push({.type = PickleType::kStorage, .items = std::vector<PickleId>(id.items)});
  }
  bool is_storage_type(PickleId id) const {
    return node(id).type == PickleType::kGlobal &&
           globals_[static_cast<std::size_t>(node(id).integer)].use == GlobalUse::kStorageType;
  }

  ByteReader reader_;
  const PickleLimits limits_;
  const std::span<const AllowedGlobal> globals_;
  std::unordered_map<std::string_view, std::size_t> allowed_;
  PickleDocument document_;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, PickleId> memo_;
  std::size_t taken_over_ = 0;
  std::optional<PickleId> any_float_;  // the one value of all floats, if floats are not kept
};

}  // namespace

PickleDocument read_pickle(std::span<const std::byte> bytes, const std::string& file,
                           const PickleLimits& limits, std::span<const AllowedGlobal> globals) {
  return PickleReader(bytes, file, limits, globals).read();
}

}  // namespace virnucpro
