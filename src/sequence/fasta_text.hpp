#pragma once

#include <string>
#include <string_view>

namespace virnucpro {

inline constexpr std::size_t kFastaColumns = 60;

// Appends one FASTA record to `out`, its letters in lines of 60 (no line if it is empty).
void append_fasta_60(std::string& out, std::string_view header, std::string_view letters);

// The same with all letters on one line.
void append_fasta_line(std::string& out, std::string_view header, std::string_view letters);

}  // namespace virnucpro
