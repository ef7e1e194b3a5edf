// The acceptance table as text, 100 columns wide, and as JSON.
#include "app/cli/accept/accept.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/capture/block_json.h"
#include "instrumentation/capture/json.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using diagnosis::Acceptance;
using nlohmann::ordered_json;

constexpr std::array<const char*, 4> kVerdicts{"accepted", "refused", "unsupported", "error"};

const char* name_of(RowVerdict v) { return kVerdicts.at(static_cast<size_t>(v)); }

double kilobytes(uint64_t bytes) { return static_cast<double>(bytes) / 1024; }

double seconds(const capture::Capture& c, const std::string& name) {
    for (const auto& [key, value] : c.seconds)
        if (key == name) return value;
    return 0;
}

std::string conflicts(const Acceptance& a) {
    const analysis::AccessTotal& t = a.shared_accesses;
    if (a.counted == 0 || t.ideal == 0) return "-";
    return fmt::format("x{:.2f}", static_cast<double>(t.cost) / static_cast<double>(t.ideal));
}

Color color_of(RowVerdict v) {
    return v == RowVerdict::accepted ? Color::good : v == RowVerdict::refused ? Color::bad : Color::warn;
}

std::string first_bad_text(const Acceptance& a) {
    const capture::Tile& t = a.run.tiles[static_cast<size_t>(a.first_bad)];
    const capture::Probe& p = a.run.probes[static_cast<size_t>(t.probe)];
    std::string out = "first bad tile: " + p.name;
    if (t.block != capture::kWholeLaunch)
        out += fmt::format(", iteration {}, block {}", t.iteration, block_text(t.block, a.run.launch.grid));
    out += fmt::format(", element [{},{}]: ", t.first_bad_row, t.first_bad_col) +
        fmt::format("{} of {} elements", t.bad, t.compared);
    if (t.nan > 0) out += fmt::format(", {} NaN", t.nan);
    return out + (t.max_excess > 1 ? fmt::format(", up to {:.3g} times the bound", t.max_excess) : "");
}

std::string join_objections(const Acceptance& a) {
    std::string out;
    for (const std::string& o : a.objections) out += (out.empty() ? "" : "; ") + o;
    return out;
}

std::string refusal_text(const AcceptRow& row, const Style& style) {
    const Acceptance& a = row.result;
    std::string out = wrap("refused: " + join_objections(a), 4);
    if (a.first_bad >= 0) out += wrap(first_bad_text(a), 4);
    if (a.run.findings.empty()) return out;
    const capture::Finding& f = a.run.findings.front();
    out += wrap(fmt::format("first finding: {}: {}", f.rule, f.title), 4);
    return out + paint(style, Color::dim, wrap("at " + where_text(a.run, f.where), 4));
}

std::string gpu_text(const AcceptRow& row) {
    return fmt::format(" {:>8}", row.gpu ? fmt::format("{:.1f}", row.gpu->warm * 1e6) : "-");
}

std::string figures(const AcceptRow& row) {
    const Acceptance& a = row.result;
    const auto registers = a.resources.registers;
    return fmt::format(
        "{:>9} {:>13} {:>8} {:>7} {:>9} {:>9} {:>8.2f}",
        fmt::format("{:.2e}", a.max_difference),
        fmt::format("{} of {}", a.bad_tiles, a.tiles),
        a.run.findings.size(),
        fmt::format("{}/{}", registers ? std::to_string(*registers) : "?", a.limits.registers),
        fmt::format("{:.1f}/{:.0f}", kilobytes(a.shared()), kilobytes(a.limits.shared)),
        conflicts(a),
        seconds(a.run, "run")
    );
}

ordered_json first_bad_json(const Acceptance& a) {
    if (a.first_bad < 0) return nullptr;
    const capture::Tile& t = a.run.tiles[static_cast<size_t>(a.first_bad)];
    ordered_json j;
    j["tile"] = a.run.probes[static_cast<size_t>(t.probe)].name, j["iteration"] = t.iteration;
    if (t.block != capture::kWholeLaunch) j["block"] = capture::block_json(t.block, a.run.launch.grid);
    j["element"] = {t.first_bad_row, t.first_bad_col}, j["bad"] = t.bad, j["compared"] = t.compared;
    j["max_excess"] = t.max_excess;
    return j;
}

}  // namespace

std::string accept_heading(const std::vector<AcceptRow>& rows, bool measured, const Style& style) {
    const AcceptRow& first = rows.front();
    std::string name = first.kernel, shapes;
    for (const AcceptRow& row : rows)
        if (!row.settings.empty()) shapes += row.preset + ": " + row.settings + "; ";
    for (const std::string& f : first.faults) name += "+" + f;
    return paint(style, Color::bold, name) + "\n" + wrap(first.title, 2) +
        paint(style, Color::dim, wrap(shapes + (shapes.empty() ? "" : "else ") + first.usual, 2)) +
        paint(style,
              Color::dim,
              fmt::format(
                  "  {:<15} {:<9} {:>9} {:>13} {:>8} {:>7} {:>9} {:>9} {:>8}{}\n",
                  "preset",
                  "verdict",
                  "max diff",
                  "bad tiles",
                  "findings",
                  "regs",
                  "KB",
                  "conflicts",
                  "CPU s",
                  measured ? "   GPU us" : ""
              ));
}

