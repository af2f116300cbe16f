// The bounded JSON walk on any bytes: it ends or throws kJson, and its paths keep their depth.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.hpp"

namespace {

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
  try {
    virnucpro::walk_json({reinterpret_cast<const char*>(data), size}, "fuzz.json", checker);
  } catch (const virnucpro::Error& error) {
    if (error.kind() != virnucpro::ErrorKind::kJson) std::abort();
  }
  return 0;
}
