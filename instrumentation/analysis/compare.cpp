// Pairing the tiles of two captures, judging each pair, and cutting the source diff to the stage that parts
// them.
#include "instrumentation/analysis/compare.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

namespace wl::analysis {
namespace {

using capture::Capture;
using capture::Tile;

const capture::Probe& probe_of(const Capture& c, const Tile& t) {
    return c.probes[static_cast<size_t>(t.probe)];
}

// What makes two tiles a pair. Blocks by coordinates: the grids may differ.
using Key = std::tuple<std::string, std::array<uint32_t, 3>, int, int>;
Key key_of(const Capture& c, const Tile& t) {
    std::array<uint32_t, 3> block{UINT32_MAX, UINT32_MAX, UINT32_MAX};
    if (t.block != capture::kWholeLaunch) {
        const Dim3 b = from_linear(static_cast<uint64_t>(t.block), c.launch.grid);
        block = {b.x, b.y, b.z};
    }
    return {probe_of(c, t).name, block, t.warp, t.iteration};
}

// ---- one pair

// Two masked scores, however each kernel writes them, are the same.
bool differs(double a, double b, double reference, double bound) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return false;
    if (std::isinf(reference) && reference < 0)
        return is_bad(a, reference, static_cast<float>(bound)) ||
            is_bad(b, reference, static_cast<float>(bound));
    return !(std::fabs(a - b) <= bound);
}

struct PairView {
    const TileData &a, &b;
    int rows, cols;
    bool referenced;  // both have a reference and bounds
    double bound(int row, int col) const {
        return referenced ? double{a.bound(row, col)} + double{b.bound(row, col)} : 0;
    }
};

// Do the references agree as far as FP64 sums in another order can?
bool same_window(const PairView& v) {
    for (int row = 0; row < v.rows; ++row)
        for (int col = 0; col < v.cols; ++col) {
            const double x = v.a.reference(row, col), y = v.b.reference(row, col);
            if (x == y || std::isnan(x) || std::isnan(y)) continue;
            if (!(std::fabs(x - y) <= 1e-3 * v.bound(row, col))) return false;
        }
    return true;
}

void judge(const PairView& v, TilePair& pair) {
    bool identical = true;
    for (int row = 0; row < v.rows; ++row) {
        for (int col = 0; col < v.cols; ++col) {
            const double x = v.a.got(row, col), y = v.b.got(row, col);
            const double reference = v.referenced ? v.a.reference(row, col) : NAN;
            identical = identical && (x == y || (std::isnan(x) && std::isnan(y)));
            if (std::isfinite(x) && std::isfinite(y))
                pair.max_difference = std::max(pair.max_difference, std::fabs(x - y));
            if (!differs(x, y, reference, v.bound(row, col))) continue;
            if (pair.different++ == 0) pair.row = row, pair.col = col;
        }
    }
    pair.agreement = identical ? Agreement::identical
        : pair.different == 0  ? Agreement::rounding
                               : Agreement::differ;
}

PairView view_of(const TileData& a, const TileData& b) {
    const bool referenced = !a.reference.data.empty() && !b.reference.data.empty() && !a.bound.data.empty() &&
        !b.bound.data.empty();
    return {a, b, std::min(a.rows, b.rows), std::min(a.cols, b.cols), referenced};
}

void compare_pair(const Capture& a, const Capture& b, TilePair& pair) {
    const TileData left = load_tile(a, a.tiles[static_cast<size_t>(pair.a)]);
    const TileData right = load_tile(b, b.tiles[static_cast<size_t>(pair.b)]);
    const PairView view = view_of(left, right);
    pair.elements = int64_t{view.rows} * view.cols;
    if (view.referenced && !same_window(view)) {
        pair.agreement = Agreement::elsewhere;
        return;
    }
    judge(view, pair);
}

// ---- all pairs

// In the kernel time of a: iteration, then step, then block; outputs last.
std::vector<TilePair> pairs_of(const Capture& a, const Capture& b) {
    std::map<Key, int> right;
    for (size_t i = 0; i < b.tiles.size(); ++i)
        if (b.tiles[i].values != capture::kNoBlob) right[key_of(b, b.tiles[i])] = static_cast<int>(i);
    std::vector<TilePair> out;
    for (size_t i = 0; i < a.tiles.size(); ++i) {
        if (a.tiles[i].values == capture::kNoBlob) continue;
        const auto found = right.find(key_of(a, a.tiles[i]));
        if (found != right.end()) out.push_back({static_cast<int>(i), found->second});
    }
    const auto time = [&](const TilePair& p) {
        const Tile& t = a.tiles[static_cast<size_t>(p.a)];
        return std::tuple(
            t.block == capture::kWholeLaunch, t.iteration, probe_of(a, t).step, t.block, t.warp
        );
    };
    std::stable_sort(out.begin(), out.end(), [&](const auto& x, const auto& y) { return time(x) < time(y); });
    return out;
}

int probe_named(const Capture& c, const std::string& name) {
    for (size_t i = 0; i < c.probes.size(); ++i)
        if (c.probes[i].name == name) return static_cast<int>(i);
    return -1;
}

void add_all_tiles(const Capture& c, int probe, double& max_excess, int64_t& bad) {
    for (const Tile& t : c.tiles) {
        if (t.probe != probe) continue;
        max_excess = std::max(max_excess, t.max_excess);
        bad += t.verdict == capture::Verdict::bad ? 1 : 0;
    }
}

void name_probes(const Capture& a, const Capture& b, CaptureComparison& out) {
    for (size_t i = 0; i < a.probes.size(); ++i) {
        ProbePairs p;
        p.name = a.probes[i].name, p.a = static_cast<int>(i), p.b = probe_named(b, p.name);
        if (p.b < 0) {
            out.only_a.push_back(p.name);
            continue;
        }
        add_all_tiles(a, p.a, p.max_excess_a, p.bad_a), add_all_tiles(b, p.b, p.max_excess_b, p.bad_b);
        out.probes.push_back(std::move(p));
    }
    for (const capture::Probe& p : b.probes)
        if (probe_named(a, p.name) < 0) out.only_b.push_back(p.name);
}

void count_pair(const Capture& a, const TilePair& pair, CaptureComparison& out) {
    const int probe = a.tiles[static_cast<size_t>(pair.a)].probe;
    for (ProbePairs& p : out.probes) {
        if (p.a != probe) continue;
        ++p.pairs;
        p.max_difference = std::max(p.max_difference, pair.max_difference);
        ++(pair.agreement == Agreement::identical      ? p.identical
               : pair.agreement == Agreement::rounding ? p.rounding
               : pair.agreement == Agreement::differ   ? p.differ
                                                       : p.elsewhere);
    }
}

// ---- the stage in which they part

// The kernel's own source: where most instructions come from, once inlined headers count for their callers.
size_t outermost(const Capture& c, size_t site) {
    while (c.sites[site].inlined_at >= 0) site = static_cast<size_t>(c.sites[site].inlined_at);
    return site;
}

int own_source(const Capture& c) {
    std::map<int, int64_t> counts;
    for (size_t i = 0; i < c.sites.size(); ++i) ++counts[c.sites[outermost(c, i)].source];
    int best = -1;
    for (const auto& [source, n] : counts)
        if (source >= 0 && (best < 0 || n > counts[best])) best = source;
    return best;
}

struct StageStart {
    std::string name;
    int site = 0;
};

// The last WL_STAGE before the tile was taken, as the recorded block tells. One that begins right behind the
// mark has the mark's time.
StageStart stage_before(const Capture& c, const Tile& t) {
    StageStart out;
    for (const capture::BlockRecord& r : c.records) {
        if (r.block != t.block) continue;
        uint32_t latest = 0;
        for (const capture::Event& e : r.events) {
            if (e.kind != capture::EventKind::stage || e.time >= t.time || e.time < latest) continue;
            latest = e.time;
            out = {c.stages[static_cast<size_t>(e.value)], static_cast<int>(e.site)};
        }
    }
    return out;
}

// Lines of the own source between the stage's begin, or the last tile in which both agree, and the mark: what
// lies between them in the program. Where the mark lies before them, a loop came round: all but what lies
// between.
std::vector<int> stage_lines(const Capture& c, int source, int tile, int last) {
    const auto count = static_cast<int>(c.sites.size());
    const Tile& t = c.tiles[static_cast<size_t>(tile)];
    const int mark = probe_of(c, t).site, end = mark < 0 ? count : mark + 1;
    int begin = stage_before(c, t).site;
    if (last >= 0) {
        const int site = probe_of(c, c.tiles[static_cast<size_t>(last)]).site;
        if (mark < 0 || (site >= 0 && site < begin)) begin = site;
    }
    std::set<int> lines;
    for (int i = 0; i < count; ++i) {
        if (begin < end ? (i < begin || i >= end) : (i < begin && i >= end)) continue;
        for (int s = i; s >= 0; s = c.sites[static_cast<size_t>(s)].inlined_at)
            if (c.sites[static_cast<size_t>(s)].source == source)
                lines.insert(c.sites[static_cast<size_t>(s)].line);
    }
    return {lines.begin(), lines.end()};
}

void describe_first(
    const Capture& a, const Capture& b, const std::vector<TilePair>& pairs, CaptureComparison& out
) {
    const auto first = std::find_if(pairs.begin(), pairs.end(), [](const TilePair& p) {
        return p.agreement == Agreement::differ;
    });
    if (first == pairs.end()) return;
    FirstDifference f;
    f.pair = *first;
    const Tile &left = a.tiles[static_cast<size_t>(f.pair.a)],
               &right = b.tiles[static_cast<size_t>(f.pair.b)];
    for (auto it = pairs.begin(); it != first; ++it) {
        const bool here =
            left.block == capture::kWholeLaunch || a.tiles[static_cast<size_t>(it->a)].block == left.block;
        if (here && it->agreement != Agreement::elsewhere) f.last_a = it->a, f.last_b = it->b;
    }
    TileData x = load_tile(a, left);
    TileData y = load_tile(b, right);
    f.value_a = x.got(f.pair.row, f.pair.col), f.value_b = y.got(f.pair.row, f.pair.col);
    if (view_of(x, y).referenced) f.reference = x.reference(f.pair.row, f.pair.col);
    if (x.rows == y.rows && x.cols == y.cols && view_of(x, y).referenced) {
        x.reference = x.got, x.got = y.got;
        for (size_t i = 0; i < x.bound.data.size(); ++i) x.bound.data[i] += y.bound.data[i];
        f.factor = fit_factor(x);
    }
    f.stage = stage_before(a, left).name;
    f.lines_a = stage_lines(a, out.source_a, f.pair.a, f.last_a);
    f.lines_b = stage_lines(b, out.source_b, f.pair.b, f.last_b);
    out.first = std::move(f);
}

bool touches(const Hunk& hunk, const FirstDifference& f) {
    return std::any_of(hunk.begin(), hunk.end(), [&](const HunkLine& l) {
        return (l.mark == '-' && std::binary_search(f.lines_a.begin(), f.lines_a.end(), l.a)) ||
            (l.mark == '+' && std::binary_search(f.lines_b.begin(), f.lines_b.end(), l.b));
    });
}

void diff_sources(const Capture& a, const Capture& b, CaptureComparison& out) {
    if (out.source_a < 0 || out.source_b < 0) return;
    constexpr size_t kContext = 3;
    const auto lines = diff_lines(
        decided_lines(a.sources[static_cast<size_t>(out.source_a)].text, a.launch.faults),
        decided_lines(b.sources[static_cast<size_t>(out.source_b)].text, b.launch.faults)
    );
    for (Hunk& hunk : hunks(lines, kContext))
        (out.first && touches(hunk, *out.first) ? out.near : out.far).push_back(std::move(hunk));
}

// An output lies at the same place in both, where there is one: with other inputs or extents it cannot.
bool same_problem(const Capture& a, const std::vector<TilePair>& pairs) {
    bool outputs = false, tiles = false, any = false;
    for (const TilePair& p : pairs) {
        const bool output = a.tiles[static_cast<size_t>(p.a)].block == capture::kWholeLaunch;
        any = any || output;
        (output ? outputs : tiles) |= p.agreement != Agreement::elsewhere;
    }
    return any ? outputs : tiles;
}

}  // namespace

CaptureComparison compare_captures(const Capture& a, const Capture& b) {
    CaptureComparison out;
    out.source_a = own_source(a), out.source_b = own_source(b);
    name_probes(a, b, out);
    std::vector<TilePair> pairs = pairs_of(a, b);
    if (pairs.empty())
        throw Error(
            "no tile and no output was kept with its elements in both: record the same block in both runs "
            "(--record X,Y,Z), and give the marks and outputs of the two kernels the same names"
        );
    std::set<int64_t> blocks;
    for (TilePair& pair : pairs) {
        compare_pair(a, b, pair);
        count_pair(a, pair, out);
        const int64_t block = a.tiles[static_cast<size_t>(pair.a)].block;
        if (block != capture::kWholeLaunch) blocks.insert(block);
    }
    if (!same_problem(a, pairs))
        throw Error(
            "the two runs do not compute the same: the references of their outputs differ; run both on the "
            "same "
            "inputs, "
            "seed and shape"
        );
    out.blocks.assign(blocks.begin(), blocks.end());
    describe_first(a, b, pairs, out);
    diff_sources(a, b, out);
    return out;
}

}  // namespace wl::analysis
