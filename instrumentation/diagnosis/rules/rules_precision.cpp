// precision, overflow: the same program computes what the reference does once its floating point results are
// not rounded. Which line's rounding it is, by leaving out that of one line, or of the few that matter most.
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/rules/wrong_elements.h"
#include "instrumentation/diagnosis/search/trial_setup.h"
#include "instrumentation/emulator/fp64/fp64.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using emulator::Fp64Element;
using emulator::kNoSite;

constexpr size_t kMostLines = 4;  // that are tried
constexpr double kTimes = 8;      // what a run costs in FP64 beside a plain one

// With the results of these sites in FP64; of all, where none is named.
std::optional<Proof> proof_with(const TrialSetup& setup, const std::vector<uint32_t>& sites) {
    return proof_of(setup, [&](TrialOptions options) {
        options.fp64 = sites;
        return try_unedited(setup.s.prover, options);
    });
}

// Nothing where no output alone shows what is wrong.
std::optional<TrialSetup> setup_of_outputs(const Symptoms& s) {
    TrialSetup setup{s};
    const Try unchanged = [&](TrialOptions options) {
        options.marks = false;
        return try_unedited(s.prover, options);
    };
    if (!choose_trial(setup, unchanged, 1).empty()) return {};
    setup.block.marks = false, setup.times = kTimes;
    const Trial t = unchanged(setup.block);
    if (t.bad == 0) return {};
    return setup;
}

// Wrong elements of outputs, beside what FP64 gives.
std::vector<Fp64Element> parted_elements(const TrialSetup& setup) {
    const Symptoms& s = setup.s;
    const Inputs& inputs = inputs_of(s.prover, 0);
    Prepared prepared{execution::copy_of(inputs.prepared.memory), inputs.prepared.launch};
    emulator::Fp64Options options;
    options.blocks = setup.block.blocks;
    emulator::Fp64Trace trace = emulator::trace_fp64(
        {s.experiment.module, unedited_program(s.prover), prepared.launch, prepared.memory}, options
    );
    std::vector<Fp64Element> out;
    for (const capture::Output& o : s.capture.outputs) {
        if (o.verdict != capture::Verdict::bad) continue;
        const std::vector<uint8_t> flags = wrong_elements(s.capture, o);
        for (Fp64Element& e : trace.elements) {
            const size_t index = e.offset / size_of(e.format);
            if (e.memory == o.name && (index >= flags.size() || flags[index] != 0))
                out.push_back(std::move(e));
        }
    }
    return out;
}

// Of PTX that knows no source the line of its own text.
capture::Where line_of(const Symptoms& s, uint32_t site) {
    const Experiment& e = s.experiment;
    if (!e.module.locations.empty()) return where_of(s, site);
    capture::Where where;
    const std::optional<CodePlace> at = code_place(e.module, s.entry, site);
    if (!at) return where;
    where.file = path_from_here(e.problem.kernel.source);
    where.line = static_cast<int>(e.module.functions[at->function].code[at->index].text_line);
    return where;
}

// A line of the source, by how many wrong elements it lost.
struct LossyLine {
    capture::Where where;
    size_t elements = 0;
};

// Those first that most is lost at. Beside where a difference grew, where it was born is a line to be tried.
std::vector<LossyLine> lossy_lines(const Symptoms& s, const std::vector<Fp64Element>& elements) {
    std::vector<LossyLine> out;
    for (const Fp64Element& e : elements) {
        for (const uint32_t site : {e.parted, e.born}) {
            if (site == kNoSite) continue;
            const capture::Where where = line_of(s, site);
            const auto known = std::find_if(out.begin(), out.end(), [&](const LossyLine& l) {
                return same_line(l.where, where);
            });
            ++(known == out.end() ? out.emplace_back(LossyLine{where}) : *known).elements;
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const LossyLine& a, const LossyLine& b) {
        return a.elements > b.elements;
    });
    return out;
}

// Rounded to a format that has fewer digits than the one in which it is written.
bool is_narrow(const Fp64Element& e) { return unit_roundoff(e.born_in) > unit_roundoff(e.format); }

double growth(const Fp64Element& e) { return e.parted == kNoSite ? 0 : e.behind / e.before; }

const Fp64Element* worst_of(const std::vector<Fp64Element>& elements) {
    return &*std::max_element(elements.begin(), elements.end(), [](const auto& a, const auto& b) {
        return growth(a) < growth(b);
    });
}

std::vector<uint32_t> sites_of(const Symptoms& s, const std::vector<capture::Where>& lines) {
    std::vector<uint32_t> out;
    const size_t sites = emulator::sites(unedited_program(s.prover)).size();
    for (uint32_t site = 0; site < sites; ++site) {
        if (!code_place(s.experiment.module, s.entry, site)) continue;
        const capture::Where where = line_of(s, site);
        if (std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return same_line(l, where); }))
            out.push_back(site);
    }
    return out;
}

