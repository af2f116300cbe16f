#pragma once

// The instructions that products and attention use on GPUs of compute capability 8.0 or newer.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace virnucpro::cuda {

// Starts to fill 16 bytes of shared memory: `bytes` bytes from global memory, then zeros.
__device__ __forceinline__ void copy_async(std::uint32_t to, const void* from,
                                           std::uint32_t bytes = 16) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(bytes));
}

// Closes a group of copies. wait_for_copies<N>() waits for all but the N last groups.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;");
}
template <int kPending>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending));
}

// Returns the place of a unit (16 bytes) in shared memory that holds lines of kLine bytes (a power
// of 2). The order of units differs between lines, so that the eight units that an instruction
// accesses together lie in different banks: units with the same number in eight lines, or adjacent
// units.
template <int kLine>
__device__ __forceinline__ std::uint32_t unit_place(std::uint32_t line, std::uint32_t unit) {
  constexpr std::uint32_t kOrders = kLine < 128 ? kLine / 16 : 8;
  constexpr std::uint32_t kAlike = kLine < 128 ? 128 / kLine : 1;  // adjacent lines of one order
  return line * kLine + ((unit ^ (line / kAlike % kOrders)) * 16);
}

// Loads four 8×8 matrices of 16-bit numbers (or 8×16 of 8-bit numbers). Each of the 32 lanes gives
// the address of a row in shared memory, and gets 32 bits of a row of each matrix.
__device__ __forceinline__ void load_matrices(std::uint32_t (&to)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from));
}

__device__ __forceinline__ void load_transposed(std::uint32_t (&to)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from));
}

// Mma<Element>::run computes sums += a · b, where a has 16 rows and b 8 columns of 32 bytes each:
// 16 numbers of 16 bits, or 32 of 8 bits.
template <typename Element>
struct Mma;

template <>
struct Mma<__half> {
  using Sum = float;
  __device__ static void run(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                             std::uint32_t b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
};

template <>
struct Mma<__nv_bfloat16> {
  using Sum = float;
  __device__ static void run(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                             std::uint32_t b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
};

template <>
struct Mma<std::int8_t> {
  using Sum = std::int32_t;
  __device__ static void run(std::int32_t (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                             std::uint32_t b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
};

}  // namespace virnucpro::cuda
