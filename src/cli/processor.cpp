#include "cli/processor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/processors.hpp"
#include "base/text.hpp"
#include "ops/cpu.hpp"

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

std::string describe_processors() {
  const std::size_t usable = usable_processors();
  const std::size_t all = std::max<std::size_t>(std::thread::hardware_concurrency(), usable);
  if (usable < all) return fmt::format("{} of {} processors", usable, all);
  return fmt::format("{} processors", all);
}

// Empty if the processor does not support `precision`.
std::string kernel_path(Precision precision) {
  try {
    return std::string(cpu_kernel_path(precision));
  } catch (const Error&) {
    return {};
  }
}

std::string kernel_paths() {
  const std::string fp32 = kernel_path(Precision::kFp32);
  const std::string bf16 = kernel_path(Precision::kBf16);
  if (fp32.empty()) return "too old: AVX2 and FMA are needed";
  return bf16.empty() ? fmt::format("{}, no bf16 (AVX512_BF16)", fp32)
                      : fmt::format("{}, bf16: {}", fp32, bf16);
}

}  // namespace

std::string describe_processor() {
  return fmt::format("{}, {}, {:.1f} GiB memory, {}", printable(model_name()),
                     describe_processors(), memory_gib(), kernel_paths());
}

}  // namespace virnucpro
