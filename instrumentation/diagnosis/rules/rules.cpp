// Running the rule table and ordering what it found: causes first, consequences after them.
#include "instrumentation/diagnosis/rules/rules.h"

#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/ceiling.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/rules/held_up.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/wrong_elements.h"
#include "instrumentation/execution/reach.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace wl::diagnosis {

namespace {

using When = Rule::When;

constexpr Rule kRules[] = {
    {"owner",           owner_rule,           When::always,      false},
    {"race",            race_rule,            When::always,      false},
    {"fault",           fault_rule,           When::always,      false},
    {"device",          device_rule,          When::always,      false},
    {"uninitialised",   uninitialised_rule,   When::always,      false},
    {"never_written",   never_written_rule,   When::always,      false},
    {"unwritten",       unwritten_rule,       When::always,      false},
    {"constant_factor", constant_factor_rule, When::always,      false},
    {"operand",         operand_rule,         When::always,      false},
    {"partial",         partial_rule,         When::always,      false},
    {"stride",          stride_rule,          When::always,      false},
    {"index",           index_rule,           When::unexplained, false},
    {"idea",            idea_rule,            When::asked,       false},
    {"precision",       precision_rule,       When::unproven,    true },
    {"search",          search_rule,          When::unproven,    true },
    {"inputs",          inputs_rule,          When::neither,     true },
};

std::string factor_sentence(const std::string& name, const analysis::FactorFit& fit) {
    return fit.factor < 1
        ? fmt::format("{} is the reference / {} in every element", name, number(1 / fit.factor))
        : fmt::format("{} is {} x the reference in every element", name, number(fit.factor));
}

// What a wrong output looks like: the honest description when nothing explains it, a consequence when
// something does.
capture::Finding output_finding(const Symptoms& s, const capture::Output& o) {
    capture::Finding f;
    f.rule = "values_differ";
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(o.tile)];
    const std::optional<analysis::FactorFit> fit = analysis::fit_factor(analysis::load_tile(s.capture, tile));
    f.where.tile = o.name, f.where.element[0] = tile.first_bad_row, f.where.element[1] = tile.first_bad_col;
    f.title = fit && fit->bad_after == 0
        ? factor_sentence(o.name, *fit)
        : fmt::format("{} differs from the reference in {} of {} elements", o.name, tile.bad, tile.compared);
    if (o.nan > 0) f.title += fmt::format(", {} of them NaN", o.nan);
    const std::string unmeasured = analysis::unmeasured_text(tile);
    f.explanation = unmeasured.empty()
        ? fmt::format(
              "{} lies in [{}, {}]{}, the reference in [{}, {}]; {}.",
              o.name,
              number(o.min),
              number(o.max),
              tile.inf > 0 ? fmt::format(" but for {} infinite values", tile.inf) : "",
              number(o.reference_min),
              number(o.reference_max),
              worst_text(analysis::load_tile(s.capture, tile))
          )
        : fmt::format(
              "Every element of {} is {}; the reference lies in [{}, {}].",
              o.name,
              unmeasured,
              number(o.reference_min),
              number(o.reference_max)
          );
    if (fit)
        f.evidence = {
            {"ratio",  fit->factor},
            {"spread", fit->spread}
        };
    f.evidence.emplace_back("max_difference", o.max_difference);
    f.evidence.emplace_back("bad", static_cast<double>(tile.bad));
    place_output(s, o, f);
    const bool told = f.pattern.empty() || f.title.find("every element") != std::string::npos;
    if (!told) f.title += ": " + f.pattern;
    return f;
}

