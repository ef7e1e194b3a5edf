// `warplens banks --json`.
#include "app/cli/banks.h"
#include "instrumentation/base/output/json_text.h"

#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using analysis::AccessLine;
using capture::AccessSite;
using diagnosis::BankReport;
using nlohmann::ordered_json;

const char* kind_name(AccessKind kind) {
    switch (kind) {
        case AccessKind::load: return "load";
        case AccessKind::store: return "store";
        case AccessKind::atomic: return "atomic";
        case AccessKind::matrix: return "matrix";
        case AccessKind::copy: return "copy";
    }
    return "";
}

ordered_json line_json(const BankReport& r, const AccessLine& l) {
    const AccessSite& s = l.sum;
    ordered_json j;
    j["file"] = file_of(r, l.source), j["line"] = l.line, j["inlined_at"] = l.inlined_at;
    j["instruction"] = text_of(r, s.site), j["instructions"] = l.instructions;
    j["requests"] = s.requests, j[s.global ? "sectors" : "wavefronts"] = s.cost, j["ideal"] = s.ideal;
    ordered_json& witness = j["witness"];
    witness["block"] = s.witness.block, witness["warp"] = s.witness.warp;
    if (s.global) return j;
    const BankCost cost = bank_cost(s.witness.accesses);
    j["degree"] = s.degree, j["array"] = array_name(r, l.array);
    witness["bank"] = cost.bank, witness["lanes"] = lanes_of(cost.lanes);
    for (const int lane : lanes_of(cost.lanes))
        witness["offsets"].push_back(s.witness.accesses.at[static_cast<size_t>(lane)]);
    witness["kind"] = kind_name(s.witness.accesses.kind), witness["bytes"] = s.witness.accesses.bytes;
    for (int lane = 0; lane < 32; ++lane) {
        const bool active = (s.witness.accesses.mask >> lane & 1) != 0;
        ordered_json& request = witness["request"];
        request.push_back(
            active ? ordered_json(s.witness.accesses.at[static_cast<size_t>(lane)]) : ordered_json()
        );
    }
    return j;
}

ordered_json memory_json(
    const BankReport& r,
    const std::vector<AccessSite>& sites,
    const std::vector<AccessLine>& lines,
    const char* unit
) {
    const analysis::AccessTotal t = analysis::total(sites);
    ordered_json list = ordered_json::array();
    for (const AccessLine& l : lines) list.push_back(line_json(r, l));
    ordered_json out;
    out["requests"] = t.requests, out[unit] = t.cost, out["ideal"] = t.ideal, out["lines"] = list;
    return out;
}

ordered_json remedies_json(const BankReport& r) {
    ordered_json list = ordered_json::array();
    for (const diagnosis::ProvenRemedy& p : r.remedies)
        list.push_back({
            {"array", array_name(r, p.remedy.array)},
            {"kind",       p.remedy.padding != 0 ? "padding" : "swizzle"             },
            {"pitch",       p.remedy.pitch},
            {"element",       p.remedy.element           },
            {"padding",       p.remedy.padding},
            {"unit",       p.remedy.padding != 0 ? 0 : p.remedy.unit              },
            {"mask",       p.remedy.padding != 0 ? 0 : p.remedy.mask},
            {"shift",       p.remedy.padding != 0 ? 0 : p.remedy.shift             },
            {"before",       p.before},
            {"after",       p.after              },
            {"ideal",       p.ideal},
            {"same_results",       p.same_results       },
            {"words",       remedy_words(p.remedy)     }
        });
    return list;
}

}  // namespace

std::string banks_json(const BankReport& r) {
    ordered_json j;
    j["warplens"] = WL_VERSION, j["verb"] = "banks", j["kernel"] = r.about.launch.kernel;
    j["faults"] = r.about.launch.faults, j["on"] = "cpu", j["seed"] = r.about.launch.seed;
    j["verdict"] = banks_verdict(r);
    j["covered"]["blocks"] = r.blocks;
    j["shared"] = memory_json(r, r.shared, r.shared_lines, "wavefronts");
    j["global"] = memory_json(r, r.global, r.global_lines, "sectors");
    j["remedies"] = remedies_json(r);
    j["uncounted"] = ordered_json::array();
    for (const uint32_t site : r.uncounted) j["uncounted"].push_back(text_of(r, site));
    for (const auto& [name, value] : r.about.seconds) j["seconds"][name] = value;
    return json_text(j);
}

}  // namespace wl::app
