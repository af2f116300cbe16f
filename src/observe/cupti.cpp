#include "observe/cupti.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "observe/cupti_records.hpp"
#include "observe/trace_part.hpp"

namespace virnucpro {
namespace {

// The library's names, in the order of trying: CUDA 13's, CUDA 12's, any version's, the usual path.
constexpr std::array kLibraries{"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                "/usr/local/cuda/lib64/libcupti.so"};
constexpr std::size_t kBufferBytes = 256U << 10U;  // bytes, for the records of one or two batches

// The object that receives CUPTI's records; null while nothing is measured.
std::atomic<Cupti*> measuring{nullptr};

void* open_library(const std::string& library, std::string& failure) {
  const auto open = [&](const char* name) {
    void* const opened = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr && failure.empty()) failure = ::dlerror();
    return opened;
  };
  void* opened = nullptr;
  if (!library.empty()) {
    opened = open(library.c_str());
  } else {
    for (const char* name : kLibraries) {
      if (opened == nullptr) opened = open(name);
    }
  }
  if (opened != nullptr) failure.clear();
  return opened;
}

// Returns the index of the parenthesis before a function's parameters: the first parenthesis
// outside of angle brackets that does not begin "(anonymous namespace)".
std::size_t end_of_name(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    const bool is_unnamed = text.substr(i).starts_with("(anonymous namespace)");
    if (text[i] == '(' && depth == 0 && !is_unnamed) return i;
  }
  return text.size();
}

template <typename Record>
Record record_at(const std::uint8_t* bytes) {
  Record record;
  std::memcpy(&record, bytes, sizeof record);
  return record;
}

std::string_view name_of_copy(std::uint8_t kind) {
  switch (kind) {
    case 1:
      return "copy to the GPU";
    case 2:
      return "copy from the GPU";
    case 8:
      return "copy on the GPU";
    default:
      return "copy";
  }
}

}  // namespace

struct Cupti::Functions {
  using Request = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
  using Complete = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

  int (*version)(std::uint32_t* number);
  int (*result_text)(int code, const char** text);
  int (*register_callbacks)(Request request, Complete complete);
  int (*register_clock)(std::uint64_t (*clock)());
  int (*enable)(std::uint32_t kind);
  int (*disable)(std::uint32_t kind);
  int (*flush_all)(std::uint32_t flag);
  int (*next_record)(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record);
  int (*push_correlation)(std::uint32_t kind, std::uint64_t id);
  int (*pop_correlation)(std::uint32_t kind, std::uint64_t* last);

  // The first missing function; empty if there is none.
  std::string lacking;

  explicit Functions(void* library) {
    look_up(library, "cuptiGetVersion", version);
    look_up(library, "cuptiGetResultString", result_text);
    look_up(library, "cuptiActivityRegisterCallbacks", register_callbacks);
    look_up(library, "cuptiActivityRegisterTimestampCallback", register_clock);
    look_up(library, "cuptiActivityEnable", enable);
    look_up(library, "cuptiActivityDisable", disable);
    look_up(library, "cuptiActivityFlushAll", flush_all);
    look_up(library, "cuptiActivityGetNextRecord", next_record);
    look_up(library, "cuptiActivityPushExternalCorrelationId", push_correlation);
    look_up(library, "cuptiActivityPopExternalCorrelationId", pop_correlation);
  }

 private:
  template <typename Function>
  void look_up(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(::dlsym(library, name));
    if (function == nullptr && lacking.empty()) lacking = name;
  }
};

std::string short_kernel_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  std::string_view name = demangled ? demangled.get() : mangled;
  constexpr std::string_view kReturns = "void ";
  if (name.starts_with(kReturns)) name.remove_prefix(kReturns.size());
  return std::string(name.substr(0, std::min(end_of_name(name), kLongestTraceText)));
}

// The library is never closed, because its hooks stay in the driver until the process ends.
Cupti::Cupti(const std::string& library) {
  void* const opened = open_library(library, failure_);
  if (opened == nullptr) return;
  functions_ = std::make_unique<Functions>(opened);
  if (!functions_->lacking.empty()) {
    failure_ = fmt::format("the library is not CUPTI, or is older than CUDA 11.6: it has no {}",
                           functions_->lacking);
    return;
  }
  measuring = this;
  is_measuring_ = true;
  failure_ = start();
  if (!failure_.empty()) stop();
}

Cupti::~Cupti() {
  stop();
}

std::string Cupti::start() {
  int code = functions_->register_callbacks(request_buffer, complete_buffer);
  if (code != cupti::kSuccess) return error_text("cuptiActivityRegisterCallbacks", code);
  // Register the clock before enabling anything, so that every record has times of this clock.
  code = functions_->register_clock(trace_now);
  if (code != cupti::kSuccess) return error_text("cuptiActivityRegisterTimestampCallback", code);
  for (const std::uint32_t kind : cupti::kKinds) {
    code = functions_->enable(kind);
    if (code != cupti::kSuccess) return error_text("cuptiActivityEnable", code);
  }
  return {};
}

