// Laying out results as text, 100 columns wide.
#include "app/cli/print.h"

#include "app/cli/summary.h"
#include "instrumentation/analysis/decide.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/standard_streams.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/calls.h"
#include "instrumentation/capture/notes.h"
#include "instrumentation/capture/ran.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <sstream>

namespace wl::app {

namespace {

// Columns of text: COLUMNS where the environment has a usable one, as for man and git.
size_t text_width() {
    constexpr size_t kWidth = 100, kLeast = 40;
    const char* columns = std::getenv("COLUMNS");
    const size_t width = columns ? std::strtoul(columns, nullptr, 10) : 0;
    return width < kLeast ? kWidth : width;
}

double seconds(const capture::Capture& c, const char* name) {
    for (const auto& [key, value] : c.seconds) {
        if (key == name) return value;
    }
    return 0;
}

std::string verdict_cell(const capture::Capture& c, const ProbeSummary& r, const Style& style) {
    if (r.compared == 0) return paint(style, Color::dim, "not compared");
    if (r.first_bad < 0 && r.undecided > 0)
        return paint(style, Color::warn, fmt::format("undecided in {} of {} tiles", r.undecided, r.tiles));
    if (r.first_bad < 0) return paint(style, Color::good, "ok");
    const capture::Tile& first = c.tiles[static_cast<size_t>(r.first_bad)];
    const std::string wrong = paint(style, Color::bad, "wrong"),
                      element = fmt::format("element ({},{})", first.first_bad_row, first.first_bad_col);
    if (first.block == capture::kWholeLaunch) return wrong + ", first at " + element;
    return wrong +
        fmt::format(
               " in {} of {} tiles, first at iteration {}, block {}, {}",
               r.bad_tiles,
               r.tiles,
               first.iteration,
               block_text(first.block, c.launch.grid),
               element
        );
}

std::string output_word(const capture::Output& o, const Style& style) {
    switch (o.verdict) {
        case capture::Verdict::ok: return paint(style, Color::good, "ok");
        case capture::Verdict::bad: return paint(style, Color::bad, "wrong");
        case capture::Verdict::undecided: return paint(style, Color::warn, "undecided");
        case capture::Verdict::not_compared: return paint(style, Color::warn, "not compared");
    }
    return {};
}

// ", in blurred(float const*, int) inlined at blur.cu:19"
std::string calls_text(const capture::Capture& c, const capture::Finding& f, bool other) {
    std::string out;
    for (const capture::InlinedCall& call : capture::inlined_calls(c, f, other))
        out += fmt::format(", in {} inlined at {}:{}", call.function, call.file, call.line);
    return out;
}

}  // namespace

std::string wrap(const std::string& text, size_t indent) {
    std::istringstream words(text);
    const std::string margin(indent, ' ');
    std::string out = margin;
    size_t column = indent;
    const size_t width = text_width();
    for (std::string word; words >> word;) {
        if (column > indent && column + 1 + word.size() > width) out += "\n" + margin, column = indent;
        if (column > indent) out += ' ', ++column;
        out += word, column += word.size();
    }
    return out + "\n";
}

namespace {

std::string launch_text(int number, int all, const std::string& name) {
    return fmt::format("launch {} of {} ({})", number, all, name);
}

constexpr size_t kMostLaunches = 24;

// A line a launch of a sequence.
std::string launches_text(const capture::Capture& c, const Style& style) {
    std::string out;
    for (size_t k = 0; k < std::min(c.launches.size(), kMostLaunches); ++k) {
        const capture::Launched& l = c.launches[k];
        const auto number = static_cast<int>(k + 1);
        const auto found = std::count_if(c.findings.begin(), c.findings.end(), [&](const auto& f) {
            return f.where.launch == number;
        });
        std::string said =
            l.compared == 0 ? "nothing compared" : fmt::format("{} elements compared", l.compared);
        const auto add = [&](const std::string& part) { said += "; " + part; };
        if (l.bad > 0) add(paint(style, Color::bad, fmt::format("{} wrong", l.bad)));
        if (found > 0)
            add(paint(style, Color::bad, fmt::format("{} finding{}", found, found == 1 ? "" : "s")));
        if (!l.said.empty()) add(l.said);
        out += fmt::format(
            "{}: {} block{} of {}; {}{}\n",
            launch_text(number, c.launch.all, l.name),
            count(l.grid),
            count(l.grid) == 1 ? "" : "s",
            count(l.block),
            said,
            number == c.launch.number ? "; recorded" : ""
        );
    }
    if (c.launches.size() > kMostLaunches)
        out += fmt::format("and {} more launches\n", c.launches.size() - kMostLaunches);
    return out;
}

}  // namespace

std::string where_text(const capture::Capture& c, const capture::Where& w) {
    std::string out = w.line > 0 ? fmt::format("{}:{}", w.file, w.line) : "";
    const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
    if (w.launch > 0)
        add(launch_text(w.launch, c.launch.all, c.launches[static_cast<size_t>(w.launch - 1)].name));
    if (!w.tile.empty())
        add("tile " + w.tile + (w.element[0] >= 0 ? fmt::format("[{},{}]", w.element[0], w.element[1]) : ""));
    if (w.iteration >= 0) add(fmt::format("iteration {}", w.iteration));
    if (w.block >= 0) add("block " + block_text(w.block, grid_of(c, w)));
    if (w.warp >= 0) add(fmt::format("warp {}", w.warp));
    if (!w.lanes.empty()) add("lanes " + w.lanes);
    if (w.epoch >= 0) add(fmt::format("epoch {}", w.epoch));
    return out;
}

Style style_of(const OutputOptions& options) {
    if (options.color != "auto") return {options.color == "always"};
    return {is_terminal(kOutput) && std::getenv("NO_COLOR") == nullptr};
}

std::string paint(const Style& s, Color c, const std::string& text) {
    if (!s.color) return text;
    static constexpr const char* kCodes[] = {"31", "32", "33", "2", "1"};
    return coloured(kCodes[static_cast<int>(c)], text);
}

std::string params_text(const capture::Launch& l) {
    std::string out;
    for (const auto& [name, value] : l.params)
        out += fmt::format("{}{}={:g}", out.empty() ? "" : " ", name, value);
    return out;
}

std::string size_text(const capture::Launch& l) {
    return fmt::format(
        "grid {}x{}x{}, block {}x{}x{}, {} bytes of shared memory",
        l.grid.x,
        l.grid.y,
        l.grid.z,
        l.block.x,
        l.block.y,
        l.block.z,
        l.dynamic_shared + l.static_shared
    );
}

namespace {

// "v2c_3 --fault 32x  B=1 H=8 ..."
std::string title_text(const capture::Launch& l, const Style& style) {
    std::string faults;
    for (const std::string& f : l.faults) faults += " --fault " + f;
    return paint(style, Color::bold, l.kernel + faults) + "  " + params_text(l);
}

// Whose values these are.
std::string values_text(const capture::Launch& l) {
    return l.executor == "emulator" ? "values simulated by the CPU emulator"
                                    : "values measured on " + l.executor;
}

}  // namespace

std::string headline(const capture::Capture& c, const Style& style) {
    const capture::Launch& l = c.launch;
    std::string out = title_text(l, style) + "\n";
    out += fmt::format(
        "{}; {}; build {}, seed {}; run {:.2f} s, record {:.2f} s\n",
        size_text(l),
        values_text(l),
        l.build,
        l.seed,
        seconds(c, "run"),
        seconds(c, "record")
    );
    return out + launches_text(c, style);
}

namespace {

std::string evidence_text(const capture::Finding& f) {
    std::string out;
    for (const auto& [name, value] : f.evidence)
        out += fmt::format("{}{} = {:.6g}", out.empty() ? "" : ", ", name, value);
    return out;
}

// The line of a run without findings.
std::string verdict_text(const capture::Capture& c, const Style& style) {
    const std::string run = analysis::run_text(c), compared = analysis::compared_text(c);
    const std::string covers = (compared.empty() ? "" : compared + "; ") + run;
    if (c.verdict == "ok") return paint(style, Color::good, wrap("ok: no findings; " + covers, 0));
    if (c.verdict == "error") {
        const std::string& problem = c.covered.reference_problem;
        return paint(
            style,
            Color::bad,
            wrap("error: no reference: " + problem.substr(0, problem.find('\n')) + "; " + covers, 0)
        );
    }
    return paint(
        style,
        Color::warn,
        wrap(c.verdict + ": no findings, but " + join(analysis::gaps(c), "; ") + "; " + covers, 0)
    );
}

}  // namespace

std::string findings_text(const capture::Capture& c, const Style& style, bool verbose) {
    if (!c.unsupported.empty()) {
        std::string out;
        for (const std::string& u : c.unsupported) out += paint(style, Color::warn, u) + "\n";
        return out;
    }
    if (c.findings.empty()) return verdict_text(c, style);
    std::string out;
    for (size_t i = 0; i < c.findings.size(); ++i) {
        const capture::Finding& f = c.findings[i];
        const bool consequence = f.caused_by >= 0;
        out += fmt::format(
            "\n{} {}",
            paint(style, consequence ? Color::dim : Color::bad, fmt::format("[{}] {}", i + 1, f.rule)),
            f.count > 1 ? fmt::format("({} times) ", f.count) : ""
        );
        out += consequence ? fmt::format("consequence of [{}]\n", f.caused_by + 1)
                           : std::string(capture::name_of(f.evidence_kind)) + "\n";
        out += paint(style, Color::bold, wrap(f.title, 4));
        out += paint(style, Color::dim, wrap("at " + where_text(c, f.where) + calls_text(c, f, false), 4));
        if (f.other.line > 0)
            out +=
                paint(style, Color::dim, wrap("and " + where_text(c, f.other) + calls_text(c, f, true), 4));
        out += wrap(f.explanation, 4);
        if (!f.proof.empty())
            out += wrap(fmt::format("{}: {}", capture::name_of(f.evidence_kind), f.proof), 4);
        if (const std::string ran = capture::ran_text(f); !ran.empty()) out += wrap("ran: " + ran, 4);
        if (verbose && !f.evidence.empty())
            out += paint(style, Color::dim, wrap("evidence: " + evidence_text(f), 4));
    }
    if (c.verdict == "incomplete")
        out += "\n" + paint(style, Color::warn, wrap("incomplete: " + join(analysis::gaps(c), "; "), 0));
    return out;
}

namespace {

// Was it decided by less than a worst case? Then a reader is told, also of what is ok.
bool is_decided_otherwise(const capture::Output& o) {
    return o.of.limit != capture::Limit::worst_case && o.of.limit != capture::Limit::exact &&
        o.of.compared > 0;
}

}  // namespace

std::string outputs_text(const capture::Capture& c, const Style& style, bool notable) {
    std::string out;
    for (const capture::Output& o : c.outputs) {
        if (notable && !is_decided_otherwise(o)) continue;
        const std::string unmeasured =
            o.tile >= 0 ? analysis::unmeasured_text(c.tiles[static_cast<size_t>(o.tile)]) : "";
        out += fmt::format(
            "output {}: {}; {} of {} elements compared; {}",
            o.name,
            output_word(o, style),
            o.of.compared,
            o.of.elements,
            unmeasured.empty() ? fmt::format("in [{:.6g}, {:.6g}]", o.min, o.max) : "all " + unmeasured
        );
        if (o.of.compared > 0)
            out += fmt::format(
                ", reference in [{:.6g}, {:.6g}]; {}allowed {:.3g} ({})",
                o.reference_min,
                o.reference_max,
                unmeasured.empty() ? fmt::format("max difference {:.3g}, ", o.max_difference) : "",
                o.bound,
                analysis::limit_text(o.of)
            );
        if (o.of.unwritten > 0) out += fmt::format("; {} never written", o.of.unwritten);
        const int64_t infinite = o.tile >= 0 ? c.tiles[static_cast<size_t>(o.tile)].inf : 0;
        if (infinite > 0) out += fmt::format("; {} infinite", infinite);
        out += fmt::format("; {} NaN{}\n", o.nan, o.note.empty() ? "" : "; " + o.note);
    }
    return out;
}

std::string tiles_text(const capture::Capture& c, const Style& style) {
    const std::vector<ProbeSummary> rows = summarise(c);
    std::string out = paint(
        style,
        Color::dim,
        fmt::format(
            "{:<12} {:>9} {:>5} {:>7} {:>6} {:>10} {:>8}  {}\n",
            "tile",
            "shape",
            "type",
            "tiles",
            "kept",
            "max diff",
            "x bound",
            "verdict"
        )
    );
    for (size_t i = 0; i < rows.size(); ++i) {
        const capture::Probe& p = c.probes[i];
        const bool measured = rows[i].compared == 0 || rows[i].finite > 0;
        out += fmt::format(
            "{:<12} {:>9} {:>5} {:>7} {:>6} {:>10} {:>8}  {}\n",
            p.name,
            fmt::format("{}x{}", p.rows, p.cols),
            name_of(p.dtype),
            rows[i].tiles,
            rows[i].kept,
            measured ? fmt::format("{:.3g}", rows[i].max_difference) : "not finite",
            measured ? fmt::format("{:.2g}", rows[i].max_excess) : "-",
            verdict_cell(c, rows[i], style)
        );
    }
    return out;
}

std::string covered_text(const capture::Capture& c, const Style& style, bool verbose) {
    std::string checks;
    for (const std::string& name : c.covered.checks) checks += (checks.empty() ? "" : ", ") + name;
    std::string out = fmt::format(
        "covered: {} of {} blocks compared; checks: {}; {} schedule{}; blocks recorded: {}\n",
        c.covered.blocks_compared,
        c.covered.blocks,
        checks.empty() ? "none" : checks,
        c.covered.schedules,
        c.covered.schedules == 1 ? "" : "s",
        c.records.size()
    );
    return out + notes_text(c, style, verbose);
}

std::string notes_text(const capture::Capture& c, const Style& style, bool verbose) {
    std::string out;
    for (const std::string& n : c.notes)
        if (verbose || !n.starts_with(capture::kAside))
            out += paint(style, Color::warn, wrap("note: " + n, 0));
    if (!c.complete)
        out += paint(style, Color::warn, "note: this capture was recovered; its writer did not finish\n");
    return out;
}

std::string summary_text(const capture::Capture& c, const Style& style, Wanted wanted) {
    if (c.verdict == "ok" && !wanted.verbose) {
        return title_text(c.launch, style) + "; " + values_text(c.launch) + "\n" + findings_text(c, style) +
            outputs_text(c, style, true) + notes_text(c, style, false);
    }
    return headline(c, style) + findings_text(c, style, wanted.verbose) + "\n" + outputs_text(c, style) +
        (wanted.tiles ? "\n" + tiles_text(c, style) : "") + covered_text(c, style, wanted.verbose);
}

}  // namespace wl::app
