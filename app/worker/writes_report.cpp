// JSON in, rows out.
#include "app/worker/writes_report.h"

#include "app/worker/answer.h"

#include <bit>

namespace wl::app {

namespace {

using nlohmann::json;

WriteRow row_from(const json& j) {
    WriteRow row;
    const uint32_t lanes = j.at("lanes");
    row.order = j.at("order"), row.warp = j.at("warp"), row.epoch = j.at("epoch");
    row.lane = std::countr_zero(lanes), row.lanes = std::popcount(lanes);
    row.iteration = j.at("iteration"), row.stage = j.at("stage");
    row.copy = j.at("copy"), row.left = j.at("leaves");
    read_place(j.at("place"), row.file, row.line);
    return row;
}

}  // namespace

WritesReport writes_report(const std::string& text) {
    return read_answer(text, "writes", [](const json& j) {
        WritesReport report;
        report.asked = j.value("asked", "");
        report.problem = j.value("error", "");
        if (!report.problem.empty()) return report;
        report.build = j.at("build"), report.element = j.at("element");
        report.block = j.at("block"), report.global = j.at("global");
        for (const json& each : j.at("writes")) report.rows.push_back(row_from(each));
        return report;
    });
}

}  // namespace wl::app
