#include "cli/provenance.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "base/host.hpp"
#include "base/time.hpp"
#include "base/version.hpp"
#include "cli/devices.hpp"
#include "cli/version.hpp"

namespace virnucpro {

Provenance provenance_here(const ComputeSettings& compute, const Session& session) {
  Provenance provenance{.time = iso_time(std::chrono::system_clock::now()),
                        .version = std::string(program_version()),
                        .build = build_text(),
                        .commit = build_commit(),
                        .host = host_name(),
                        .processor = describe_processor(),
                        .command = fmt::format("{}", fmt::join(session.arguments, " "))};
  for (const GpuId& gpu : compute.gpus) {
    provenance.devices.push_back(describe_device(gpu.index));
  }
  return provenance;
}

}  // namespace virnucpro