// Nothing explains the first bad tile: say where it is and what it looks like, and claim no cause.
capture::Finding tile_finding(const Symptoms& s) {
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const capture::Probe& probe = s.capture.probes[static_cast<size_t>(tile.probe)];
    capture::Finding f;
    f.rule = "values_differ";
    f.where = where_of_probe(s, probe);
    f.where.tile = probe.name, f.where.block = tile.block, f.where.iteration = tile.iteration,
    f.where.warp = tile.warp;
    f.where.element[0] = tile.first_bad_row, f.where.element[1] = tile.first_bad_col;
    f.title = fmt::format(
        "{} is the first tile that differs: iteration {}, block {}, {} of {} elements",
        probe.name,
        tile.iteration,
        block_text(s.capture, tile.block),
        tile.bad,
        tile.compared
    );
    const std::string unmeasured = analysis::unmeasured_text(tile);
    f.explanation = fmt::format(
        "Every tile before {} in kernel time is inside its bound; there {}, first at element ({}, {}). What "
        "lies between the mark before it and {} is where to look; no cause is claimed.",
        place(f.where),
        unmeasured.empty() ? fmt::format(
                                 "the largest difference is {} ({} x its bound)",
                                 number(tile.max_difference),
                                 number(tile.max_excess)
                             )
                           : "every element is " + unmeasured,
        tile.first_bad_row,
        tile.first_bad_col,
        place(f.where)
    );
    f.evidence = {
        {"max_difference", tile.max_difference          },
        {"excess",         tile.max_excess              },
        {"bad",            static_cast<double>(tile.bad)}
    };
    place_tile(s, f);
    return f;
}

// The changed program had none of them; where none was run, the cause accounts for all that is wrong. What is
// proven by itself stays a cause beside a change that somebody asks for.
void become_consequences(
    std::vector<capture::Finding>& findings, int of, const capture::Finding& cause, bool asked
) {
    for (capture::Finding& f : findings) {
        if (asked && (is_proven(f) || f.caused_by >= 0)) continue;
        f.caused_by = of;
        if (is_proven(cause)) f.proof += "; gone with the change of the cause";
    }
}

void join(std::vector<capture::Finding>& findings, const Claim& claim, int by) {
    for (capture::Finding& f : findings) {
        if (!covers(claim, f.rule, f.where.tile)) continue;
        f.caused_by = by;
        f.proof += (f.proof.empty() ? "" : "; ") + claim.why;
    }
}

bool is_root(const capture::Finding& f, const std::string& rule) { return f.rule == rule && f.caused_by < 0; }

bool is_race(const capture::Finding& f) { return f.rule.starts_with("race_"); }

// Once the barriers of a block are out of step, or an mbarrier is misused, what its warps do next says
// nothing of its own; nor does a second fault of an access that stops a GPU.
void join_aftermath(std::vector<capture::Finding>& findings) {
    const auto follow = [&](const std::string& cause, auto&& follows, const char* why) {
        for (size_t c = 0; c < findings.size(); ++c) {
            if (!is_root(findings[c], cause) && !is_held_up(findings, c, cause)) continue;
            for (size_t k = 0; k < findings.size(); ++k) {
                capture::Finding& f = findings[k];
                const bool same_block = f.where.block == findings[c].where.block;
                if (k == c || f.caused_by >= 0 || !same_block || !follows(findings[c], f)) continue;
                f.caused_by = static_cast<int>(c), f.proof = why;
                f.evidence_kind = capture::EvidenceKind::witness;
            }
        }
    };
    follow(
        "divergent_barrier",
        [](const capture::Finding& cause, const capture::Finding& f) {
            return is_race(f) && std::min(f.where.epoch, f.other.epoch) >= cause.where.epoch;
        },
        "the two accesses above, made after the barriers of the block fell out of step"
    );
    follow(
        "mbarrier_misuse",
        [](const capture::Finding& cause, const capture::Finding& f) {
            return f.rule == "mbarrier_misuse" || f.rule == "deadlock" ||
                (is_race(f) && (same_line(f.where, cause.where) || same_line(f.other, cause.where)));
        },
        "seen after an mbarrier of the block was misused"
    );
    follow(
        "async_copy_wait",
        [](const capture::Finding& cause, const capture::Finding& f) {
            return is_race(f) && same_lines(cause.where, cause.other, f.where, f.other);
        },
        "the copy that is not waited for, where its bytes have come meanwhile"
    );
    follow(
        "deadlock",
        [](const capture::Finding& cause, const capture::Finding& f) {
            return f.rule == "divergent_barrier" && f.other.line == 0 && f.where.warp == cause.where.warp;
        },
        "waits for the lanes that do not come back"
    );
    for (size_t c = 0; c < findings.size(); ++c) {
        if (!is_root(findings[c], "misaligned")) continue;
        for (capture::Finding& f : findings) {
            if (!is_root(f, "out_of_bounds") || !same_line(f.where, findings[c].where)) continue;
            f.caused_by = static_cast<int>(c);
            f.proof += "; a GPU stops at the misaligned access before";
        }
    }
}

