// JSON in, one list of links out.
#include "app/worker/provenance_report.h"

#include "app/worker/answer.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace wl::app {

namespace {

using nlohmann::json;
using State = ProvenanceElement::State;

// NaN and Inf are texts: JSON has no such numbers.
double number_at(const json& j, const char* name) {
    const auto found = j.find(name);
    if (found == j.end()) return std::numeric_limits<double>::quiet_NaN();
    return found->is_string() ? std::strtod(found->get<std::string>().c_str(), nullptr)
                              : found->get<double>();
}

ProvenanceElement element_from(const json& j) {
    ProvenanceElement e;
    e.tile = j.at("tile");
    e.at = {j.at("element").at(0), j.at("element").at(1)};
    e.iteration = j.value("iteration", -1), e.warp = j.value("warp", -1);
    e.got = number_at(j, "got"), e.reference = number_at(j, "reference"), e.bound = number_at(j, "bound");
    const std::string state = j.at("state");
    e.state = state == "wrong" ? State::wrong : state == "right" ? State::right : State::unknown;
    return e;
}

bool same_mark(const ProvenanceElement& a, const ProvenanceElement& b) {
    return a.tile == b.tile && a.iteration == b.iteration && a.warp == b.warp;
}

// Elements come in kernel time: those of one mark stand side by side.
void add_elements(const json& j, ProvenanceReport& report) {
    const json& first_wrong = j.at("first_wrong");
    for (const json& each : j.at("elements")) {
        const ProvenanceElement e = element_from(each);
        if (report.links.empty() || !same_mark(report.links.back().element, e)) {
            ProvenanceLink& link = report.links.emplace_back();
            link.order = each.at("order");
            link.element = e;
        }
        ProvenanceLink& link = report.links.back();
        if (e.state == State::wrong && link.wrong++ == 0) link.element = e;
        ++link.elements;
        if (!first_wrong.is_null() && each == first_wrong) link.first_wrong = true;
    }
}

ProvenanceDecider decider_from(const json& j) {
    ProvenanceDecider d;
    d.kind = j.at("kind") == "address" ? ProvenanceDecider::Kind::address : ProvenanceDecider::Kind::guard;
    d.file = j.at("file"), d.text = j.at("text"), d.line = j.at("line");
    d.inlined_at = j.at("inlined_at").get<std::vector<int>>();
    d.warp = j.at("warp"), d.lane = j.at("lane");
    d.value = j.at("value");
    d.out_of = join(j.at("out_of").get<std::vector<std::string>>(), ", ");
    return d;
}

ProvenanceLink line_from(const json& j) {
    ProvenanceLink link;
    link.kind = ProvenanceLink::Kind::line;
    link.order = j.at("order");
    link.file = j.at("file"), link.text = j.at("text"), link.line = j.at("line");
    link.inlined_at = j.at("inlined_at").get<std::vector<int>>();
    link.warp = j.at("warp"), link.lane = j.at("lane");
    link.value = j.at("value"), link.times = j.at("times"), link.suspect = j.at("suspect");
    link.instructions = join(j.at("instructions").get<std::vector<std::string>>(), ", ");
    link.misled = j.at("misled");
    for (const json& each : j.at("decided_by"))
        if (each.at("line") != 0) link.deciders.push_back(decider_from(each));
    return link;
}

std::string input_text(const json& j) {
    const auto place = [](const json& at) { return json_text(at, -1); };
    std::string text = j.at("memory").get<std::string>() + "  ";
    if (j.contains("elements"))
        text += std::to_string(j.at("elements").get<uint64_t>()) + " elements " + place(j.at("first")) +
            " .. " + place(j.at("last"));
    else
        text += std::to_string(j.at("bytes").get<uint64_t>()) + " bytes at offsets " +
            std::to_string(j.at("offsets").at(0).get<uint64_t>()) + " .. " +
            std::to_string(j.at("offsets").at(1).get<uint64_t>());
    return text + (j.at("uninitialised").get<bool>() ? ", which nobody wrote" : "");
}

}  // namespace

ProvenanceReport provenance_report(const std::string& text) {
    return read_answer(text, "an element", [](const json& j) {
        ProvenanceReport report;
        report.question = j.at("question");
        report.problem = j.value("error", "");
        if (!report.problem.empty()) return report;
        report.block = j.at("block");
        report.asked = element_from(j.at("asked"));
        add_elements(j, report);
        for (const json& line : j.at("lines")) report.links.push_back(line_from(line));
        std::stable_sort(report.links.begin(), report.links.end(), [](const auto& a, const auto& b) {
            return a.order > b.order;
        });
        for (const json& input : j.at("inputs")) report.inputs.push_back(input_text(input));
        report.not_followed = j.at("not_followed").get<std::vector<std::string>>();
        const json& owner = j.at("evidence").at("belongs_to");
        if (!owner.is_null()) report.belongs_to = Element{owner.at(0), owner.at(1)};
        return report;
    });
}

}  // namespace wl::app
