#include "measure/compare/row_match.hpp"

#include <deque>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "measure/compare/packed_reader.hpp"
#include "tables/external_sort.hpp"

namespace virnucpro {
namespace {

// Returns 8 bytes, the most significant first, so that keys sort like their numbers.
std::string sort_key(std::uint64_t number) {
  std::string key;
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(number >> shift & 0xffU);
  return key;
}

class Matcher {
 public:
  Matcher(RowSource& a, RowSource& b, const RowVisitor& visitor, const Cancel& cancel)
      : a_(a), b_(b), visitor_(visitor), cancel_(cancel) {}

  RowCounts match() {
    while (true) {
      cancel_.check();
      std::optional<IdRow> a = a_.next();
      std::optional<IdRow> b = b_.next();
      if (!a || !b) {
        // One file has ended, so the other file's remaining rows have no partner.
        for (; a; a = a_.next()) alone(*a, counts_.in_a, visitor_.only_a);
        for (; b; b = b_.next()) alone(*b, counts_.in_b, visitor_.only_b);
        return counts_;
      }
      if (a->id != b->id) {
        match_sorted(std::move(a), std::move(b));
        return counts_;
      }
      together(*a, *b);
    }
  }

 private:
  enum Side : std::uint64_t { kA, kB };

  void alone(const IdRow& row, std::uint64_t& count,
             const std::function<void(const IdRow&)>& tell) {
    cancel_.check();
    ++count;
    tell(row);
  }

  void together(const IdRow& a, const IdRow& b) {
    ++counts_.in_a;
    ++counts_.in_b;
    ++counts_.in_both;
    if (b.number < last_b_) counts_.same_order = false;
    last_b_ = b.number;
    visitor_.both(a, b);
  }

  void match_sorted(std::optional<IdRow> a, std::optional<IdRow> b) {
    const TemporaryFolder folder;
    ExternalSort by_id(Directory(folder.path()), limits().rows_in_sort, cancel_);
    for (; a; a = a_.next()) add(by_id, kA, *a);
    for (; b; b = b_.next()) add(by_id, kB, *b);
    ExternalSort in_order(Directory(folder.path()), limits().rows_in_sort, cancel_);
    pair_up(by_id, in_order);
    in_order.drain([this](std::string_view, std::string_view value) {
      PackedReader packed(value, "a sorted row");
      IdRow a_row{.id = std::string(packed.text())};
      IdRow b_row{.id = a_row.id};
      a_row.number = packed.varint();
      a_row.content = packed.text();
      b_row.number = packed.varint();
      b_row.content = packed.text();
      together(a_row, b_row);
    });
  }

  void add(ExternalSort& sort, Side side, const IdRow& row) const {
    cancel_.check();
    sort.add(row.id, ByteWriter().varint(side).varint(row.number).text(row.content).bytes());
  }

  // Pairs rows with equal ids. For each id, `by_id` returns all rows of A before those of B.
  void pair_up(ExternalSort& by_id, ExternalSort& in_order) {
    std::deque<IdRow> waiting;
    const auto flush = [&] {
      for (const IdRow& row : waiting) alone(row, counts_.in_a, visitor_.only_a);
      waiting.clear();
    };
    by_id.drain([&](std::string_view id, std::string_view value) {
      PackedReader packed(value, "a sorted row");
      const std::uint64_t side = packed.varint();
      IdRow row{.id = std::string(id)};
      row.number = packed.varint();
      row.content = packed.text();
      if (!waiting.empty() && waiting.front().id != row.id) flush();
      if (side == kA) {
        waiting.push_back(std::move(row));
      } else if (waiting.empty()) {
        alone(row, counts_.in_b, visitor_.only_b);
      } else {
        const IdRow& a = waiting.front();
        in_order.add(sort_key(a.number), ByteWriter()
                                             .text(a.id)
                                             .varint(a.number)
                                             .text(a.content)
                                             .varint(row.number)
                                             .text(row.content)
                                             .bytes());
        waiting.pop_front();
      }
    });
    flush();
  }

  RowSource& a_;
  RowSource& b_;
  const RowVisitor& visitor_;
  const Cancel& cancel_;
  RowCounts counts_;
  std::uint64_t last_b_ = 0;
};

}  // namespace

RowCounts match_rows(RowSource& a, RowSource& b, const RowVisitor& visitor, const Cancel& cancel) {
  return Matcher(a, b, visitor, cancel).match();
}

}  // namespace virnucpro
