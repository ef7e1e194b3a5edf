// JSON in, the struct that the worker had out; maps come back by their names.
#include "app/worker/fragment_report.h"

#include "app/worker/answer.h"
#include "app/worker/numbers_json.h"
#include "instrumentation/fragments/names.h"

#include <utility>

namespace wl::app {

namespace {

using nlohmann::json;

fragments::Operand operand_from(const json& j) {
    fragments::Operand o;
    o.name = j.at("name");
    o.map = fragments::maps_named(j.at("map").get<std::string>()).front();
    if (const int blocks = j.at("blocks"); blocks > 1) o.map = fragments::repeated(o.map, blocks);
    o.values = numbers_from(j.at("values"));
    o.addresses = j.at("addresses").get<std::vector<uint64_t>>();
    o.stored = j.at("stored");
    o.place = j.at("place"), o.instruction = j.at("instruction");
    o.ld = j.at("ld"), o.column = j.at("column"), o.laid = j.at("laid");
    return o;
}

fragments::Laid laid_from(const json& j) {
    fragments::Laid l;
    l.name = j.at("name");
    l.dtype = dtype_from_name(j.at("dtype").get<std::string>()).value_or(DType::f32);
    l.column = j.at("column"), l.rows = j.at("rows"), l.cols = j.at("cols"), l.ld = j.at("ld");
    l.address = j.at("address");
    l.values = numbers_from(j.at("values"));
    return l;
}

}  // namespace

FragmentReport fragment_report(const std::string& text) {
    return read_answer(text, "fragments", [](const json& j) {
        FragmentReport report;
        report.asked = j.value("asked", "");
        report.problem = j.value("error", "");
        if (!report.problem.empty()) return report;
        fragments::Live& live = report.live;
        live.instruction = j.at("instruction"), live.file = j.at("file"), live.line = j.at("line");
        live.block = j.at("block"), live.warp = j.at("warp");
        live.time = j.at("time"), live.order = j.at("order");
        live.focus = j.at("focus"), live.mark = j.at("mark"), live.note = j.at("note"),
        live.shared_base = j.at("shared_base");
        for (const json& o : j.at("operands")) live.operands.push_back(operand_from(o));
        for (const json& l : j.at("laid")) live.laid.push_back(laid_from(l));
        return report;
    });
}

}  // namespace wl::app
