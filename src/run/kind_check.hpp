#pragma once

#include "run/frame_stream.hpp"

namespace virnucpro {

// Warns once if proteins seem to be given as nucleotides, or nucleotides as proteins.
class KindCheck {
 public:
  explicit KindCheck(FrameSource source) : is_of_proteins_(source == FrameSource::kProteins) {}

  void look(const FramePart& part);

 private:
  bool is_of_proteins_;
  bool has_warned_ = false;
};

}  // namespace virnucpro
