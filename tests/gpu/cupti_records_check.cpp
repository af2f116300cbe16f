#include <cupti.h>

#include <cstddef>

#include "observe/cupti_records.hpp"

// Compiled but never run: compares our records with CUPTI's own header, if there is one.

namespace virnucpro {
namespace {

// Our records have the layout of CUPTI's own records, old and new.
template <typename Kernel>
constexpr bool has_places_of_a_kernel() {
  using Ours = cupti::KernelRecord;
  return offsetof(Kernel, start) == offsetof(Ours, start) &&
         offsetof(Kernel, end) == offsetof(Ours, end) &&
         offsetof(Kernel, streamId) == offsetof(Ours, stream) &&
         offsetof(Kernel, correlationId) == offsetof(Ours, correlation) &&
         offsetof(Kernel, name) == offsetof(Ours, name);
}
static_assert(has_places_of_a_kernel<CUpti_ActivityKernel4>());
static_assert(has_places_of_a_kernel<CUpti_ActivityKernel7>());
static_assert(has_places_of_a_kernel<CUpti_ActivityKernel9>());
static_assert(has_places_of_a_kernel<CUpti_ActivityKernel10>());

template <typename Copy>
constexpr bool has_places_of_a_copy() {
  using Ours = cupti::CopyRecord;
  return offsetof(Copy, start) == offsetof(Ours, start) &&
         offsetof(Copy, end) == offsetof(Ours, end) &&
         offsetof(Copy, streamId) == offsetof(Ours, stream) &&
         offsetof(Copy, correlationId) == offsetof(Ours, correlation);
}
static_assert(has_places_of_a_copy<CUpti_ActivityMemcpy>());
static_assert(has_places_of_a_copy<CUpti_ActivityMemcpy6>());
static_assert(has_places_of_a_copy<CUpti_ActivityMemset>());
static_assert(has_places_of_a_copy<CUpti_ActivityMemset4>());
static_assert(offsetof(CUpti_ActivityMemcpy6, copyKind) == offsetof(cupti::CopyRecord, copy_kind));

static_assert(offsetof(CUpti_ActivityExternalCorrelation, externalKind) ==
              offsetof(cupti::CorrelationRecord, external_kind));
static_assert(offsetof(CUpti_ActivityExternalCorrelation, externalId) ==
              offsetof(cupti::CorrelationRecord, external));
static_assert(offsetof(CUpti_ActivityExternalCorrelation, correlationId) ==
              offsetof(cupti::CorrelationRecord, correlation));
static_assert(offsetof(CUpti_ActivityOverhead, start) == offsetof(cupti::OverheadRecord, start));
static_assert(offsetof(CUpti_ActivityOverhead3, end) == offsetof(cupti::OverheadRecord, end));

static_assert(CUPTI_ACTIVITY_KIND_MEMCPY == cupti::kMemcpy);
static_assert(CUPTI_ACTIVITY_KIND_MEMSET == cupti::kMemset);
static_assert(CUPTI_ACTIVITY_KIND_RUNTIME == cupti::kRuntime);
static_assert(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == cupti::kConcurrentKernel);
static_assert(CUPTI_ACTIVITY_KIND_OVERHEAD == cupti::kOverhead);
static_assert(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION == cupti::kExternalCorrelation);
static_assert(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 == cupti::kOwnCorrelation);
static_assert(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED == cupti::kFlushForced);

}  // namespace
}  // namespace virnucpro
