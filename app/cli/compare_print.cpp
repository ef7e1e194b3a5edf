// The comparison of two captures as text, 100 columns wide, and as JSON.
#include "app/cli/compare.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/capture/block_json.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using analysis::FirstDifference;
using analysis::ProbePairs;
using capture::Tile;
using nlohmann::ordered_json;

const Tile& tile_of(const capture::Capture& c, int tile) { return c.tiles[static_cast<size_t>(tile)]; }

std::string tile_name(const capture::Capture& c, int tile) {
    const Tile& t = tile_of(c, tile);
    const std::string& name = c.probes[static_cast<size_t>(t.probe)].name;
    if (t.block == capture::kWholeLaunch) return "output " + name;
    return fmt::format("{}, iteration {}, block {}", name, t.iteration, block_text(t.block, c.launch.grid));
}

std::string launch_line(const char* side, const std::string& name, const capture::Capture& c) {
    const capture::Launch& l = c.launch;
    const std::string params = params_text(l);
    return fmt::format(
        "{}  {}{}\n   {}\n   with its reference: {}; {}\n",
        side,
        name,
        params.empty() ? "" : "  " + params,
        size_text(l),
        c.verdict,
        analysis::compared_text(c)
    );
}

std::string pairs_text(const analysis::CaptureComparison& c, const Style& style) {
    std::string out = paint(
        style,
        Color::dim,
        fmt::format(
            "{:<12} {:>6} {:>10} {:>9} {:>7} {:>11} {:>12} {:>12}\n",
            "tile",
            "pairs",
            "identical",
            "rounding",
            "differ",
            "max |A-B|",
            "A x bound",
            "B x bound"
        )
    );
    for (const ProbePairs& p : c.probes) {
        const std::string row = fmt::format(
            "{:<12} {:>6} {:>10} {:>9} {:>7} {:>11.3g} {:>12.2g} {:>12.2g}{}\n",
            p.name,
            p.pairs,
            p.identical,
            p.rounding,
            p.differ,
            p.max_difference,
            p.max_excess_a,
            p.max_excess_b,
            p.elsewhere > 0 ? fmt::format("  {} of another window", p.elsewhere) : ""
        );
        out += p.differ > 0 ? paint(style, Color::bad, row) : row;
    }
    return out;
}

std::string only_text(const char* side, const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
    return names.empty() ? "" : wrap(std::string("only in ") + side + ": " + list, 0);
}

// "inside its bound", "up to 7.5e+05 times its bound in 64 of 64 elements".
std::string against_reference(const Tile& t) {
    if (t.verdict == capture::Verdict::not_compared) return "compared with no reference";
    if (t.verdict == capture::Verdict::ok) return "inside its bound";
    return fmt::format(
        "{}outside its bound in {} of {} elements{}",
        t.max_excess > 1 ? fmt::format("up to {:.3g} times ", t.max_excess) : "",
        t.bad,
        t.compared,
        t.nan > 0 ? fmt::format(", {} NaN", t.nan) : ""
    );
}

std::string first_text(const Compared& c, const FirstDifference& f, const Style& style) {
    std::string out = "\n" +
        paint(style,
              Color::bold,
              wrap(
                  "first difference: " + tile_name(c.a, f.pair.a) +
                      fmt::format(", element [{},{}]", f.pair.row, f.pair.col),
                  0
              ));
    out += fmt::format("  A {:.7g}, B {:.7g}", f.value_a, f.value_b);
    if (f.reference) out += fmt::format(", reference {:.7g}", *f.reference);
    out += fmt::format(
        "; {} of {} elements differ, by up to {:.3g}\n",
        f.pair.different,
        f.pair.elements,
        f.pair.max_difference
    );
    if (f.factor && f.factor->spread < 1e-3 && std::fabs(f.factor->factor - 1) > 1e-3)
        out += fmt::format(
            "  B is {:.6g} times A in {} elements, to {:.1g}\n",
            f.factor->factor,
            f.factor->elements,
            f.factor->spread
        );
    out += fmt::format(
        "  A is {}; B is {}\n",
        against_reference(tile_of(c.a, f.pair.a)),
        against_reference(tile_of(c.b, f.pair.b))
    );
    if (f.last_a >= 0)
        out += "  the last tile before it in which they agree: " + tile_name(c.a, f.last_a) + "\n";
    if (!f.stage.empty()) out += "  stage: " + f.stage + "\n";
    return out;
}

