#include "telemetry/text_lines.hpp"

#include "base/file.hpp"

namespace virnucpro {

void for_each_line(const std::filesystem::path& file,
                   const std::function<void(std::string_view)>& visit) {
  const MappedFile mapped(file);
  const auto bytes = mapped.bytes();
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    visit(end > kLongestLine ? std::string_view{} : text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

}  // namespace virnucpro