std::string Cupti::error_text(std::string_view call, int code) const {
  const char* words = nullptr;
  const bool has_words = functions_->result_text(code, &words) == cupti::kSuccess && words;
  return fmt::format("{}: {}", call, has_words ? words : fmt::format("error {}", code));
}

std::string Cupti::version() const {
  std::uint32_t number = 0;
  if (!failure_.empty() || functions_->version(&number) != cupti::kSuccess) return {};
  return fmt::format("{}", number);
}

void Cupti::begin_launches(std::uint64_t batch) const {
  if (is_measuring_) functions_->push_correlation(cupti::kOwnCorrelation, batch);
}

void Cupti::end_launches() const {
  std::uint64_t last = 0;
  if (is_measuring_) functions_->pop_correlation(cupti::kOwnCorrelation, &last);
}

void Cupti::stop() {
  if (!std::exchange(is_measuring_, false)) return;
  for (const std::uint32_t kind : cupti::kKinds) functions_->disable(kind);
  functions_->flush_all(cupti::kFlushForced);
  measuring = nullptr;
}

std::vector<GpuActivity> Cupti::drain() {
  const std::uint64_t begin = trace_now();
  if (is_measuring_) functions_->flush_all(0);
  const std::lock_guard lock(mutex_);
  std::vector<GpuActivity> drained;
  std::vector<Waiting> left;
  for (Waiting& waiting : waiting_) {
    const auto batch = batches_.find(waiting.correlation);
    if (batch != batches_.end()) {
      waiting.activity.batch = batch->second;
      batches_.erase(batch);
    } else if (!std::exchange(waiting.was_looked_up, true) && is_measuring_) {
      left.push_back(waiting);  // a later record may name its batch
      continue;
    }
    drained.push_back(waiting.activity);
  }
  waiting_ = std::move(left);
  costs_.recording += trace_now() - begin;
  return drained;
}

Cupti::Costs Cupti::drain_costs() {
  const std::lock_guard lock(mutex_);
  return std::exchange(costs_, {});
}

void Cupti::request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::malloc(kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // 0: only the buffer's size limits the number
}

void Cupti::complete_buffer(void* /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                            std::size_t /*size*/, std::size_t valid) {
  if (Cupti* const cupti = measuring; cupti != nullptr) cupti->read(buffer, valid);
  std::free(buffer);
}

void Cupti::read(std::uint8_t* buffer, std::size_t valid) {
  const std::uint64_t begin = trace_now();
  const std::lock_guard lock(mutex_);
  std::uint8_t* record = nullptr;
  while (valid > 0 && functions_->next_record(buffer, valid, &record) == cupti::kSuccess) {
    read_record(record);
  }
  costs_.recording += trace_now() - begin;
}

void Cupti::read_record(const std::uint8_t* record) {
  switch (record_at<std::uint32_t>(record)) {
    case cupti::kConcurrentKernel: {
      const auto kernel = record_at<cupti::KernelRecord>(record);
      add({.kind = TraceKind::kKernel,
           .name = name_of(kernel.name),
           .stream = kernel.stream,
           .begin = kernel.start,
           .end = kernel.end},
          kernel.correlation);
      break;
    }
    case cupti::kMemcpy:
    case cupti::kMemset: {
      const auto copy = record_at<cupti::CopyRecord>(record);
      add({.kind = TraceKind::kCopy,
           .name = copy.kind == cupti::kMemset ? "memset" : name_of_copy(copy.copy_kind),
           .stream = copy.stream,
           .begin = copy.start,
           .end = copy.end},
          copy.correlation);
      break;
    }
    case cupti::kExternalCorrelation: {
      const auto external = record_at<cupti::CorrelationRecord>(record);
      if (external.external_kind != cupti::kOwnCorrelation) break;
      if (batches_.size() < kMostTraceEvents) batches_[external.correlation] = external.external;
      break;
    }
    case cupti::kOverhead: {
      const auto overhead = record_at<cupti::OverheadRecord>(record);
      if (overhead.end > overhead.start) costs_.cupti += overhead.end - overhead.start;
      break;
    }
    default:  // records of runtime functions, enabled only to get correlations
      break;
  }
}

void Cupti::add(GpuActivity activity, std::uint32_t correlation) {
  // Skip an activity without times: it had not ended when CUPTI delivered its record.
  if (activity.begin == 0 || activity.end < activity.begin) return;
  if (waiting_.size() >= kMostTraceEvents) {
    ++costs_.dropped;
    return;
  }
  waiting_.push_back({.activity = activity, .correlation = correlation});
}

std::string_view Cupti::name_of(const char* mangled) {
  if (mangled == nullptr) return "kernel";
  const auto found = names_.find(std::string_view(mangled));
  if (found != names_.end()) return found->second;
  return names_.emplace(mangled, short_kernel_name(mangled)).first->second;
}

}  // namespace virnucpro
