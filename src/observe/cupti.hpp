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

// A kernel or copy that a GPU ran; the times are as in TraceEvent.
struct GpuActivity {
  TraceKind kind = TraceKind::kKernel;
  std::string_view name;  // valid as long as its Cupti object
  std::uint32_t stream = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t batch = kNoBatch;  // the batch for which it was launched
};

// Shortens "a::b<int>(a::C*)", given as its mangled name, to "a::b<int>"; cuts very long names.
std::string short_kernel_name(const char* mangled);

// Measures which kernels and copies this process's GPU ran, and when, with NVIDIA's library CUPTI
// (Activity API). The library is opened at run time, so that one package works with and without it:
// failure() says if it is missing. Measures until stop(). A process may have only one object.
class Cupti {
 public:
  // `library` is a path; if it is empty, the loader looks for libcupti.so.13 and so on.
  explicit Cupti(const std::string& library);
  ~Cupti();
  Cupti(const Cupti&) = delete;
  Cupti& operator=(const Cupti&) = delete;

  // Returns why nothing is measured; empty if measuring works.
  const std::string& failure() const { return failure_; }
  std::string version() const;  // number of CUPTI's API: "130001"

  // Between these calls, everything that the thread launches belongs to the batch.
  void begin_launches(std::uint64_t batch) const;
  void end_launches() const;

  // Returns the activities that ended since the last call. An activity that overlaps an unfinished
  // activity may come with a later call.
  std::vector<GpuActivity> drain();
  // Ends measuring; activities still running are lost. drain() returns the rest.
  void stop();

  // Nanoseconds since the last call, spent on recording here and by CUPTI itself.
  struct Costs {
    std::uint64_t recording = 0;
    std::uint64_t cupti = 0;
    std::uint64_t dropped = 0;  // activities lost for lack of room
  };
  Costs drain_costs();

 private:
  struct Functions;
  // An activity that waits for the record that names its batch.
  struct Waiting {
    GpuActivity activity;
    std::uint32_t correlation = 0;
    bool was_looked_up = false;
  };

  static void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
  static void complete_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t size, std::size_t valid);

  std::string start();
  std::string error_text(std::string_view call, int code) const;
  void read(std::uint8_t* buffer, std::size_t valid);
  void read_record(const std::uint8_t* record);
  void add(GpuActivity activity, std::uint32_t correlation);
  std::string_view name_of(const char* mangled);

  std::unique_ptr<Functions> functions_;
  std::string failure_;
  bool is_measuring_ = false;
  std::mutex mutex_;  // needed because CUPTI's threads deliver buffers
  std::map<std::string, std::string, std::less<>> names_;  // short names, by full name
  std::vector<Waiting> waiting_;
  std::unordered_map<std::uint32_t, std::uint64_t> batches_;  // batches by correlation
  Costs costs_;
};

}  // namespace virnucpro
