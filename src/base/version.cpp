#include "base/version.hpp"

namespace virnucpro {

std::string_view program_version() {
  return VIRNUCPRO_VERSION;
}

}  // namespace virnucpro
