#pragma once

#include <functional>
#include <string_view>

#include "observe/trace.hpp"

namespace virnucpro {

// Every trace begins with this text. A file without this beginning is never replaced.
inline constexpr std::string_view kTraceFileStart =
    R"({"displayTimeUnit":"ms","otherData":{"program":"virnucpro)";

// Writes a trace piece by piece, in the Trace Event Format of Perfetto and chrome://tracing. Each
// process has a track for every thread and for every stream of its GPU. A further track shows each
// batch as a span from its first kernel to its last. Times are microseconds since recording began.
// `otherData` has the time that recording took and the number of dropped events.
void write_trace(const Trace& trace, const std::function<void(std::string_view)>& sink);

}  // namespace virnucpro
