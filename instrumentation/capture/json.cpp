// The one spelling of a capture's results in JSON.
#include "instrumentation/capture/json.h"

#include "instrumentation/base/output/json_text.h"
#include "instrumentation/capture/block_json.h"
#include "instrumentation/capture/calls.h"
#include "instrumentation/capture/limit_words.h"

#include <nlohmann/json.hpp>

namespace wl::capture {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Capture& capture, const Where& where) {
    Json json = Json::object();
    if (!where.file.empty()) json["file"] = where.file;
    if (where.line > 0) json["line"] = where.line;
    if (!where.tile.empty()) json["tile"] = where.tile;
    if (where.element[0] >= 0) json["element"] = {where.element[0], where.element[1]};
    if (where.launch > 0) json["launch"] = where.launch;
    if (where.block >= 0) json["block"] = block_json(where.block, grid_of(capture, where));
    if (where.warp >= 0) json["warp"] = where.warp;
    if (!where.lanes.empty()) json["lanes"] = where.lanes;
    if (where.iteration >= 0) json["iteration"] = where.iteration;
    if (where.epoch >= 0) json["epoch"] = where.epoch;
    return json;
}

Json to_json(const std::vector<std::pair<std::string, double>>& numbers) {
    Json json = Json::object();
    for (const auto& [name, value] : numbers) json[name] = value == 0 ? 0.0 : value;  // no -0, as in the file
    return json;
}

// With the calls through which the access was inlined.
Json place_json(const Capture& capture, const Finding& finding, bool other) {
    Json json = to_json(capture, other ? finding.other : finding.where);
    for (const InlinedCall& call : inlined_calls(capture, finding, other))
        json["inlined_at"].push_back({
            {"file",     call.file    },
            {"line",     call.line    },
            {"function", call.function}
        });
    return json;
}

Json to_json(const Capture& capture, const Finding& finding) {
    Json json;
    json["rule"] = finding.rule;
    json["title"] = finding.title;
    json["explanation"] = finding.explanation;
    if (!finding.pattern.empty()) json["pattern"] = finding.pattern;
    json["where"] = place_json(capture, finding, false);
    if (finding.other.line > 0) json["other"] = place_json(capture, finding, true);
    if (!finding.proof.empty()) json["proof"] = finding.proof;
    json["evidence_kind"] = name_of(finding.evidence_kind);
    json["proven"] = is_proven(finding);
    json["evidence"] = to_json(finding.evidence);
    json["count"] = finding.count;
    if (finding.caused_by >= 0) json["caused_by"] = finding.caused_by;
    return json;
}

// `ok` is null where nothing was compared, or the limit decides nothing: neither true nor false. So are the
// figures where nothing was compared, and those of finite elements where all are NaN.
Json to_json(const Output& output) {
    const bool compared = output.verdict != Verdict::not_compared,
               decided = compared && output.verdict != Verdict::undecided;
    Json json;
    json["name"] = output.name;
    json["shape"] = output.shape;
    const bool measured = output.of.elements == 0 || output.nan < output.of.elements;
    json["max_abs_difference"] = compared && measured ? Json(output.max_difference) : Json();
    json["bound"] = compared ? Json(output.bound) : Json();
    json["nan"] = output.nan;
    json["range"] = measured ? Json{output.min, output.max} : Json();
    if (compared) json["reference_range"] = {output.reference_min, output.reference_max};
    json["ok"] = decided ? Json(output.verdict == Verdict::ok) : Json();
    json["verdict"] = kVerdictNames[static_cast<size_t>(output.verdict)];
    const Compared& of = output.of;
    json["elements"] = of.elements, json["compared"] = of.compared, json["unknown"] = of.unknown;
    json["unwritten"] = of.unwritten, json["wanted"] = of.wanted;
    if (compared)
        json["limit"] = {
            {"decided_by", name_of(of.limit)},
            {"worst_case", of.worst_case    },
            {"probable",   of.probable      },
            {"failure",    kFailure         },
            {"typical",    of.typical       },
            {"share",      of.share         }
        };
    if (!output.note.empty()) json["note"] = output.note;
    return json;
}

Json to_json(const Launched& launched) {
    Json json;
    json["name"] = launched.name, json["entry"] = launched.entry;
    json["grid"] = {launched.grid.x, launched.grid.y, launched.grid.z};
    json["block"] = {launched.block.x, launched.block.y, launched.block.z};
    json["blocks"] = launched.blocks, json["compared"] = launched.compared, json["bad"] = launched.bad;
    if (!launched.said.empty()) json["said"] = launched.said;
    return json;
}

Json to_json(const Covered& covered) {
    Json json;
    json["blocks"] = covered.blocks;
    json["blocks_compared"] = covered.blocks_compared;
    json["checks"] = covered.checks;
    json["schedules"] = covered.schedules;
    if (!covered.reference_problem.empty()) json["reference_problem"] = covered.reference_problem;
    if (!covered.assumed.empty()) json["assumed"] = covered.assumed;
    return json;
}

std::string print(const Json& json, int indent) { return json_text(json, indent); }

}  // namespace

std::string finding_json(const Capture& capture, const Finding& finding) {
    return print(to_json(capture, finding), -1);
}

std::string summary_json(const Capture& capture, std::string_view verb) {
    Json json;
    json["warplens"] = capture.tool_version;
    json["verb"] = verb;
    json["kernel"] = capture.launch.kernel;
    json["faults"] = capture.launch.faults;
    json["params"] = to_json(capture.launch.params);
    json["on"] = capture.launch.executor == "emulator" ? "cpu" : "gpu";
    json["build"] = capture.launch.build;
    json["seed"] = capture.launch.seed;
    json["verdict"] = capture.verdict;
    if (capture.launch.all > 1) {
        json["launch"] = {
            {"number", capture.launch.number},
            {"of",     capture.launch.all   },
            {"name",   capture.launch.name  }
        };
        for (const Launched& one : capture.launches) json["launches"].push_back(to_json(one));
    }
    json["covered"] = to_json(capture.covered);
    json["outputs"] = Json::array();
    for (const Output& output : capture.outputs) json["outputs"].push_back(to_json(output));
    json["findings"] = Json::array();
    for (const Finding& finding : capture.findings) json["findings"].push_back(to_json(capture, finding));
    json["unsupported"] = capture.unsupported;
    json["seconds"] = to_json(capture.seconds);
    json["counters"] = to_json(capture.counters);
    json["notes"] = capture.notes;
    return print(json, 2);
}

}  // namespace wl::capture
