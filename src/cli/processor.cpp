#include "cli/processor.hpp"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/text.hpp"

namespace virnucpro {
namespace {

std::string model_name() {
  constexpr std::string_view kName = "model name";
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t value = line.find(": ");
    if (line.starts_with(kName) && value != std::string::npos) return line.substr(value + 2);
  }
  return "unknown processor";
}

double memory_gib() {
  const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1U << 30U);
}

}  // namespace

std::string processor_kernel_path() {
  const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
  const auto has = [isa](dnnl_cpu_isa_t wanted) { return (isa & wanted) == wanted; };
  if (has(dnnl_cpu_isa_avx512_core_bf16)) return "cpu-avx512-bf16";
  if (has(dnnl_cpu_isa_avx512_core)) return "cpu-avx512";
  if (has(dnnl_cpu_isa_avx2)) return "cpu-avx2";
  return "none";
}

std::string describe_processor() {
  return fmt::format("{}, {} processors, {:.1f} GiB memory, {}", printable(model_name()),
                     std::thread::hardware_concurrency(), memory_gib(), processor_kernel_path());
}

}  // namespace virnucpro
