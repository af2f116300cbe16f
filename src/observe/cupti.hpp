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

// A kernel or copy that a GPU ran. Times are those of trace_now().
struct GpuActivity {
  TraceKind kind = TraceKind::kKernel;
  std::string_view name;  // valid while the Cupti object exists
  std::uint32_t stream = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t batch = kNoBatch;  // the batch for which it was launched
};

// Returns a kernel's readable name without parameters, cut to kLongestTraceText: "a::b<int>".
std::string short_kernel_name(const char* mangled);

// Records each kernel and copy of this process's GPU until stop(), with NVIDIA's library CUPTI
// (Activity API). The library is opened at run time, because the package must also work without it;
// failure() says if it is missing. A process may have only one Cupti object.
class Cupti {
 public:
  // `library` is CUPTI's path. If it is empty, the usual names are tried, libcupti.so.13 first.
  explicit Cupti(const std::string& library);
  ~Cupti();
  Cupti(const Cupti&) = delete;
  Cupti& operator=(const Cupti&) = delete;

  // Returns why nothing is measured; empty if measuring works.
  const std::string& failure() const { return failure_; }
  std::string version() const;  // number of CUPTI's API: "130001"

  // All kernels and copies that the thread launches between these two calls belong to `batch`.
  void begin_launches(std::uint64_t batch) const;
  void end_launches() const;

  // Returns the activities that ended since the last drain(). An activity that overlaps an
  // unfinished activity may be returned by a later drain().
  std::vector<GpuActivity> drain();
  // Ends measuring. Activities that are still running are lost; drain() returns the others.
  void stop();

  // Nanoseconds spent by this class (`recording`) and by CUPTI since the last drain_costs().
  struct Costs {
    std::uint64_t recording = 0;
    std::uint64_t cupti = 0;
    std::uint64_t dropped = 0;  // activities lost for lack of room
  };
  Costs drain_costs();

 private:
  struct Functions;
  // An activity whose batch is unknown until CUPTI delivers the record that names the batch.
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
  std::mutex mutex_;  // guards the members below from CUPTI's threads
  std::map<std::string, std::string, std::less<>> names_;  // short names by mangled name
  std::vector<Waiting> waiting_;
  std::unordered_map<std::uint32_t, std::uint64_t> batches_;  // each correlation's batch
  Costs costs_;
};

}  // namespace virnucpro
