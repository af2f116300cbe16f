#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/page.hpp"

namespace virnucpro {

// The program that measured, its command and its machine.
struct Provenance {
  std::string time{};     // ISO 8601
  std::string version{};  // of the program
  std::string build{};
  std::string commit{};
  std::string host{};
  std::string processor{};
  std::vector<std::string> devices{};  // GPUs, one line each
  std::string driver{};                // of the GPUs; empty: none
  std::string command{};
};

// The most bytes of a command that a report shows.
inline constexpr std::size_t kLongestCommand = 10'000;

// Returns the fields for reports, without the command.
std::vector<Field> fields_of(const Provenance& provenance);

}  // namespace virnucpro
