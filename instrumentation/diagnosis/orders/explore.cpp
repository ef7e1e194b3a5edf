#include "instrumentation/diagnosis/orders/explore.h"

#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/orders/judge.h"
#include "instrumentation/diagnosis/orders/schedule_run.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

constexpr size_t kMostWithTiles = 8;  // schedules that change outputs, run again with marks

// ---- pairs

struct Pair {
    emulator::AccessPoint a, b;  // a comes first in schedule 0
    int epoch = 0;
};

emulator::AccessPoint point_of(const execution::Access& a) {
    return {a.site, a.block, a.warp, std::countr_zero(a.lanes)};
}

// One of each cause first, then a second of each, so that a few schedules show something of all.
std::vector<Pair> pairs_of(const Experiment& e, const std::vector<execution::Incident>& seen) {
    std::vector<Pair> out;
    const std::vector<Cause> causes = race_causes(e.module, entry_of(e.module, e.entry), seen);
    size_t most = 0;
    for (const Cause& c : causes) most = std::max(most, c.incidents.size());
    for (size_t turn = 0; turn < most; ++turn) {
        for (const Cause& c : causes) {
            if (turn >= c.incidents.size()) continue;
            const execution::Incident& i = *c.incidents[turn];
            if (i.first.lanes == 0 || i.second.lanes == 0) continue;
            const Pair p{point_of(i.first), point_of(i.second), std::min(i.first.epoch, i.second.epoch)};
            const bool known = std::any_of(out.begin(), out.end(), [&](const Pair& k) {
                return (k.a == p.a && k.b == p.b) || (k.a == p.b && k.b == p.a);
            });
            if (!known) out.push_back(p);
        }
    }
    return out;
}

std::string place_of(const Explorer& x, const emulator::AccessPoint& p) {
    const ptx::Module& m = x.experiment.module;
    capture::Where w;
    if (const auto at = code_place(m, entry_of(m, x.experiment.entry), p.site)) {
        const int32_t known = user_location(m, m.functions[at->function].code[at->index].location);
        if (known >= 0) {
            const ptx::Location& l = m.locations[static_cast<size_t>(known)];
            w.file = l.file >= 0 ? m.files[static_cast<size_t>(l.file)] : "";
            w.line = l.line;
        }
    }
    return fmt::format(
        "block {}, warp {}, lane {} at {}",
        block_text(p.block, manifest::launch_of(x.experiment.problem).grid),
        p.warp,
        p.lane,
        place(w)
    );
}

// Schedule 0 has the first order in most cases; the other one is tried first.
std::vector<emulator::PairOrder> orders_of(const Pair& p) {
    return {
        {p.b, p.a, p.epoch},
        {p.a, p.b, p.epoch}
    };
}

// ---- what a schedule changes

TriedSchedule try_schedule(const Explorer& x, uint64_t seed, Plain& base) {
    const Result other = run_schedule(x, {seed});
    TriedSchedule tried;
    tried.seed = seed, tried.finished = other.finished, tried.in_order = other.in_order;
    tried.outputs = compare_outputs(x, base.result, other);
    judge_rounding(x, base, seed, other, tried.outputs);
    tried.changed = !tried.outputs.empty() || tried.finished != base.result.finished;
    return tried;
}

std::vector<Change> compare_tiles(const Explorer& x, const Result& base, const Result& other) {
    std::vector<Change> out;
    for (const auto& [key, tile] : base.tiles) {
        const auto same = other.tiles.find(key);
        if (same == other.tiles.end()) continue;
        Change c = difference(tile.dtype, tile.values, same->second.values);
        if (c.changed == 0) continue;
        c.name = emulator::marks(x.program)[static_cast<size_t>(tile.mark)].name;
        c.block = tile.block, c.warp = tile.warp, c.iteration = tile.iteration;
        out.push_back(std::move(c));
    }
    return out;
}

// What the schedules that change something do in a run that takes tiles.
void add_tiles(const Explorer& x, Exploration& out) {
    const bool marked = !emulator::marks(x.program).empty();
    if (!marked)
        for (TriedSchedule& t : out.tried) t.shows_in_captures = t.changed;
    if (!marked || changed(out).empty()) return;
    const Result base = run_schedule(x, {.marks = true});
    size_t looked_at = 0;
    bool shown = false;  // or every schedule that changes something is looked at
    for (TriedSchedule& t : out.tried) {
        if (!t.changed || (looked_at >= kMostWithTiles && shown)) continue;
        const Result other = run_schedule(x, {.seed = t.seed, .marks = true});
        if (looked_at++ < kMostWithTiles) t.tiles = compare_tiles(x, base, other);
        t.shows_in_captures = !compare_outputs(x, base, other).empty() || other.finished != base.finished;
        shown = shown || t.shows_in_captures;
    }
}

