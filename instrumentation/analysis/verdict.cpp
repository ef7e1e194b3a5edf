#include "instrumentation/analysis/verdict.h"

#include "instrumentation/analysis/decide.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::analysis {

using capture::Output;
using capture::Verdict;

namespace {

void add_undecided_tiles(const capture::Capture& c, std::vector<std::string>& out) {
    std::vector<int64_t> undecided(c.probes.size());
    for (const capture::Tile& t : c.tiles)
        if (t.block != capture::kWholeLaunch && t.verdict == Verdict::undecided)
            ++undecided[static_cast<size_t>(t.probe)];
    for (size_t p = 0; p < undecided.size(); ++p)
        if (undecided[p] > 0)
            out.push_back(fmt::format(
                "{} tiles of {} lie outside a bound that is estimated and may be too tight: set terms in "
                "[tile.{}]",
                undecided[p],
                c.probes[p].name,
                c.probes[p].name
            ));
}

bool is_wrong(const capture::Capture& c) {
    return !c.findings.empty() || std::any_of(c.outputs.begin(), c.outputs.end(), [](const Output& o) {
        return o.verdict == Verdict::bad;
    });
}

}  // namespace

std::string unmeasured_text(const capture::Tile& tile) {
    const int64_t all = static_cast<int64_t>(tile.rows) * tile.cols;
    if (all == 0 || tile.nan + tile.inf < all) return {};
    return tile.inf == 0 ? "NaN" : tile.nan == 0 ? "infinite" : "NaN or infinite";
}

std::vector<std::string> gaps(const capture::Capture& c) {
    std::vector<std::string> out;
    const std::string made_up = c.covered.assumed.empty() ? ""
                                                          : "init made up its " +
            join(c.covered.assumed, ", ") + "; check these, then take them out of assumed in the manifest";
    if (is_wrong(c) && !made_up.empty())
        out.push_back("what is found may be the description's fault: " + made_up);
    for (const Output& o : c.outputs) {
        if (!o.of.wanted || o.verdict == Verdict::bad) continue;
        if (o.verdict == Verdict::ok && o.note.empty()) continue;
        if (o.verdict == Verdict::ok)
            out.push_back(o.name + " is compared in part: " + o.note);
        else if (o.verdict == Verdict::not_compared)
            out.push_back(o.name + " is not compared: " + o.note);
        else
            out.push_back(o.name + " is not decided: " + o.note);
    }
    add_undecided_tiles(c, out);
    if (!is_wrong(c) && !made_up.empty()) out.push_back(made_up);
    return out;
}

std::string verdict_of(const capture::Capture& c) {
    if (!c.unsupported.empty()) return "unsupported";
    if (is_wrong(c)) return c.covered.assumed.empty() ? "findings" : "incomplete";
    if (!c.covered.reference_problem.empty()) return "error";
    return gaps(c).empty() ? "ok" : "incomplete";
}

std::string compared_text(const capture::Capture& c) {
    std::string out;
    for (const Output& o : c.outputs)
        out += fmt::format(
            "{}{}: {} of {} elements compared", out.empty() ? "" : "; ", o.name, o.of.compared, o.of.elements
        );
    return out;
}

std::string run_text(const capture::Capture& c) {
    std::string out = fmt::format("seed {}", c.launch.seed);
    for (size_t i = 0; i < c.launch.params.size(); ++i)
        out += fmt::format(
            "{}{}={:g}", i == 0 ? ", " : " ", c.launch.params[i].first, c.launch.params[i].second
        );
    return out;
}

}  // namespace wl::analysis