// What was left unrounded, and what it showed.
struct Unrounded {
    std::vector<capture::Where> lines;  // empty: everything
    Proof proof;
};

// One line, else the first few together.
Unrounded fewest_lines(const TrialSetup& setup, const std::vector<LossyLine>& lines, Proof whole) {
    const size_t most = std::min(lines.size(), kMostLines);
    for (size_t k = 0; k < most; ++k)
        if (auto proof = proof_with(setup, sites_of(setup.s, {lines[k].where})))
            return {{lines[k].where}, std::move(*proof)};
    std::vector<capture::Where> together;
    for (size_t k = 0; k < most; ++k) {
        together.push_back(lines[k].where);
        if (together.size() < 2) continue;
        if (auto proof = proof_with(setup, sites_of(setup.s, together))) return {together, std::move(*proof)};
    }
    return {{}, std::move(whole)};
}

std::string places_text(const Symptoms& s, const std::vector<capture::Where>& lines) {
    std::string out;
    for (size_t k = 0; k < lines.size(); ++k)
        out += (k == 0 ? "" : k + 1 == lines.size() ? " and " : ", ") + quoted(s.capture, lines[k]);
    return out;
}

// What became of one element on its way.
std::string growth_text(const Symptoms& s, const Fp64Element& e) {
    std::string out = fmt::format(
        " {} holds {} at element {}, where FP64 gives {}.",
        e.memory,
        number(e.got),
        e.offset / size_of(e.format),
        number(e.wide)
    );
    if (e.parted == kNoSite)
        return out +
            fmt::format(
                   " Most of the difference was born at {}, by rounding to {}.",
                   quoted(s.capture, line_of(s, e.born)),
                   name_of(e.born_in)
            );
    const std::string where = quoted(s.capture, line_of(s, e.parted));
    if (!std::isfinite(e.behind)) return out + fmt::format(" At {} its value left the format.", where);
    return out +
        fmt::format(
               " At {} the relative difference grew from {} to {}.", where, number(e.before), number(e.behind)
        );
}

}  // namespace

Ruled precision_rule(const Symptoms& s) {
    Ruled out;
    if (s.first_bad < 0 || !s.experiment.reference || tries_on_device(s.experiment)) return out;
    const std::optional<TrialSetup> setup = setup_of_outputs(s);
    std::optional<Proof> whole = setup ? proof_with(*setup, {}) : std::nullopt;
    if (!whole) return out;
    const std::vector<Fp64Element> elements = parted_elements(*setup);
    const std::vector<LossyLine> lines = lossy_lines(s, elements);
    if (lines.empty()) return out;
    const Unrounded fewest = fewest_lines(*setup, lines, std::move(*whole));
    const Fp64Element& e = *worst_of(elements);
    // What is divided by an infinite value is zero.
    const bool finite = std::isfinite(e.got) && (e.parted == kNoSite || std::isfinite(e.behind));
    capture::Finding f;
    f.rule = finite ? "precision" : "overflow";
    const bool cancels = e.parted != kNoSite && !is_narrow(e);
    f.where = cancels || !finite ? line_of(s, e.parted)
        : fewest.lines.empty()   ? lines.front().where
                                 : fewest.lines.front();
    if (cancels && !fewest.lines.empty() && !same_line(f.where, fewest.lines.front()))
        f.other = fewest.lines.front();
    f.where.block = setup->block.blocks.empty() ? s.block : setup->block.blocks.front();
    f.title = !finite ? "A value leaves its format, and in FP64 every result is right"
        : cancels
        ? "Large values cancel that were rounded before, and in FP64 every result is right"
        : fmt::format(
              "Rounding to {} loses digits that matter, and in FP64 every result is right", name_of(e.born_in)
          );
    f.explanation = fewest.lines.empty()
        ? "With no floating point result rounded every result comes inside its bound; no few lines alone "
          "make "
          "it so."
        : fmt::format(
              "With the floating point results of {} kept in FP64, and all others rounded as they are, every "
              "result comes inside its bound.",
              places_text(s, fewest.lines)
          );
    f.explanation += growth_text(s, e);
    f.proof = (fewest.lines.empty() ? "with no floating point result rounded, " : "with these in FP64, ") +
        text_of(fewest.proof);
    f.evidence_kind = kind_of(fewest.proof);
    f.evidence = {
        {"got",      e.got                               },
        {"fp64",     e.wide                              },
        {"elements", static_cast<double>(elements.size())}
    };
    capture::add_ran(fewest.proof.ran, f);
    out.findings.push_back(std::move(f));
    out.explains = out.mends = out.kind_alone = true;
    return out;
}

}  // namespace wl::diagnosis