std::string findings_of(const char* side, const capture::Capture& c) {
    if (c.findings.empty()) return fmt::format("findings of {}: none\n", side);
    const capture::Finding& f = c.findings.front();
    return wrap(
        fmt::format(
            "findings of {}: {}, the first: {}: {} ({})",
            side,
            c.findings.size(),
            f.rule,
            f.title,
            where_text(c, f.where)
        ),
        0
    );
}

std::string coloured(const std::string& hunk, const Style& style) {
    if (!style.color) return hunk;
    std::string out;
    for (size_t at = 0; at < hunk.size();) {
        const size_t end = hunk.find('\n', at);
        const std::string line = hunk.substr(at, end - at);
        const char mark = line.empty() ? ' ' : line[0];
        out += mark == '-' ? paint(style, Color::bad, line)
            : mark == '+'  ? paint(style, Color::good, line)
            : mark == '@'  ? paint(style, Color::dim, line)
                           : line;
        out += '\n';
        at = end + 1;
    }
    return out;
}

std::string source_name(const capture::Capture& c, int source) {
    std::string out = source < 0 ? "?" : c.sources[static_cast<size_t>(source)].path;
    for (const std::string& f : c.launch.faults) out += " +" + f;
    return out;
}

std::string source_text(const Compared& c, bool all, const Style& style) {
    const analysis::CaptureComparison& r = c.comparison;
    if (r.near.empty() && r.far.empty())
        return "\nthe sources are the same, once fault switches are decided\n";
    const bool everything = all || r.near.empty();
    std::string out = "\n";
    if (r.first && r.near.empty())
        out += "no changed line runs in the stage where they first differ; every change of the source:\n";
    else if (!r.near.empty())
        out += "changes of the source in the stage where they first differ:\n";
    out += "--- " + source_name(c.a, r.source_a) + "\n+++ " + source_name(c.b, r.source_b) + "\n";
    for (const analysis::Hunk& h : r.near) out += coloured(unified(h), style);
    if (everything && !r.near.empty() && !r.far.empty()) out += "and elsewhere:\n";
    if (everything)
        for (const analysis::Hunk& h : r.far) out += coloured(unified(h), style);
    else if (!r.far.empty())
        out += fmt::format("({} more elsewhere: --all)\n", r.far.size());
    return out;
}

ordered_json tile_json(const capture::Capture& c, int tile) {
    if (tile < 0) return nullptr;
    const Tile& t = tile_of(c, tile);
    ordered_json j;
    j["tile"] = c.probes[static_cast<size_t>(t.probe)].name, j["iteration"] = t.iteration;
    if (t.block != capture::kWholeLaunch) j["block"] = capture::block_json(t.block, c.launch.grid);
    return j;
}

ordered_json side_json(const std::string& name, const capture::Capture& c) {
    ordered_json j;
    j["verdict"] = c.verdict, j["compared"] = analysis::compared_text(c);
    j["name"] = name, j["kernel"] = c.launch.kernel, j["faults"] = c.launch.faults;
    for (const auto& [key, value] : c.launch.params) j["params"][key] = value;
    j["seed"] = c.launch.seed, j["findings"] = ordered_json::array();
    for (const capture::Finding& f : c.findings)
        j["findings"].push_back({
            {"rule",  f.rule },
            {"title", f.title}
        });
    return j;
}

