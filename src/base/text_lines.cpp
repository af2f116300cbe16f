#include "base/text_lines.hpp"

#include "base/bytes.hpp"
#include "base/file.hpp"

namespace virnucpro {

void for_each_line(const std::filesystem::path& file,
                   const std::function<void(std::string_view)>& visit, std::size_t longest) {
  const MappedFile mapped(file);
  std::string_view text = as_text(mapped.bytes());
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    visit(end > longest ? std::string_view{} : text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

}  // namespace virnucpro
