#include "instrumentation/diagnosis/explore.h"

#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace wl::diagnosis {

namespace {

using Kind = execution::Incident::Kind;

constexpr size_t kMostTileBytes = size_t{256} << 20;  // of schedule 0, kept to compare with
constexpr size_t kMostWithTiles = 8;                  // schedules that change outputs, run again with marks

using TileKey = std::tuple<int, int64_t, int, int>;  // mark, block, warp, iteration

struct Result {
    std::vector<std::vector<std::byte>> outputs;
    std::map<TileKey, execution::TileSnapshot> tiles;
    bool finished = true, in_order = true;
};

struct Explorer {
    const Experiment& experiment;
    const emulator::Program& program;
    emulator::ScheduleSpace space;
};

Result run_schedule(const Explorer& x, uint64_t seed, bool marks) {
    const Experiment& e = x.experiment;
    Result out;
    Prepared prepared = prepare(e);
    execution::RunOptions options = run_options(e.options, "explore");
    options.threads = 1, options.schedule_seed = seed;
    options.marks = marks || emulator::marks(x.program).empty();  // as a run that records has it
    options.checks = {.races = false, .uninitialised = false, .uniform = false};
    size_t kept = 0;
    options.on_tile = [&](execution::TileSnapshot&& s) {
        kept += s.values.size();
        const TileKey key{s.mark, s.block, s.warp, s.iteration};
        if (kept <= kMostTileBytes) out.tiles.emplace(key, std::move(s));
    };
    const execution::RunResult result = emulator::run(x.program, prepared.launch, prepared.memory, options);
    if (result.cancelled) throw Cancelled{};
    out.in_order = result.in_order;
    out.finished = std::none_of(result.incidents.begin(), result.incidents.end(), [](const auto& i) {
        return i.kind == Kind::endless_loop || i.kind == Kind::deadlock || i.kind == Kind::endless_wait ||
            i.kind == Kind::trap || i.kind == Kind::assertion;
    });
    for (const manifest::BoundArgument* a : manifest::arrays(e.problem))
        if (a->output) out.outputs.push_back(array_of(prepared.memory, a->data.name));
    return out;
}

// Bits decide whether an element changed; `elements` == 0: the two cannot be compared.
Change difference(DType type, const std::vector<std::byte>& before, const std::vector<std::byte>& after) {
    Change c;
    const size_t size = size_of(type);
    if (before.size() != after.size()) return c;
    c.elements = static_cast<int64_t>(before.size() / size);
    for (size_t k = 0; k < before.size() / size; ++k) {
        const std::byte *was = before.data() + k * size, *is = after.data() + k * size;
        if (std::memcmp(was, is, size) == 0) continue;
        const double a = to_double(type, was), b = to_double(type, is);
        if (c.changed++ == 0) c.first = static_cast<int64_t>(k), c.was = a, c.is = b;
        if (std::isfinite(a) && std::isfinite(b))
            c.largest = std::max(c.largest, std::fabs(a - b));
        else
            ++c.odd;
    }
    return c;
}

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

std::vector<Change> compare_outputs(const Explorer& x, const Result& base, const Result& other) {
    std::vector<Change> out;
    size_t k = 0;
    for (const manifest::BoundArgument* a : manifest::arrays(x.experiment.problem)) {
        if (!a->output) continue;
        Change c = difference(a->data.dtype, base.outputs[k], other.outputs[k]);
        ++k;
        if (c.changed == 0) continue;
        c.name = a->data.name;
        out.push_back(std::move(c));
    }
    return out;
}

TriedSchedule try_schedule(const Explorer& x, uint64_t seed, const Result& base) {
    const Result other = run_schedule(x, seed, false);
    TriedSchedule tried;
    tried.seed = seed, tried.finished = other.finished, tried.in_order = other.in_order;
    tried.outputs = compare_outputs(x, base, other);
    tried.changed = !tried.outputs.empty() || tried.finished != base.finished;
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
    const Result base = run_schedule(x, 0, true);
    size_t looked_at = 0;
    bool shown = false;  // or every schedule that changes something is looked at
    for (TriedSchedule& t : out.tried) {
        if (!t.changed || (looked_at >= kMostWithTiles && shown)) continue;
        const Result other = run_schedule(x, t.seed, true);
        if (looked_at++ < kMostWithTiles) t.tiles = compare_tiles(x, base, other);
        t.shows_in_captures = !compare_outputs(x, base, other).empty() || other.finished != base.finished;
        shown = shown || t.shows_in_captures;
    }
}

void try_pairs(
    const Explorer& x, const std::vector<Pair>& pairs, const Result& base, uint64_t most, Exploration& out
) {
    out.pairs = pairs.size();
    for (const Pair& p : pairs) {
        size_t had = 0;
        for (const emulator::PairOrder& order : orders_of(p)) {
            const auto seed = emulator::directed_seed(order, x.space);
            if (!seed || out.schedules == most) continue;
            TriedSchedule tried = try_schedule(x, *seed, base);
            tried.order = place_of(x, order.first) + " before " + place_of(x, order.then);
            had += tried.in_order;
            ++out.schedules;
            ++out.directed;
            out.tried.push_back(std::move(tried));
        }
        out.pairs_both_ways += had == 2;
    }
}

std::string pairs_text(const Exploration& x) {
    if (x.pairs == 0) return "";
    return fmt::format(", among them both orders of {} of {} pairs of accesses", x.pairs_both_ways, x.pairs);
}

// What both orders of its accesses make of each race.
void judge_races(Hazards& h) {
    const Exploration& x = h.exploration;
    if (!changed(x).empty() || x.pairs == 0) return;
    for (capture::Finding& f : h.capture.findings)
        if (f.rule.starts_with("race_"))
            f.explanation += fmt::format(
                " Harmless as far as tried: in {} other schedules{} the outputs stay the same.",
                x.schedules,
                pairs_text(x)
            );
}

}  // namespace

std::vector<const TriedSchedule*> changed(const Exploration& x) {
    std::vector<const TriedSchedule*> out;
    for (const TriedSchedule& t : x.tried)
        if (t.changed) out.push_back(&t);
    std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) {
        return std::pair(!a->shows_in_captures, a->seed) < std::pair(!b->shows_in_captures, b->seed);
    });
    return out;
}

Exploration explore(const Experiment& e, const std::vector<execution::Incident>& seen, uint64_t schedules) {
    Exploration out;
    if (schedules == 0) return out;
    const auto program = emulator::lower(e.module, e.entry);
    const Prepared launched = prepare(e);
    const Explorer x{e, *program, emulator::schedule_space(*program, launched.launch)};
    const Result base = run_schedule(x, 0, false);
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

Hazards find_hazards(
    manifest::Problem problem,
    Options options,
    uint64_t schedules,
    const std::optional<execution::Executor>& device
) {
    options.reference = false;
    Hazards out;
    std::vector<execution::Incident> seen;
    out.capture = run(problem, options, &seen);
    if (schedules == 0 || out.capture.verdict == "unsupported") return out;
    capture::Capture scratch;
    const Experiment made = make_experiment(std::move(problem), options, scratch);
    const Experiment e = with_memory(at_launch(made, static_cast<size_t>(out.capture.launch.number - 1)));
    out.exploration = explore(e, seen, schedules);
    out.capture.covered.schedules += static_cast<int>(out.exploration.schedules);
    out.capture.notes.push_back(outcome(out.exploration));
    judge_races(out);
    if (device) out.device = explore_on(e, seen, schedules, *device);
    return out;
}

}  // namespace wl::diagnosis
