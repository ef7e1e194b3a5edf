#include "instrumentation/diagnosis/explore.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/edit.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/emulator/explore.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace wl::diagnosis {

namespace {

using Kind = emulator::Incident::Kind;

constexpr size_t kMostTileBytes = size_t{256} << 20;  // of schedule 0, kept to compare with

using TileKey = std::tuple<int, int64_t, int, int>;  // mark, block, warp, iteration

struct Result {
    std::vector<std::vector<std::byte>> outputs;
    std::map<TileKey, emulator::TileSnapshot> tiles;
    bool finished = true;
};

struct Explorer {
    const Experiment& experiment;
    const emulator::Program& program;
};

bool is_output(const manifest::BoundArgument& a) { return a.array && a.output; }

Result run_schedule(const Explorer& x, uint64_t seed, bool marks) {
    const Experiment& e = x.experiment;
    Result out;
    Prepared prepared = prepare_launch(e.problem, entry_of(e.module, e.entry));
    emulator::RunOptions options = run_options(e.options, "explore");
    options.threads = 1, options.schedule_seed = seed, options.marks = marks;
    options.checks = {.races = false, .uninitialised = false, .uniform = false};
    size_t kept = 0;
    options.on_tile = [&](emulator::TileSnapshot&& s) {
        kept += s.values.size();
        const TileKey key{s.mark, s.block, s.warp, s.iteration};
        if (kept <= kMostTileBytes) out.tiles.emplace(key, std::move(s));
    };
    const emulator::RunResult result = emulator::run(x.program, prepared.launch, prepared.memory, options);
    if (result.cancelled) throw Cancelled{};
    out.finished = std::none_of(result.incidents.begin(), result.incidents.end(), [](const auto& i) {
        return i.kind == Kind::endless_loop || i.kind == Kind::deadlock || i.kind == Kind::endless_wait ||
            i.kind == Kind::trap;
    });
    for (const manifest::BoundArgument& a : e.problem.args)
        if (is_output(a)) out.outputs.push_back(array_of(prepared.memory, a.name));
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
        if (std::isfinite(a) && std::isfinite(b)) c.largest = std::max(c.largest, std::fabs(a - b));
    }
    return c;
}

TriedSchedule compare(const Explorer& x, uint64_t seed, const Result& base, const Result& other) {
    TriedSchedule tried{seed, other.finished, {}};
    size_t k = 0;
    for (const manifest::BoundArgument& a : x.experiment.problem.args) {
        if (!is_output(a)) continue;
        Change c = difference(a.data.dtype, base.outputs[k], other.outputs[k]);
        ++k;
        if (c.changed == 0) continue;
        c.name = a.name;
        tried.outputs.push_back(std::move(c));
    }
    return tried;
}

std::vector<Change> compare_tiles(const Explorer& x, uint64_t seed) {
    const Result base = run_schedule(x, 0, true), other = run_schedule(x, seed, true);
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

// Each access of a race comes last once.
std::vector<uint64_t> directed_seeds(const Experiment& e, const std::vector<capture::Finding>& findings) {
    std::vector<uint64_t> seeds;
    for (const capture::Finding& f : findings) {
        if (!f.rule.starts_with("race_")) continue;
        for (const capture::Where* w : {&f.other, &f.where}) {
            if (w->block < 0 || w->warp < 0 || w->block >= static_cast<int64_t>(count(e.problem.grid)))
                continue;
            const uint64_t seed = emulator::delaying({w->block, w->warp});
            if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
        }
    }
    return seeds;
}

}  // namespace

Exploration explore(const Experiment& e, const std::vector<capture::Finding>& findings, uint64_t schedules) {
    Exploration out;
    if (schedules == 0) return out;
    const auto program = emulator::lower(e.module, e.entry);
    const Explorer x{e, *program};
    std::vector<uint64_t> seeds = directed_seeds(e, findings);
    seeds.resize(std::min<size_t>(seeds.size(), schedules));
    out.directed = seeds.size();
    for (uint64_t seed = 1; seeds.size() < schedules; ++seed) seeds.push_back(seed);
    const Result base = run_schedule(x, 0, false);
    for (const uint64_t seed : seeds) {
        TriedSchedule tried = compare(x, seed, base, run_schedule(x, seed, false));
        ++out.schedules;
        if (!tried.outputs.empty() || tried.finished != base.finished)
            out.changed.push_back(std::move(tried));
    }
    std::sort(out.changed.begin(), out.changed.end(), [](const auto& a, const auto& b) {
        return a.seed < b.seed;
    });
    if (!out.changed.empty()) out.tiles = compare_tiles(x, out.changed.front().seed);
    return out;
}

std::string outcome(const Exploration& x) {
    if (x.schedules == 0) return {};
    if (x.changed.empty())
        return fmt::format(
            "the outputs are the same in {} other schedules: harmless only as far as tried", x.schedules
        );
    const TriedSchedule& first = x.changed.front();
    std::string what = first.finished ? "" : " does not end";
    for (const Change& c : first.outputs)
        what += fmt::format(
            "{} changes {} of {} elements of {} by up to {:.4g}",
            what.empty() ? "" : ",",
            c.changed,
            c.elements,
            c.name,
            c.largest
        );
    return fmt::format(
        "{} of {} other schedules end otherwise; --schedule {}{}",
        x.changed.size(),
        x.schedules,
        first.seed,
        what
    );
}

Hazards find_hazards(manifest::Problem problem, Options options, uint64_t schedules) {
    options.reference = false;
    Hazards out;
    out.capture = run(problem, options);
    if (schedules == 0 || out.capture.verdict == "unsupported") return out;
    capture::Capture scratch;
    const Experiment e = prepare(std::move(problem), options, scratch);
    out.exploration = explore(e, out.capture.findings, schedules);
    out.capture.covered.schedules += static_cast<int>(out.exploration.schedules);
    out.capture.notes.push_back(outcome(out.exploration));
    return out;
}

}  // namespace wl::diagnosis