ordered_json against_json(const Tile& t) {
    return {
        {"bad",            t.bad           },
        {"compared",       t.compared      },
        {"max_difference", t.max_difference},
        {"max_excess",     t.max_excess    },
        {"nan",            t.nan           }
    };
}

ordered_json first_json(const Compared& c) {
    if (!c.comparison.first) return nullptr;
    const FirstDifference& f = *c.comparison.first;
    ordered_json j = tile_json(c.a, f.pair.a);
    j["element"] = {f.pair.row, f.pair.col};
    j["a"] = f.value_a, j["b"] = f.value_b;
    j["reference"] = f.reference ? ordered_json(*f.reference) : ordered_json();
    j["different"] = f.pair.different, j["elements"] = f.pair.elements;
    j["max_difference"] = f.pair.max_difference;
    if (f.factor)
        j["factor"] = {
            {"b_over_a", f.factor->factor  },
            {"spread",   f.factor->spread  },
            {"elements", f.factor->elements}
        };
    j["a_against_reference"] = against_json(tile_of(c.a, f.pair.a));
    j["b_against_reference"] = against_json(tile_of(c.b, f.pair.b));
    j["last_agreement"] = tile_json(c.a, f.last_a);
    j["stage"] = f.stage;
    return j;
}

ordered_json hunks_json(const std::vector<analysis::Hunk>& hunks) {
    ordered_json list = ordered_json::array();
    for (const analysis::Hunk& h : hunks) list.push_back(unified(h));
    return list;
}

}  // namespace

std::string compare_text(const Compared& c, bool all_changes, const Style& style) {
    const analysis::CaptureComparison& r = c.comparison;
    std::string out = launch_line("A", c.name_a, c.a) + launch_line("B", c.name_b, c.b);
    out += fmt::format(
        "elements compared in {} block{} and the outputs; x bound: of every tile of all blocks, against the "
        "reference\n\n",
        r.blocks.size(),
        r.blocks.size() == 1 ? "" : "s"
    );
    out += pairs_text(r, style) + only_text("A", r.only_a) + only_text("B", r.only_b);
    out += r.first ? first_text(c, *r.first, style)
                   : paint(style, Color::good, "\nno difference beyond rounding where both were compared\n");
    if (!c.a.findings.empty() || !c.b.findings.empty())
        out += "\n" + findings_of("A", c.a) + findings_of("B", c.b);
    return out + source_text(c, all_changes, style);
}

std::string compare_json(const Compared& c) {
    const analysis::CaptureComparison& r = c.comparison;
    ordered_json j;
    j["warplens"] = WL_VERSION, j["verb"] = "compare", j["on"] = "cpu", j["verdict"] = compare_verdict(c);
    j["a"] = side_json(c.name_a, c.a), j["b"] = side_json(c.name_b, c.b);
    j["blocks"] = ordered_json::array();
    for (const int64_t block : r.blocks) j["blocks"].push_back(capture::block_json(block, c.a.launch.grid));
    j["tiles"] = ordered_json::array();
    for (const ProbePairs& p : r.probes)
        j["tiles"].push_back({
            {"tile",           p.name          },
            {"pairs",          p.pairs         },
            {"identical",      p.identical     },
            {"rounding",       p.rounding      },
            {"differ",         p.differ        },
            {"elsewhere",      p.elsewhere     },
            {"max_difference", p.max_difference},
            {"max_excess_a",   p.max_excess_a  },
            {"max_excess_b",   p.max_excess_b  },
            {"bad_a",          p.bad_a         },
            {"bad_b",          p.bad_b         }
        });
    j["only_in_a"] = r.only_a, j["only_in_b"] = r.only_b, j["first_difference"] = first_json(c);
    j["source"] = {
        {"a",                 source_name(c.a, r.source_a)},
        {"b",                   source_name(c.b,                                r.source_b)},
        {"in_the_stage",        hunks_json(r.near)},
        {"elsewhere",hunks_json(r.far)                 }
    };
    return json_text(j);
}

}  // namespace wl::app
