#include "instrumentation/diagnosis/orders/judge.h"

#include "instrumentation/analysis/verdict.h"
#include "instrumentation/diagnosis/early_return.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/manifest/params.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <string>

namespace wl::diagnosis {

namespace {

using execution::Access;
using execution::Incident;

constexpr size_t kMostMet = 4;                  // pairs, each in both orders
constexpr uint64_t kSchedules = 12;             // in all
constexpr uint64_t kRaceSchedules = 4;          // of them with a look at races
constexpr double kWork = 1 << 24;               // warp instructions of all schedules
constexpr double kWorkOfOne = 1 << 25;          // a launch of more is not run again
constexpr uint64_t kBytes = uint64_t{1} << 33;  // copied for all schedules
constexpr size_t kLaunchesBehind = 64;          // of a sequence, over all schedules

std::string value_text(double x) { return std::isnan(x) ? "NaN" : fmt::format("{:.9g}", x); }

std::string change_text(const TriedSchedule& t) {
    std::string out = t.finished ? "" : "it does not end";
    for (const Change& c : t.outputs) {
        if (c.rounding) continue;
        out += fmt::format(
            "{}element {} of {} is {} instead of {}, and {} of {} elements differ",
            out.empty() ? "" : "; ",
            c.first,
            c.name,
            value_text(c.is),
            value_text(c.was),
            c.changed,
            c.elements
        );
    }
    return out;
}

const Access* access_at(const std::vector<Incident>& met, const emulator::AccessPoint& p) {
    for (const Incident& i : met)
        for (const Access* a : {&i.first, &i.second})
            if (a->site == p.site && a->block == p.block && a->warp == p.warp) return a;
    return nullptr;
}

capture::Where where_of_point(const Experiment& e, const emulator::AccessPoint& p) {
    capture::Where w = where_of(e.module, entry_of(e.module, e.entry), p.site);
    w.block = p.block, w.warp = p.warp;
    return w;
}

// The first is the one whose coming first changes the outputs.
capture::Finding finding_of_pair(
    const Experiment& e, const TriedSchedule& t, const std::vector<Incident>& met, const capture::Capture& c
) {
    capture::Finding f;
    f.rule = "race_global";
    f.where = where_of_point(e, t.pair->first), f.other = where_of_point(e, t.pair->then);
    const Access *first = access_at(met, t.pair->first), *then = access_at(met, t.pair->then);
    const auto verb = [](const Access* a) { return a != nullptr && a->write ? "writes" : "reads"; };
    const std::string memory = first != nullptr ? first->memory : "global memory";
    f.title = "the outputs depend on which of two accesses of " + memory + " comes first";
    f.explanation = fmt::format(
        "Block {}, warp {} {} it at {}, and block {}, warp {} {} the same place at {}. Nothing orders the "
        "two: "
        "volatile, relaxed and atomic accesses do not race, but on a GPU either may come first. With the "
        "first "
        "of them first (--schedule {}), {}. Let the reader wait until what it needs is there: store, "
        "__threadfence(), set a flag; poll the flag until it is set, __threadfence(), read.",
        block_text(c, t.pair->first.block),
        t.pair->first.warp,
        verb(first),
        quoted(c, f.where),
        block_text(c, t.pair->then.block),
        t.pair->then.warp,
        verb(then),
        quoted(c, f.other),
        t.seed,
        change_text(t)
    );
    return f;
}

// An update whose old value is used, where there is one, decides more often than what polls.
capture::Where deciding_place(const Experiment& e, const execution::Contest& contest) {
    const ptx::Function& entry = entry_of(e.module, e.entry);
    capture::Where out;
    for (const uint32_t site : contest.sites) {
        const auto at = code_place(e.module, entry, site);
        const bool update = at &&
            ptx::traits_of(e.module.functions[at->function].code[at->index]).memory == ptx::Memory::update;
        if (out.line == 0 || update) out = where_of(e.module, entry, site);
        if (update) break;
    }
    return out;
}

capture::Finding finding_of_schedule(
    const Experiment& e, const TriedSchedule& t, const execution::Contest& contest, const capture::Capture& c
) {
    capture::Finding f;
    f.rule = "schedule_dependent";
    f.title = t.finished ? "the outputs depend on the order in which warps and blocks run"
                         : "whether the launch ends depends on the order in which warps and blocks run";
    f.where = deciding_place(e, contest);
    f.explanation = fmt::format(
        "In another legal schedule of its warps and blocks (--schedule {}), {}. No access races: what "
        "decides "
        "is who comes first at an atomic{}, or who has not come yet at a volatile or relaxed access. A GPU "
        "may leave either. Where any order is right, compare what does not depend on it (sort, or count), or "
        "set compare = false for the output; else let an index of the thread decide, not the order.",
        t.seed,
        change_text(t),
        f.where.line > 0 ? ", as at " + quoted(c, f.where) : ""
    );
    return f;
}

// A finding that says why schedules differ, or that the launch does not come to its end.
bool is_told(const capture::Capture& c) {
    return std::any_of(c.findings.begin(), c.findings.end(), [](const capture::Finding& f) {
        return f.rule.starts_with("race_") || f.rule == "schedule_dependent" || f.rule == "deadlock" ||
            f.rule == "endless_loop" || f.rule == "trap" || f.rule == "assertion";
    });
}

// A pair of accesses races whether or not anybody compares what it makes.
bool matters(const TriedSchedule& t) {
    const bool changes =
        std::any_of(t.outputs.begin(), t.outputs.end(), [](const Change& c) { return !c.rounding; });
    return depends(t) || (t.pair && t.in_order && changes);
}

void show(const Change& change, const capture::Capture& c, capture::Finding& f) {
    f.where.tile = change.name;
    for (const capture::Output& o : c.outputs) {
        if (o.name != change.name) continue;
        const int64_t cols = o.shape.empty() ? 1 : std::max<int64_t>(o.shape.back(), 1);
        f.where.element[0] = static_cast<int>(change.first / cols);
        f.where.element[1] = static_cast<int>(change.first % cols);
    }
    f.evidence = {
        {"element",  static_cast<double>(change.first)   },
        {"changed",  static_cast<double>(change.changed) },
        {"elements", static_cast<double>(change.elements)}
    };
    if (std::isfinite(change.was)) f.evidence.emplace_back("was", change.was);
    if (std::isfinite(change.is)) f.evidence.emplace_back("is", change.is);
}

// Of those that show it the one that says most: two accesses in order, then one that ends.
const TriedSchedule* clearest(const Exploration& x) {
    const TriedSchedule* out = nullptr;
    const auto rank = [](const TriedSchedule& t) { return std::pair(!(t.pair && t.in_order), !t.finished); };
    for (const TriedSchedule& t : x.tried)
        if (matters(t) && (out == nullptr || rank(t) < rank(*out))) out = &t;
    return out;
}

bool is_asked(const Experiment& e) {
    return e.options.races && e.options.diagnose && e.options.executor.can.schedules;
}

uint64_t bytes_of(const manifest::Problem& problem) {
    uint64_t out = 1;
    for (const manifest::BoundArgument* a : manifest::arrays(problem)) out += a->data.bytes.size();
    return out;
}

uint64_t affordable(const Experiment& e, double instructions) {
    const double work = std::max(1.0, instructions);
    const size_t behind = e.problem.launches.size() - e.problem.at - 1;
    if (work > kWorkOfOne || behind > kLaunchesBehind) return 0;
    const auto by_work = static_cast<uint64_t>(std::max(1.0, kWork / work));
    const uint64_t by_launches = kLaunchesBehind / std::max<size_t>(behind, 1);
    return std::min({kSchedules, by_work, by_launches, kBytes / bytes_of(e.problem)});
}

}  // namespace

bool depends(const TriedSchedule& t) {
    return (t.changed && !t.finished) || std::any_of(t.outputs.begin(), t.outputs.end(), [](const Change& c) {
               return c.wanted && !c.rounding;
           });
}

void add_order_finding(
    const Experiment& e, const Exploration& x, const std::vector<Incident>& met, capture::Capture& c
) {
    const TriedSchedule* t = clearest(x);
    if (t == nullptr || is_told(c)) return;
    const auto program = emulator::lower(e.module, e.entry);
    const bool by_pair = t->pair && t->in_order;
    capture::Finding f =
        by_pair ? finding_of_pair(e, *t, met, c) : finding_of_schedule(e, *t, emulator::contest(*program), c);
    const auto shown = std::find_if(t->outputs.begin(), t->outputs.end(), [](const Change& change) {
        return !change.rounding;
    });
    if (shown != t->outputs.end()) show(*shown, c, f);
    f.count = static_cast<uint64_t>(std::count_if(x.tried.begin(), x.tried.end(), matters));
    f.proof = fmt::format("{} of {} other schedules end otherwise", f.count, x.schedules);
    c.findings.push_back(std::move(f));
    c.verdict = analysis::verdict_of(c);
}

uint64_t racing_schedule(const Experiment& e, const execution::Contest& contest, double instructions) {
    if (!is_asked(e) || contest.sites.empty() || e.options.schedule_seed != 0) return 0;
    const execution::Executable executable = e.options.executor.prepare(e.module, e.entry);
    const uint64_t schedules = std::min(kRaceSchedules, affordable(e, instructions));
    for (uint64_t seed = 1; seed <= schedules; ++seed) {
        execution::RunOptions options = run_options(e.options, "orders");
        options.schedule_seed = seed, options.marks = false;
        options.checks = {.races = true, .uninitialised = false, .uniform = false};
        Prepared prepared = prepare(e);
        execution::RunResult result = executable.run(prepared.launch, prepared.memory, options);
        if (result.cancelled) throw_cancelled();
        drop_part_exited(e, result.incidents);
        if (has_race(result.incidents)) return seed;
    }
    return 0;
}

uint64_t racing_schedule(const Experiment& e, const Contests& contests, double instructions) {
    std::set<std::string> tried;
    for (const auto& [launch, contest] : contests) {
        if (!is_asked(e) || contest.sites.empty() || !tried.insert(e.entries[launch]).second) continue;
        const Experiment one = with_memory(at_launch(e, launch));
        if (const uint64_t seed = racing_schedule(one, contest, instructions)) return seed;
    }
    return 0;
}

void try_orders(const Experiment& e, const execution::Contest& contest, capture::Capture& c) {
    if (!is_asked(e) || contest.sites.empty() || !c.findings.empty() || c.verdict == "unsupported") return;
    const uint64_t schedules = affordable(e, counter(c, "warp_instructions"));
    if (schedules == 0) {
        const std::string note =
            "whether the outputs depend on the order in which warps and blocks come to atomics and volatile "
            "accesses was not tried: the launch is too long, or its arrays are too large; hazards --explore "
            "N tries it";
        if (std::find(c.notes.begin(), c.notes.end(), note) == c.notes.end()) c.notes.push_back(note);
        return;
    }
    std::vector<Incident> met = contest.met;
    if (met.size() > kMostMet) met.resize(kMostMet);
    const Exploration x = explore(e, met, schedules);
    c.covered.schedules += static_cast<int>(x.schedules);
    add_order_finding(e, x, met, c);
    if (c.findings.empty() && !changed(x).empty()) c.notes.push_back(outcome(x));
}

void try_orders(const Experiment& e, const Contests& contests, capture::Capture& c) {
    std::set<std::string> tried;
    for (const auto& [launch, contest] : contests) {
        if (contest.sites.empty() || !c.findings.empty() || !tried.insert(e.entries[launch]).second) continue;
        const Experiment one = with_memory(at_launch(e, launch));
        try_orders(one, contest, c);
        for (capture::Finding& f : c.findings) f.where.launch = static_cast<int>(launch) + 1;
    }
}

}  // namespace wl::diagnosis
