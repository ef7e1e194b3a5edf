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

LaneRow row_from(const json& j, uint32_t lanes) {
    LaneRow row;
    row.expression = j.at("expression"), row.origin = j.at("origin"), row.problem = j.at("problem");
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
        const std::string place = j.at("place");
        const size_t colon = place.rfind(':');
        if (colon != std::string::npos) {
            report.file = place.substr(0, colon);
            report.line = std::atoi(place.c_str() + colon + 1);
        }
        report.block = j.at("block"), report.warp = j.at("warp"), report.time = j.at("time");
        report.order = j.at("order"), report.between = between_from(j.at("between").get<std::string>());
        report.lanes = j.at("lanes");
        for (const json& row : j.at("values")) report.rows.push_back(row_from(row, report.lanes));
        return report;
    });
}

}  // namespace wl::app
