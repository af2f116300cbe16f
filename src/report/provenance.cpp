#include "report/provenance.hpp"

#include <fmt/format.h>

namespace virnucpro {

std::vector<Field> fields_of(const Provenance& provenance) {
  std::vector<Field> fields{{"host", "host", provenance.host},
                            {"processor", "processor", provenance.processor}};
  for (std::size_t k = 0; k < provenance.devices.size(); ++k) {
    fields.push_back({fmt::format("device_{}", k), "GPU", provenance.devices[k]});
  }
  if (!provenance.driver.empty()) fields.push_back({"driver", "driver", provenance.driver});
  fields.insert(fields.end(), {{"version", "program", provenance.version},
                               {"build", "build", provenance.build},
                               {"commit", "commit", provenance.commit}});
  return fields;
}

}  // namespace virnucpro
