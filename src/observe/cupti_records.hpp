#pragma once

#include <array>
#include <cstdint>

// The part of CUPTI's C interface that a trace needs, declared here so that the build needs no
// NVIDIA header. Since CUDA 10, new versions only append fields to a record (CUpti_ActivityKernel4
// to 10), so these structs fit newer libraries. tests/gpu/cupti_records_check.cpp compares them
// with the header.
namespace virnucpro::cupti {

inline constexpr int kSuccess = 0;
inline constexpr std::uint32_t kFlushForced = 1;

inline constexpr std::uint32_t kMemcpy = 1;
inline constexpr std::uint32_t kMemset = 2;
inline constexpr std::uint32_t kRuntime = 5;
inline constexpr std::uint32_t kConcurrentKernel = 10;
inline constexpr std::uint32_t kOverhead = 17;
inline constexpr std::uint32_t kExternalCorrelation = 39;
// The types of records that are enabled. CUPTI reports correlations only if kRuntime is enabled.
inline constexpr std::array kKinds{kMemcpy,   kMemset, kConcurrentKernel, kExternalCorrelation,
                                   kOverhead, kRuntime};

inline constexpr std::uint32_t kOwnCorrelation = 3;  // CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0

struct KernelRecord {
  std::uint32_t kind;
  std::array<std::uint8_t, 12> configuration;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::array<std::int32_t, 8> grid_block_and_shared_memory;
  std::array<std::uint32_t, 2> local_memory;
  std::uint32_t correlation;
  std::int64_t grid;
  const char* name;
};

// The record of a copy; a memset's record has the same layout.
struct CopyRecord {
  std::uint32_t kind;
  std::uint8_t copy_kind;
  std::array<std::uint8_t, 3> memory_kinds;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
};

struct CorrelationRecord {
  std::uint32_t kind;
  std::uint32_t external_kind;
  std::uint64_t external;
  std::uint32_t correlation;
};

struct OverheadRecord {
  std::uint32_t kind;
  std::uint32_t overhead_kind;
  std::array<std::uint32_t, 4> object;
  std::uint64_t start;
  std::uint64_t end;
};

}  // namespace virnucpro::cupti
