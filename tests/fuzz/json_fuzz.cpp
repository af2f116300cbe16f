// The bounded JSON walk on any bytes: it ends or throws kJson, and its paths keep their depth.

#include "base/json.hpp"
#include "fuzz/target.hpp"

namespace {

using virnucpro::fuzz::may_refuse;

class DepthChecker : public virnucpro::JsonVisitor {
 public:
  void scalar(const virnucpro::JsonPath& path, virnucpro::JsonScalar) override {
    if (path.size() != depth_) std::abort();
  }
  void open(const virnucpro::JsonPath& path, bool) override {
    if (path.size() != depth_ || ++depth_ > virnucpro::kMaxJsonDepth) std::abort();
  }
  void close(const virnucpro::JsonPath& path) override {
    if (path.size() != --depth_) std::abort();
  }

 private:
  std::size_t depth_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  DepthChecker checker;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  may_refuse([&] { virnucpro::walk_json(text, "fuzz.json", checker); },
             {virnucpro::ErrorKind::kJson});
  return 0;
}
