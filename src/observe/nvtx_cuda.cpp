#include <nvtx3/nvToolsExt.h>

#include "observe/trace.hpp"
#include "observe/trace_part.hpp"

namespace virnucpro {
namespace {

nvtxDomainHandle_t domain() {
  static nvtxDomainHandle_t const handle = nvtxDomainCreateA("virnucpro");
  return handle;
}

}  // namespace

void push_nvtx_range(const char* name, std::uint64_t batch) noexcept {
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = name;
  if (batch != kNoBatch) {
    range.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    range.payload.ullValue = batch;
  }
  nvtxDomainRangePushEx(domain(), &range);
}

void pop_nvtx_range() noexcept {
  nvtxDomainRangePop(domain());
}

}  // namespace virnucpro
