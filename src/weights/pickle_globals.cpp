#include "weights/pickle_globals.hpp"

#include <array>
#include <cstddef>

namespace virnucpro {
namespace {

using enum GlobalUse;

// The last kOfNumpy globals are numpy's; the others are for weights.
constexpr std::size_t kOfNumpy = 7;
constexpr auto kAllowed = std::to_array<AllowedGlobal>({
    {"collections.OrderedDict", kDict},
    {"__builtin__.set", kList},
    {"builtins.set", kList},
    {"__builtin__.frozenset", kList},
    {"builtins.frozenset", kList},
    {"torch.Size", kIdentity},
    {"torch.device", kIdentity},
    {"_codecs.encode", kIdentity},
    {"torch._utils._rebuild_tensor", kRebuildTensor},
    {"torch._utils._rebuild_tensor_v2", kRebuildTensor},
    {"torch._utils._rebuild_parameter", kRebuildParameter},
    {"torch._utils._rebuild_parameter_with_state", kRebuildParameter},
    {"torch.FloatStorage", kStorageType},
    {"torch.HalfStorage", kStorageType},
    {"torch.BFloat16Storage", kStorageType},
    {"torch.DoubleStorage", kStorageType},
    {"torch.LongStorage", kStorageType},
    {"torch.IntStorage", kStorageType},
    {"torch.ShortStorage", kStorageType},
    {"torch.CharStorage", kStorageType},
    {"torch.ByteStorage", kStorageType},
    {"torch.BoolStorage", kStorageType},
    {"torch.float32", kConstant},
    {"torch.float16", kConstant},
    {"torch.bfloat16", kConstant},
    {"torch.float64", kConstant},
    {"torch.int64", kConstant},
    {"argparse.Namespace", kObject},
    {"__main__.MLPClassifier", kObject},
    {"torch.nn.modules.linear.Linear", kObject},
    {"torch.nn.modules.batchnorm.BatchNorm1d", kObject},
    {"torch.nn.modules.dropout.Dropout", kObject},
    {"torch.nn.modules.activation.ReLU", kObject},
    {"torch.nn.modules.activation.Softmax", kObject},
    {"torch.nn.modules.container.Sequential", kObject},
    {"numpy.core.multiarray._reconstruct", kObject},  // the name in numpy 1; below: in numpy 2
    {"numpy._core.multiarray._reconstruct", kObject},
    {"numpy.core.multiarray.scalar", kObject},
    {"numpy._core.multiarray.scalar", kObject},
    {"numpy.ndarray", kConstant},
    {"numpy.dtype", kObject},
    {"__builtin__.bytes", kObject},  // for an array without elements
});

}  // namespace

std::span<const AllowedGlobal> weight_globals() {
  return std::span(kAllowed).first(kAllowed.size() - kOfNumpy);
}

std::span<const AllowedGlobal> checkpoint_globals() {
  return kAllowed;
}

}  // namespace virnucpro
