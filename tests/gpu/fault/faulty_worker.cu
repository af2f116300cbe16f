// A worker whose GPU context breaks: a moment after its models are loaded, a kernel writes where
// nothing is. The first one to come does so, and leaves the file that VIRNUCPRO_FAULT_MARK names;
// with it there, workers are sound.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "engine/worker_process.hpp"
#include "engine/worker_serve.hpp"
#include "run/run_models.hpp"

namespace {

__global__ void write_out_of_bounds(float* nowhere) {
  nowhere[threadIdx.x] = 1;
}

void break_context() {
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  write_out_of_bounds<<<1, 32>>>(reinterpret_cast<float*>(64));
  static_cast<void>(cudaDeviceSynchronize());
}

}  // namespace

int main() {
  const char* const mark = std::getenv("VIRNUCPRO_FAULT_MARK");
  const virnucpro::UniqueFd socket = virnucpro::become_worker();
  virnucpro::serve_batches(
      socket, [mark](const virnucpro::WorkerSetup& setup, const virnucpro::Cancel& cancel) {
        virnucpro::WorkerModels models = virnucpro::load_worker_models(setup, cancel);
        if (mark != nullptr && !std::filesystem::exists(mark)) {
          std::ofstream(mark) << "broke";
          std::thread(break_context).detach();
        }
        return models;
      });
  return 0;
}
