#include "weights/tensor_archive.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "weights/safetensors.hpp"

namespace virnucpro {
namespace {

using namespace std::string_view_literals;

// The first bytes of files that users often mistake for weights, and a message about them.
struct KnownStart {
  std::string_view bytes;
  std::string_view what;
};

constexpr std::array kNotWeights{
    // The magic number of torch.save before 1.6, pickled.
    KnownStart{"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv,
               "in the format of torch before 1.6; load it with torch and save it again"sv},
    KnownStart{"\x80"sv, "a bare pickle, not a file of torch.save"sv},
    KnownStart{"\x89HDF\r\n"sv, "an HDF5 file"sv},
    KnownStart{"\x1f\x8b"sv, "a gzip file; unpack it first"sv},
    KnownStart{"version https://git-lfs"sv,
               "a Git LFS pointer instead of the model itself; run git lfs pull"sv},
    KnownStart{"<"sv, "HTML or XML, probably an error page saved by a download"sv},
};

[[noreturn]] void refuse(std::string_view start, const std::string& file) {
  for (const KnownStart& known : kNotWeights) {
    if (start.starts_with(known.bytes)) {
      throw Error(ErrorKind::kWeightsFormat, Place{.file = file},
                  "the file is " + std::string(known.what));
    }
  }
  throw Error(ErrorKind::kWeightsFormat, Place{.file = file},
              "the file is neither safetensors nor a ZIP of torch.save");
}

}  // namespace

TensorArchive parse_archive(const SteadyFile& file) {
  std::array<std::byte, 32> bytes{};
  const auto first = std::span(bytes).first(std::min<std::uint64_t>(bytes.size(), file.size()));
  file.read(0, first);
  const std::string_view start = as_text(first);
  if (start.size() < 9) {
    throw Error(ErrorKind::kWeightsTruncated, Place{.file = file.path().string()},
                "the file has only " + std::to_string(start.size()) + " bytes");
  }
  if (start.starts_with("PK\x03\x04")) return parse_torch_zip(file);
  if (start[8] != '{') refuse(start, file.path().string());
  Safetensors safetensors = parse_safetensors(file);
  return TensorArchive{.origin = std::move(safetensors.origin),
                       .tensors = std::move(safetensors.tensors)};
}

}  // namespace virnucpro
