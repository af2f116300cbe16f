#pragma once

#include <chrono>
#include <string>

namespace virnucpro {

using SystemTime = std::chrono::system_clock::time_point;

// Times in UTC. "20260131T093000.123Z", for the names of files:
std::string file_time(SystemTime time);
// "2026-01-31T09:30:00.123Z"
std::string iso_time(SystemTime time);

}  // namespace virnucpro
