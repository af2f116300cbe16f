#pragma once

#include "run/frame_stream.hpp"

namespace virnucpro {

// Warns once of proteins that were given as nucleotides, or the reverse.
class KindCheck {
 public:
  explicit KindCheck(FrameSource source) : is_of_proteins_(source == FrameSource::kProteins) {}

  void look(const FramePart& part);

 private:
  bool is_of_proteins_;
  bool has_warned_ = false;
};

}  // namespace virnucpro
