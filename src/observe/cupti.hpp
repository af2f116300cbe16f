#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "observe/trace_part.hpp"

namespace virnucpro {

// What a GPU did: TraceEvent has its times.
struct GpuActivity {
  TraceKind kind = TraceKind::kKernel;
  std::string_view name;  // valid as long as its Cupti
  std::uint32_t stream = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t batch = kNoBatch;  // that it was launched for
};

// "a::b<int>(a::C*)" as its mangled name is → "a::b<int>": readable, without what it takes, and cut
// where it is long.
std::string short_kernel_name(const char* mangled);

// NVIDIA's library that tells which kernels and copies a process's GPU ran, and when (CUPTI's
// Activity API). It is opened at run time and measures until stop(). One at a time in a process;
// nothing here throws for a machine without it: that is an answer.
class Cupti {
 public:
  // `library`: a path; empty: libcupti.so.13 and so on, as the loader finds them.
  explicit Cupti(const std::string& library);
  ~Cupti();
  Cupti(const Cupti&) = delete;
  Cupti& operator=(const Cupti&) = delete;

  // Why it does not measure; empty: it does.
  const std::string& failure() const { return failure_; }
  std::string version() const;  // its API's number: "130001"

  // What the calling thread launches from here on is for the batch, until it is for none.
  void begin_launches(std::uint64_t batch) const;
  void end_launches() const;

  // What was completed since the last call. That which ran beside what has not ended yet may come
  // in a later one.
  std::vector<GpuActivity> drain();
  // The end of measuring: what is not complete by then is lost. drain() has the rest.
  void stop();

  // Since the last call, in nanoseconds: what its own records took, and what CUPTI says of itself.
  struct Costs {
    std::uint64_t recording = 0;
    std::uint64_t cupti = 0;
    std::uint64_t dropped = 0;  // activities, for want of room
  };
  Costs drain_costs();

 private:
  struct Functions;
  // An activity whose batch is told by another record, before or after it.
  struct Waiting {
    GpuActivity activity;
    std::uint32_t correlation = 0;
    bool was_looked_up = false;
  };

  static void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
  static void complete_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t size, std::size_t valid);

  std::string start();
  std::string words_for(std::string_view call, int code) const;
  void read(std::uint8_t* buffer, std::size_t valid);
  void read_record(const std::uint8_t* record);
  void add(GpuActivity activity, std::uint32_t correlation);
  std::string_view name_of(const char* mangled);

  std::unique_ptr<Functions> functions_;
  std::string failure_;
  bool is_measuring_ = false;
  std::mutex mutex_;                                       // buffers come from threads of CUPTI's
  std::map<std::string, std::string, std::less<>> names_;  // short ones by those CUPTI has
  std::vector<Waiting> waiting_;
  std::unordered_map<std::uint32_t, std::uint64_t> batches_;  // by correlation
  Costs costs_;
};

}  // namespace virnucpro
