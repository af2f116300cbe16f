#pragma once

#include <functional>
#include <string_view>

#include "observe/trace.hpp"

namespace virnucpro {

// The start of every such file. A file that starts otherwise is someone else's, and not replaced.
inline constexpr std::string_view kTraceFileStart =
    R"({"displayTimeUnit":"ms","otherData":{"program":"virnucpro)";

// Writes a trace piece by piece, in the Trace Event Format of Perfetto and chrome://tracing. Each
// process has a track for every thread and every stream of its GPU. On one more track, each batch
// spans its kernels. Times are microseconds since recording began; `otherData` says what the
// recording cost and how many events it dropped.
void write_trace(const Trace& trace, const std::function<void(std::string_view)>& sink);

}  // namespace virnucpro