std::string accept_text(const AcceptRow& row, bool measured, const Style& style) {
    const RowVerdict v = verdict_of(row);
    std::string out = fmt::format("  {:<15} ", row.preset.empty() ? "-" : row.preset);
    if (v == RowVerdict::error)
        return out + paint(style, color_of(v), name_of(v)) + "\n" + wrap(row.problem, 4);
    if (v == RowVerdict::unsupported) {
        out += paint(style, color_of(v), name_of(v)) + "\n";
        for (const std::string& u : row.result.run.unsupported) out += wrap(u, 4);
        return out;
    }
    out += paint(style, color_of(v), fmt::format("{:<9}", name_of(v))) + " " + figures(row) +
        (measured ? gpu_text(row) : "") + "\n";
    return v == RowVerdict::refused ? out + refusal_text(row, style) : out;
}

std::string accept_footer(const AcceptSummary& s, const Style& style) {
    const auto accepted = std::count(s.verdicts.begin(), s.verdicts.end(), RowVerdict::accepted);
    std::string out = paint(
        style,
        accepted == static_cast<std::ptrdiff_t>(s.verdicts.size()) ? Color::good : Color::bad,
        fmt::format("\n{} of {} accepted\n", accepted, s.verdicts.size())
    );
    out += wrap(
        "accepted: every output compared in full, and every tile, inside bounds that decide, no finding, no "
        "more registers and shared "
        "memory than the limits",
        0
    );
    out += wrap(
        "regs: a thread, " + (s.resources.empty() ? "unknown" : s.resources) +
            "; KB: shared memory a block; both with the kernel's limit",
        0
    );
    if (s.counted > 0)
        out += wrap(
            fmt::format(
                "conflicts: shared-memory wavefronts over what would do, in up to {} blocks of a launch",
                s.counted
            ),
            0
        );
    out += wrap(
        "CPU s: the emulator with all checks; GPU" +
            (s.measured ? " us: " + s.gpu + ", `warplens bench`, median with the same arrays again"
                        : ": " + s.gpu),
        0
    );
    return out;
}

std::string accept_row_json(const AcceptRow& row) {
    const Acceptance& a = row.result;
    ordered_json j;
    j["kernel"] = row.kernel, j["faults"] = row.faults, j["preset"] = row.preset;
    j["settings"] = row.settings, j["verdict"] = name_of(verdict_of(row));
    if (!row.problem.empty()) {
        j["problem"] = row.problem;
        return json_text(j, -1);
    }
    j["unsupported"] = a.run.unsupported;
    if (!a.run.unsupported.empty()) return json_text(j, -1);
    for (const auto& [name, value] : a.run.launch.params) j["params"][name] = value;
    j["objections"] = a.objections, j["compared"] = analysis::compared_text(a.run);
    j["max_abs_difference"] = a.max_difference, j["allowed"] = a.allowed, j["nan"] = a.nan;
    j["tiles"] = a.tiles, j["bad_tiles"] = a.bad_tiles, j["first_bad"] = first_bad_json(a);
    j["findings"] = ordered_json::array();
    for (const capture::Finding& f : a.run.findings)
        j["findings"].push_back(ordered_json::parse(capture::finding_json(a.run, f)));
    j["registers"] = a.resources.registers ? ordered_json(*a.resources.registers) : ordered_json();
    j["spilled_bytes"] = a.resources.registers ? ordered_json(a.resources.spilled) : ordered_json();
    j["registers_from"] = a.resources.origin, j["shared_bytes"] = a.shared();
    j["limits"] = {
        {"registers",    a.limits.registers},
        {"shared_bytes", a.limits.shared   }
    };
    const analysis::AccessTotal& t = a.shared_accesses;
    j["conflicts"] = {
        {"wavefronts", t.cost    },
        {"ideal",      t.ideal   },
        {"requests",   t.requests},
        {"blocks",     a.counted }
    };
    const auto measured = [&](double GpuTime::*time) {
        return row.gpu ? ordered_json((*row.gpu).*time) : ordered_json();
    };
    j["seconds"] = {
        {"cpu", seconds(a.run, "run")},
        {"gpu",     measured(&GpuTime::warm)             },
        {"gpu_cold",     measured(&GpuTime::cold)}
    };
    return json_text(j, -1);
}

ReportCase accept_case(const AcceptRow& row) {
    const RowVerdict verdict = verdict_of(row);
    std::string name = row.kernel + (row.preset.empty() ? "" : " " + row.preset);
    if (verdict == RowVerdict::error) {
        ReportCase out = report_of_problem("accept", "error", row.problem).cases.front();
        out.name = std::move(name);
        return out;
    }
    ReportCase out = case_of(row.result.run, "accept");
    out.name = std::move(name);
    if (verdict != RowVerdict::unsupported) out.verdict = verdict == RowVerdict::accepted ? "ok" : "findings";
    for (const std::string& objection : row.result.objections) {
        out.items.push_back({"refused", Level::error, objection, objection});
        std::string& anchor = out.items.back().anchor = objection;  // without its numbers
        std::erase_if(anchor, [](unsigned char letter) { return std::isdigit(letter) != 0; });
    }
    return out;
}

std::string accept_json(const std::vector<std::string>& rows, const AcceptSummary& s, uint64_t seed) {
    const auto has = [&](RowVerdict v) {
        return std::find(s.verdicts.begin(), s.verdicts.end(), v) != s.verdicts.end();
    };
    ordered_json j;
    j["warplens"] = WL_VERSION, j["verb"] = "accept", j["on"] = "cpu", j["seed"] = seed;
    j["verdict"] = has(RowVerdict::error) ? "error"
        : has(RowVerdict::unsupported)    ? "unsupported"
        : has(RowVerdict::refused)        ? "findings"
                                          : "ok";
    j["accepted"] = std::count(s.verdicts.begin(), s.verdicts.end(), RowVerdict::accepted);
    j["gpu"] = s.gpu, j["rows"] = ordered_json::array();
    for (const std::string& row : rows) j["rows"].push_back(ordered_json::parse(row));
    return json_text(j);
}

}  // namespace wl::app
