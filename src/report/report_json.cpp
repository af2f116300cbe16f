#include "base/json.hpp"
#include "report/page_writers.hpp"

namespace virnucpro {
namespace {

constexpr const char* kSchema = "virnucpro-report-1";

Json json_value(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return *count;
  return nullptr;
}

Json json_fields(const std::vector<Field>& fields) {
  Json json = Json::object();
  for (const Field& field : fields) json[field.key] = json_value(field.value);
  return json;
}

Json json_table(const Table& table) {
  std::vector<Json> rows;
  for (const std::vector<Value>& row : table.rows) {
    Json object = Json::object();
    for (std::size_t k = 0; k < row.size(); ++k) {
      object[table.columns[k].key] = json_value(row[k]);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

Json json_heat_map(const Plot& plot) {
  std::vector<Json> cells;
  for (std::size_t k = 0; k < plot.map.cells.size(); ++k) {
    const HeatCell& cell = plot.map.cells[k];
    const std::size_t columns = plot.map.columns.size();
    cells.push_back({{"row", plot.map.rows.at(k / columns)},
                     {"column", plot.map.columns.at(k % columns)},
                     {"value", cell.value},
                     {"note", cell.note}});
  }
  return cells;
}

Json json_contig(const Plot& plot) {
  std::vector<Json> stretches;
  for (const MapStretch& stretch : plot.stretches) {
    stretches.push_back({{"begin", stretch.begin}, {"end", stretch.end}, {"score", stretch.score}});
  }
  return {{"sequence_id", plot.title}, {"stretches", stretches}};
}

Json json_plot(const Plot& plot) {
  if (plot.kind == PlotKind::kContig) return json_contig(plot);
  if (plot.kind == PlotKind::kHeatMap) return json_heat_map(plot);
  std::vector<Json> bars;
  for (const PlotBar& bar : plot.bars) bars.push_back({{"name", bar.name}, {"value", bar.value}});
  if (plot.kind == PlotKind::kBars || plot.kind == PlotKind::kRows) return bars;
  std::vector<Json> lines;
  for (const PlotLine& line : plot.lines) {
    std::vector<double> x;
    std::vector<double> y;
    for (const PlotPoint& point : line.points) {
      x.push_back(point.x);
      y.push_back(point.y);
    }
    lines.push_back({{"name", line.name}, {"x", x}, {"y", y}});
  }
  return lines;
}

Json json_section(const Section& section) {
  Json json{{"title", section.title}};
  if (!section.note.empty()) json["note"] = section.note;
  if (!section.preformatted.empty()) json["command"] = section.preformatted;
  json["fields"] = json_fields(section.fields);
  for (const Table& table : section.tables) json["tables"][table.key] = json_table(table);
  for (const Plot& plot : section.plots) json["plots"][plot.key] = json_plot(plot);
  return json;
}

}  // namespace

std::string report_json(const Page& page) {
  Json json{{"schema", kSchema},
            {"title", page.title},
            {"about", page.subtitle},
            {"state", page.badges},
            {"summary", json_fields(page.highlights)},
            {"warnings", page.warnings}};
  for (const Section& section : page.sections)
    json["sections"][section.key] = json_section(section);
  return json.dump(1) + "\n";
}

}  // namespace virnucpro
