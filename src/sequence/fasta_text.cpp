#include "sequence/fasta_text.hpp"

namespace virnucpro {
namespace {

void append_header(std::string& out, std::string_view header) {
  out += '>';
  out += header;
  out += '\n';
}

}  // namespace

void append_fasta_60(std::string& out, std::string_view header, std::string_view letters) {
  append_header(out, header);
  while (!letters.empty()) {
    const std::string_view line = letters.substr(0, kFastaColumns);
    out += line;
    out += '\n';
    letters.remove_prefix(line.size());
  }
}

void append_fasta_line(std::string& out, std::string_view header, std::string_view letters) {
  append_header(out, header);
  out += letters;
  out += '\n';
}

}  // namespace virnucpro