void try_pairs(
    const Explorer& x, const std::vector<Pair>& pairs, Plain& base, uint64_t most, Exploration& out
) {
    out.pairs = pairs.size();
    for (const Pair& p : pairs) {
        size_t had = 0;
        for (const emulator::PairOrder& order : orders_of(p)) {
            const auto seed = emulator::directed_seed(order, x.space);
            if (!seed || out.schedules == most) continue;
            TriedSchedule tried = try_schedule(x, *seed, base);
            tried.pair = order;
            tried.order = place_of(x, order.first) + " before " + place_of(x, order.then);
            had += tried.in_order;
            ++out.schedules;
            ++out.directed;
            out.tried.push_back(std::move(tried));
        }
        out.pairs_both_ways += had == 2;
    }
}

}  // namespace

std::string pairs_text(const Exploration& x) {
    if (x.pairs == 0) return "";
    return fmt::format(", among them both orders of {} of {} pairs of accesses", x.pairs_both_ways, x.pairs);
}

std::vector<const TriedSchedule*> changed(const Exploration& x) {
    std::vector<const TriedSchedule*> out;
    for (const TriedSchedule& t : x.tried)
        if (t.changed) out.push_back(&t);
    std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) {
        return std::pair(!a->shows_in_captures, a->seed) < std::pair(!b->shows_in_captures, b->seed);
    });
    return out;
}

Exploration explore(const Experiment& of, const std::vector<execution::Incident>& seen, uint64_t schedules) {
    Exploration out;
    if (schedules == 0) return out;
    Experiment e = of;
    e.options.threads = 1;
    if (!e.before) e.before = std::make_shared<const execution::GlobalMemory>(prepare(e).memory);
    const auto program = emulator::lower(e.module, e.entry);
    const Prepared launched = prepare(e);
    const Explorer x{
        e, *program, emulator::schedule_space(*program, launched.launch), emulator::contest(*program)};
    Plain base{run_schedule(x, {}), {}};
    try_pairs(x, pairs_of(e, seen), base, schedules, out);
    for (uint64_t seed = 1; out.schedules < schedules; ++seed, ++out.schedules)
        out.tried.push_back(try_schedule(x, seed, base));
    add_tiles(x, out);
    return out;
}

std::string extent_of(const Change& c) {
    std::string out = fmt::format("{} of {} elements", c.changed, c.elements);
    if (c.changed > c.odd) out += fmt::format(", by up to {:.4g}", c.largest);
    if (c.odd > 0)
        out += fmt::format(
            ", {} of them NaN or infinite in one of the two",
            c.odd == c.changed ? "all" : std::to_string(c.odd)
        );
    return out;
}

std::string outcome(const Exploration& x) {
    if (x.schedules == 0) return {};
    const std::vector<const TriedSchedule*> other = changed(x);
    if (other.empty())
        return fmt::format(
            "the outputs are the same in {} other schedules{}: harmless only as far as tried",
            x.schedules,
            pairs_text(x)
        );
    const TriedSchedule& first = *other.front();
    std::string what = first.finished ? "" : " does not end";
    for (const Change& c : first.outputs)
        what += fmt::format("{} changes {}: {}", what.empty() ? "" : ";", c.name, extent_of(c));
    if (std::none_of(other.begin(), other.end(), [](const auto* t) { return depends(*t); }))
        what += std::all_of(first.outputs.begin(), first.outputs.end(), [](auto& c) { return c.rounding; })
            ? ", as sums round whose terms come in another order"
            : ", which the manifest compares with nothing";
    return fmt::format(
        "{} of {} other schedules end otherwise{}; --schedule {}{}{}{}",
        other.size(),
        x.schedules,
        pairs_text(x),
        first.seed,
        first.order.empty() ? "" : " (" + first.order + ")",
        what,
        first.shows_in_captures
            ? ""
            : "; not in a run that takes tiles, where all warps of a block wait for each other at a WL_TILE"
    );
}

}  // namespace wl::diagnosis
