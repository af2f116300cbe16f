// A worker whose GPU context breaks shortly after its models are loaded. Only the first one does
// so, and leaves the file that VIRNUCPRO_FAULT_MARK names; later workers see it and behave well.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "engine/worker_process.hpp"
#include "engine/worker_serve.hpp"
#include "gpu/fault/break_context.hpp"
#include "run/start_models.hpp"

namespace virnucpro {
namespace {

void break_context_soon() {
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  break_context();
}

WorkerModels load(const WorkerSetup& setup, const Cancel& cancel) {
  WorkerModels models = load_worker_models(setup, cancel);
  const char* const mark = std::getenv("VIRNUCPRO_FAULT_MARK");
  if (mark != nullptr && !std::filesystem::exists(mark)) {
    std::ofstream(mark) << "broke";
    std::thread(break_context_soon).detach();
  }
  return models;
}

}  // namespace
}  // namespace virnucpro

int main() {
  const virnucpro::UniqueFd socket = virnucpro::become_worker();
  virnucpro::serve_batches(socket, virnucpro::load);
  return 0;
}
