// Runs every file of the given folders through the fuzz target it is linked with. It replaces
// libFuzzer's main if the compiler has none, so that every build tests the seeds.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::printf("%s: %zu bytes\n", path.c_str(), bytes.size());
  std::fflush(stdout);  // so that the seed is known if the target crashes
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

int replay_folder(const std::filesystem::path& folder) {
  int seeds = 0;
  if (!std::filesystem::is_directory(folder)) return seeds;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    replay(entry.path());
    ++seeds;
  }
  return seeds;
}

}  // namespace

int main(int count, char** arguments) {
  int seeds = 0;
  for (int i = 1; i < count; ++i) seeds += replay_folder(arguments[i]);
  std::printf("%d seeds\n", seeds);
  return seeds > 0 ? 0 : 1;  // a target without seeds tests nothing
}
