// Figures of earlier benchmarks, as results and as a history: any bytes are read or refused with a
// typed error. What was read makes a page, and is the same when it is written and read again.
#include <vector>

#include "fuzz/page_check.hpp"
#include "fuzz/target.hpp"
#include "measure/suites/regression.hpp"
#include "unit/memory_file.hpp"

namespace {

using virnucpro::KeptResults;
using virnucpro::MemoryFile;
using virnucpro::fuzz::may_refuse;

void check_line(const KeptResults& results) {
  const std::string line = virnucpro::history_line(results);
  const std::vector<KeptResults> again = virnucpro::read_history(MemoryFile(line).path());
  if (again.size() != 1 || virnucpro::history_line(again.front()) != line) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({reinterpret_cast<const char*>(data), size});
  std::vector<KeptResults> history = virnucpro::read_history(file.path());
  may_refuse([&] { history.push_back(virnucpro::read_results(file.path(), {})); });
  if (history.empty()) return 0;
  const KeptResults& before = history.front();
  const KeptResults& now = history.back();
  check_line(now);
  const auto changes = virnucpro::changes_between(before.metrics, now.metrics);
  virnucpro::fuzz::check_page({.title = "fuzz",
                               .sections = {virnucpro::change_section(before, changes),
                                            virnucpro::trend_section(history)}});
  return 0;
}
