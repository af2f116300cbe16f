#include "sequence/started_source.hpp"

#include <algorithm>
#include <array>

namespace virnucpro {

StartedSource::StartedSource(ByteSource& source) : source_(source) {
  std::array<char, kStartBytes> buffer{};
  try {
    while (start_.size() < kStartBytes) {
      const std::size_t size = source_.read(std::span(buffer).first(kStartBytes - start_.size()));
      if (size == 0) break;
      start_.append(buffer.data(), size);
    }
  } catch (const Error& error) {
    failure_ = error;
  }
}

std::size_t StartedSource::read(std::span<char> buffer) {
  if (taken_ == start_.size()) {
    if (failure_) throw Error(*failure_);
    return source_.read(buffer);
  }
  const std::size_t size = std::min(buffer.size(), start_.size() - taken_);
  std::copy_n(start_.data() + taken_, size, buffer.data());
  taken_ += size;
  if (failure_ || size == buffer.size()) return size;
  try {
    return size + source_.read(buffer.subspan(size));
  } catch (const Error& error) {
    failure_ = error;
    return size;
  }
}

}  // namespace virnucpro
