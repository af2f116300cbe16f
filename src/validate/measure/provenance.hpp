#pragma once

#include <string>
#include <vector>

#include "report/page.hpp"

namespace virnucpro {

// By which program, with which command and where something was measured.
struct Provenance {
  std::string time{};     // ISO 8601
  std::string version{};  // of the program
  std::string build{};
  std::string commit{};
  std::string host{};
  std::string processor{};
  std::vector<std::string> devices{};  // GPUs, a line each
  std::string driver{};                // theirs; empty: none
  std::string command{};
};

// As reports show them, but for the command.
std::vector<Field> fields_of(const Provenance& provenance);

}  // namespace virnucpro
