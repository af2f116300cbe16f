#include "cli/worker.hpp"

#include <string_view>

#include "base/error.hpp"
#include "engine/worker_serve.hpp"
#include "run/start_models.hpp"

namespace virnucpro {

bool is_worker(std::span<const char* const> arguments) {
  return arguments.size() == 2 && std::string_view(arguments[1]) == kWorkerArgument;
}

int run_worker() {
  serve_batches(become_worker(), load_worker_models);
  return kExitDone;
}

}  // namespace virnucpro
