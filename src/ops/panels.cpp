#include "ops/panels.hpp"

#include <algorithm>

namespace virnucpro {

Panels::Panels(std::size_t rows, std::size_t width)
    : rows_(rows),
      width_(width),
      values_(Purpose::kActivations,
              checked_elements(Purpose::kActivations, panels() * kPanelRows, width)) {
  std::fill(row(rows_), row(panels() * kPanelRows), 0.0F);
}

RowRange panel_rows(std::size_t panel, std::size_t rows) {
  return {panel * kPanelRows, std::min((panel + 1) * kPanelRows, rows)};
}

}  // namespace virnucpro
