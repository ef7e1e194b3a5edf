// JSON in, rows with numbers out.
#include "app/worker/lane_report.h"

#include "app/worker/answer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace wl::app {

namespace {

using nlohmann::json;

double number_of(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end != text.c_str() && *end == '\0' ? value : std::numeric_limits<double>::quiet_NaN();
}

void measure(LaneRow& row, uint32_t lanes) {
    row.low = std::numeric_limits<double>::infinity(), row.high = -row.low;
    std::string first;
    row.uniform = true;
    for (size_t lane = 0; lane < 32; ++lane) {
        row.number[lane] = number_of(row.text[lane]);
        if ((lanes >> lane & 1) == 0) continue;
        if (first.empty()) first = row.text[lane];
        row.uniform = row.uniform && row.text[lane] == first;
        if (!std::isfinite(row.number[lane])) continue;
        row.low = std::min(row.low, row.number[lane]);
        row.high = std::max(row.high, row.number[lane]);
    }
}

// Values of all of them are coloured by one scale.
void share_range(std::vector<WarpRow>& warps) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const WarpRow& w : warps) low = std::min(low, w.row.low), high = std::max(high, w.row.high);
    for (WarpRow& w : warps) w.row.low = low, w.row.high = high;
}

WarpRow warp_from(const json& j, const std::string& across) {
    WarpRow w;
    w.warp = j.at("warp"), w.lanes = j.at("lanes"), w.waits = j.at("waits");
    read_place(j.at("place"), w.file, w.line);
    if (across.empty()) return w;
    w.row.expression = across, w.row.problem = j.at("problem");
    const json& values = j.at("values");
    w.row.text.fill("-");
    for (size_t lane = 0; lane < std::min<size_t>(values.size(), 32); ++lane)
        w.row.text[lane] = values.at(lane);
    measure(w.row, w.lanes);
    return w;
}

LaneRow row_from(const json& j, uint32_t lanes) {
    LaneRow row;
    row.expression = j.at("expression"), row.origin = j.at("origin"), row.problem = j.at("problem");
    row.depth = j.value("depth", 0), row.opens = j.value("opens", false);
    if (!row.problem.empty()) return row;
    for (size_t lane = 0; lane < 32; ++lane) row.text[lane] = j.at("lanes").at(lane);
    measure(row, lanes);
    return row;
}

}  // namespace

LaneReport lane_report(const std::string& text) {
    return read_answer(text, "an instant", [](const json& j) {
        LaneReport report;
        report.asked = j.at("asked");
        report.problem = j.value("error", "");
        if (!report.problem.empty()) return report;
        report.build = j.at("build"), report.function = j.at("function");
        report.instruction = j.at("instruction"), report.schedule_note = j.value("schedule_note", "");
        read_place(j.at("place"), report.file, report.line);
        report.block = j.at("block"), report.warp = j.at("warp"), report.time = j.at("time");
        report.order = j.at("order"), report.between = between_from(j.at("between").get<std::string>());
        report.lanes = j.at("lanes");
        for (const json& row : j.at("values")) report.rows.push_back(row_from(row, report.lanes));
        report.across = j.value("across", "");
        for (const json& w : j.value("warps", json::array()))
            report.warps.push_back(warp_from(w, report.across));
        share_range(report.warps);
        return report;
    });
}

}  // namespace wl::app
