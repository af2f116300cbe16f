#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "measure/timing/budget_sweep.hpp"
#include "tensor/device.hpp"

namespace virnucpro {

// The conditions of the measurements.
struct ProfileFacts {
  std::string model;  // as --model names it
  std::string weights;
  std::string weights_hash;
  std::map<std::string, std::string> description;  // from LoadedModels
  std::string device;                              // "cuda:0"
  std::string device_description;
  std::size_t threads = 0;
  std::string test_file;  // empty: the sequences are made up
  std::uint64_t chunk_size = 0;
  std::size_t frames = 0;
  std::size_t tokens = 0;
  double seconds = 0;  // seconds per budget
  DeviceUse memory{};  // device memory after all budgets; on the CPU, this process's memory
};

// These return the table's first lines and a row, which are printed while budgets are measured.
std::string profile_head(const ProfileFacts& facts);
std::string profile_row(const BudgetRow& row);
// Returns the table's last line, with the recommended budget.
std::string profile_end(std::size_t recommended);

// Returns all results for programs (docs/reference/files.md).
std::string profile_json(const ProfileFacts& facts, const std::vector<BudgetRow>& rows,
                         std::size_t recommended);

}  // namespace virnucpro