bool is_fault(const std::string& rule) {
    for (int kind = 0; kind <= static_cast<int>(execution::Incident::Kind::left_early); ++kind) {
        const char* const name = fault_name(static_cast<execution::Incident::Kind>(kind));
        if (name != nullptr && rule == name) return true;
    }
    return false;
}

// What a device stops at, or never ends for: the emulator's finding says where.
void join_device_fault(std::vector<capture::Finding>& findings) {
    const auto cause = std::find_if(findings.begin(), findings.end(), [](const capture::Finding& f) {
        return f.caused_by < 0 && is_fault(f.rule);
    });
    if (cause == findings.end()) return;
    for (capture::Finding& f : findings) {
        if (f.rule != "device_fault") continue;
        f.caused_by = static_cast<int>(cause - findings.begin());
        f.proof += "; the emulator found what a device stops at";
    }
}

// An order that observing gives is a race's consequence.
void join_observing(std::vector<capture::Finding>& findings) {
    const auto race = std::find_if(findings.begin(), findings.end(), is_race);
    if (race == findings.end()) return;
    for (capture::Finding& f : findings)
        if (f.rule == "observing_changed") f.caused_by = static_cast<int>(race - findings.begin());
}

// Is it a cause whatever the values are? A race is one as far as a mending showed it; that values differ, or
// that nobody wrote them, is what a cause is looked for.
bool leads(const capture::Finding& f) {
    if (f.evidence_kind != capture::EvidenceKind::witness)
        return f.evidence_kind != capture::EvidenceKind::fit;
    return !is_race(f) && f.rule != "never_written" && f.rule != "values_differ" &&
        f.rule != "observing_changed";
}

