#pragma once

#include <functional>
#include <string_view>

#include "observe/trace.hpp"

namespace virnucpro {

// What every such file begins with: one of another kind is not to be replaced.
inline constexpr std::string_view kTraceFileStart =
    R"({"displayTimeUnit":"ms","otherData":{"program":"virnucpro)";

// A trace in the Trace Event Format, as Perfetto and chrome://tracing open it, piece by piece. Each
// process has a track for every thread and every stream of its GPU, and one more on which a batch
// spans its kernels. Times are microseconds since recording began; `otherData` says what the
// recording cost and left out.
void write_trace(const Trace& trace, const std::function<void(std::string_view)>& sink);

}  // namespace virnucpro