// Causes first, then what may be one, then consequences; order within is the table's.
void order(std::vector<capture::Finding>& findings) {
    const auto rank = [&](size_t i) {
        const capture::Finding& f = findings[i];
        return f.caused_by >= 0 ? 2 : leads(f) ? 0 : 1;
    };
    std::vector<size_t> from(findings.size());
    std::iota(from.begin(), from.end(), size_t{0});
    std::stable_sort(from.begin(), from.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
    std::vector<capture::Finding> out;
    for (const size_t i : from) {
        out.push_back(findings[i]);
        int& cause = out.back().caused_by;
        const auto now = std::find(from.begin(), from.end(), static_cast<size_t>(cause));
        if (cause >= 0) cause = static_cast<int>(now - from.begin());
    }
    findings = std::move(out);
}

// A cause that shows in an output alone, and whose own line is not known, is told at the line that wrote what
// is wrong.
void lend_place(std::vector<capture::Finding>& findings) {
    const capture::Finding& from = findings.back();
    if (from.where.line == 0) return;
    for (capture::Finding& f : findings) {
        if (f.where.line > 0 || f.where.tile != from.where.tile) continue;
        const capture::Where was = f.where;
        f.where = from.where;
        f.where.iteration = was.iteration, f.where.element[0] = was.element[0],
        f.where.element[1] = was.element[1];
        f.pattern = from.pattern;
        f.explanation += fmt::format(" {} wrote the elements that are wrong.", place(f.where));
    }
}

// Proven, or a barrier that a part of a warp reaches, unless the rest is held up elsewhere, or a race of
// blocks that nothing else shows, which can be hidden by leaving one of its accesses out. One of a block's
// threads that no barrier orders may come of a pointer or an index.
bool has_cause(const Symptoms& s, const Ruled& said) {
    const bool races_alone =
        s.first_bad < 0 && std::all_of(s.incidents.begin(), s.incidents.end(), [](const auto& i) {
            return wl::diagnosis::is_race(i.kind);
        });
    const bool held_up =
        std::any_of(s.incidents.begin(), s.incidents.end(), [](const auto& i) { return never_ends(i.kind); });
    return !said.kind_alone && std::any_of(said.findings.begin(), said.findings.end(), [&](const auto& f) {
        return capture::is_proven(f) || (f.rule == "divergent_barrier" && !held_up) ||
            (f.rule == race_name(execution::Incident::Kind::race_global) && races_alone);
    });
}

// Where the emulator lacks an instruction, a rule that needs it says nothing.
Ruled apply(const Rule& rule, const Symptoms& s) {
    if (!tries_on_device(s.experiment)) return rule.apply(s);
    try {
        return rule.apply(s);
    } catch (const Unsupported&) { return {}; }
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

bool covers(const Claim& claim, const std::string& rule, const std::string& tile) {
    const auto has = [](const std::vector<std::string>& all, const std::string& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    return has(claim.rules, rule) && (claim.tiles.empty() || has(claim.tiles, tile));
}

namespace {

constexpr const char* kTimeWasUp =
    "The time for the search was up before all had been looked at: a longer one may find more.";

// Once the time is up a rule answers without trials: what was seen is reported, and nothing is proven.
Ruled answer_of(const Rule& rule, Symptoms& s, std::optional<Ceiling>& ceiling) {
    try {
        return apply(rule, s);
    } catch (const Stopped&) {
        if (stop_signal() != 0) throw;
        ceiling.reset();
        s.prover.time_is_up = true;
    }
    return rule.needs_time ? Ruled{} : apply(rule, s);
}

}  // namespace

std::vector<capture::Finding> diagnose(
    const Experiment& e, const capture::Capture& c, const std::vector<emulator::Incident>& incidents
) {
    Prover prover{e};
    Symptoms s = symptoms_of(prover, c, incidents);
    std::optional<Ceiling> ceiling;
    if (e.options.search_seconds > 0) ceiling.emplace(e.options.search_seconds);
    std::vector<capture::Finding> out;
    bool explained = s.first_bad < 0;
    std::vector<int> claimed_by;  // of s.claims: indices of findings
    std::string tried;
    bool found = false;    // a cause
    bool settled = false;  // what is wrong is accounted for, and no line is proven to be the cause
    bool over = false;     // a cause mends
    for (const Rule& rule : rules()) {
        const bool neither = rule.when == When::neither, asked = rule.when == When::asked;
        if ((rule.when == When::unexplained || neither) && explained) continue;
        if (!asked && (over || (rule.when == When::unproven || neither ? found : settled))) continue;
        if (rule.needs_time && s.prover.time_is_up) continue;
        Ruled said = answer_of(rule, s, ceiling);
        const auto first = static_cast<int>(out.size());
        for (capture::Finding& f : said.findings) f.caused_by += f.caused_by >= 0 ? first : 0;
        for (size_t i = 0; i < s.claims.size(); ++i) join(said.findings, s.claims[i], claimed_by[i]);
        if (!said.claim.rules.empty()) s.claims.push_back(said.claim), claimed_by.push_back(first);
        if (said.mends && !over) become_consequences(out, first, said.findings.front(), asked);
        add_sentence(tried, said.tried);
        out.insert(out.end(), said.findings.begin(), said.findings.end());
        explained = explained || said.explains;
        const bool cause = has_cause(s, said);
        over = over || (said.mends && cause);
        found = found || cause;
        s.right_in_fp64 = s.right_in_fp64 || (said.mends && rule.apply == precision_rule);
        settled = settled || said.mends;  // a change of the program is looked for still
    }
    ceiling.reset();
    if (s.prover.time_is_up) add_sentence(tried, kTimeWasUp);
    const bool outputs_only =
        s.first_bad >= 0 && c.tiles[static_cast<size_t>(s.first_bad)].block == capture::kWholeLaunch;
    if (!explained && !outputs_only) out.push_back(tile_finding(s));
    join_aftermath(out);
    join_device_fault(out);
    join_observing(out);
    order(out);
    const bool has_cause = !out.empty();
    for (const capture::Output& o : c.outputs) {
        if (o.verdict != capture::Verdict::bad) continue;
        out.push_back(output_finding(s, o));
        if (has_cause) out.back().caused_by = 0;
        lend_place(out);
    }
    if (!tried.empty() && !out.empty()) out.front().explanation += " " + tried;
    return out;
}

}  // namespace wl::diagnosis
