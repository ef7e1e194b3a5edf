// Naming, comparing and keeping the tiles of a run.
#include "instrumentation/diagnosis/observe.h"

#include "instrumentation/analysis/diff.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

namespace wl::diagnosis {

namespace {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> out(values.size() * sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
    return out;
}

capture::ProbeKind probe_kind(ptx::Mark::Kind kind) {
    switch (kind) {
        case ptx::Mark::Kind::warp_tile: return capture::ProbeKind::warp_tile;
        case ptx::Mark::Kind::fragment: return capture::ProbeKind::fragment;
        case ptx::Mark::Kind::lanes: return capture::ProbeKind::lanes;
        default: return capture::ProbeKind::tile;
    }
}

int probe_index(Observer& o, const ptx::Mark& mark, const execution::TileSnapshot& s) {
    const auto known = static_cast<size_t>(s.mark);
    if (known >= o.probe_of_mark.size()) o.probe_of_mark.resize(known + 1, -1);
    if (o.probe_of_mark[known] >= 0) return o.probe_of_mark[known];
    // An unrolled or inlined mark has several sites; they are one probe.
    auto it = std::find_if(o.capture.probes.begin(), o.capture.probes.end(), [&](const capture::Probe& p) {
        return p.name == mark.name && p.kind == probe_kind(mark.kind);
    });
    if (it == o.capture.probes.end()) {
        capture::Probe p;
        p.name = mark.name, p.kind = probe_kind(mark.kind), p.dtype = s.dtype,
        p.site = static_cast<int>(s.site), p.memory = s.memory;
        p.step = std::numeric_limits<int>::max();
        const auto rule = o.problem.kernel.tiles.find(mark.name);
        if (rule != o.problem.kernel.tiles.end()) p.reference = rule->second.of;
        o.capture.probes.push_back(p);
        it = o.capture.probes.end() - 1;
    }
    const int index = static_cast<int>(it - o.capture.probes.begin());
    o.probe_of_mark[known] = index;
    return index;
}

void note_problem(Observer& o, const std::string& text) {
    if (std::find(o.problems.begin(), o.problems.end(), text) == o.problems.end()) o.problems.push_back(text);
}

// Evaluated once a probe; blocks that run at the same time share it. A map's nodes stay where they are.
const std::vector<manifest::LanePlace>& places_of(
    Observer& o, const std::string& name, const execution::TileSnapshot& s
) {
    const std::scoped_lock lock(o.mutex);
    std::vector<manifest::LanePlace>& places = o.places[{name, s.cols}];
    if (places.empty())
        places = manifest::lane_places(o.problem, o.problem.kernel.tiles.at(name), s.rows, s.cols);
    return places;
}

// The reference of every lane's registers from the window in which their elements lie.
analysis::ReferenceTile reference_of_registers(
    Observer& o, const std::string& name, analysis::Window w, const execution::TileSnapshot& s
) {
    const std::vector<manifest::LanePlace>& places = places_of(o, name, s);
    analysis::ReferenceTile out = analysis::blank_tile(w);
    w.rows = w.cols = 1;
    for (const manifest::LanePlace& p : places)
        w.rows = std::max(w.rows, p.row + 1), w.cols = std::max(w.cols, p.col + 1);
    const analysis::ReferenceTile window = o.reference->tile(w);
    out.problem = window.problem, out.estimated = window.estimated, out.doubt = window.doubt;
    for (size_t i = 0; i < places.size(); ++i) {
        const size_t from = window.value.index(places[i].row, places[i].col);
        out.value.data[i] = window.value.data[from], out.bound.data[i] = window.bound.data[from],
        out.compared.data[i] = window.compared.data[from];
    }
    return out;
}

}  // namespace

analysis::ReferenceTile reference_of(Observer& o, const std::string& name, const execution::TileSnapshot& s) {
    const auto rule = o.problem.kernel.tiles.find(name);
    if (o.reference == nullptr || rule == o.problem.kernel.tiles.end())
        return analysis::blank_tile({{}, {}, 0, 0});
    analysis::Window w;
    w.tensor = rule->second.of, w.rows = s.rows, w.cols = s.cols;
    w.row_axis = rule->second.row_axis.value_or(-1), w.col_axis = rule->second.col_axis.value_or(-1);
    w.at = manifest::window_origin(
        o.problem,
        rule->second,
        from_linear(static_cast<uint64_t>(s.block), manifest::launch_of(o.problem).grid),
        s.warp,
        s.iteration
    );
    if (s.memory != "register") return o.reference->tile(w);
    if (!rule->second.row.empty()) return reference_of_registers(o, name, w, s);
    analysis::ReferenceTile unplaced = analysis::blank_tile(w);
    unplaced.problem = "registers are compared where row and col say which elements they hold";
    return unplaced;
}

void keep_elements(
    Observer& o,
    capture::Tile& tile,
    DType dtype,
    std::vector<std::byte> values,
    const analysis::ReferenceTile& reference
) {
    if (tile.compared > 0) {
        tile.reference = capture::add_blob(o.capture.blobs, bytes_of(reference.value.data));
        tile.bound = capture::add_blob(o.capture.blobs, bytes_of(analysis::limits(dtype, reference).data));
    }
    tile.values = capture::add_blob(o.capture.blobs, std::move(values));
}

void add_tile(Observer& o, execution::TileSnapshot&& s) {
    const ptx::Mark& mark = mark_of(o.listing, o.arrays, s.mark);
    const analysis::ReferenceTile reference = reference_of(o, mark.name, s);
    capture::Tile tile;
    tile.block = s.block, tile.warp = s.warp, tile.iteration = s.iteration, tile.rows = s.rows,
    tile.cols = s.cols, tile.time = s.time;
    tile.address = s.address, tile.ld = s.ld;
    analysis::store(tile, analysis::compare(s.dtype, s.values, reference));
    const std::scoped_lock lock(o.mutex);
    if (!reference.problem.empty()) note_problem(o, "tile." + mark.name + ": " + reference.problem);
    tile.probe = probe_index(o, mark, s);
    capture::Probe& probe = o.capture.probes[static_cast<size_t>(tile.probe)];
    probe.rows = std::max(probe.rows, s.rows), probe.cols = std::max(probe.cols, s.cols);
    if (o.keep) {
        keep_elements(o, tile, s.dtype, std::move(s.values), reference);
        if (!s.owners.empty()) tile.owner = capture::add_blob(o.capture.blobs, bytes_of(s.owners));
    }
    o.capture.tiles.push_back(tile);
}

void finish(Observer& o) {
    capture::Capture& c = o.capture;
    // Kernel time within one iteration: the order in which the first block (of those seen) took each probe
    // first.
    std::map<int, std::pair<int64_t, uint64_t>> first;
    for (const capture::Tile& t : c.tiles) {
        if (t.block == capture::kWholeLaunch) continue;
        const std::pair<int64_t, uint64_t> when{t.block, t.time};
        const auto [it, fresh] = first.try_emplace(t.probe, when);
        if (!fresh) it->second = std::min(it->second, when);
    }
    std::vector<int> order(c.probes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](int p) {
        const auto it = first.find(p);
        const uint64_t time = it == first.end() ? std::numeric_limits<uint64_t>::max() : it->second.second;
        return std::pair{time, c.probes[static_cast<size_t>(p)].site};
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    std::vector<capture::Probe> probes;
    std::vector<int> moved(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
        moved[static_cast<size_t>(order[i])] = static_cast<int>(i);
        probes.push_back(c.probes[static_cast<size_t>(order[i])]);
        probes.back().step = static_cast<int>(i);
    }
    c.probes = std::move(probes);
    for (capture::Tile& t : c.tiles) t.probe = moved[static_cast<size_t>(t.probe)];
    std::stable_sort(c.tiles.begin(), c.tiles.end(), [&](const capture::Tile& a, const capture::Tile& b) {
        const auto rank = [](const capture::Tile& t) {
            return std::tuple(
                t.block == capture::kWholeLaunch, t.block, t.time, t.iteration, t.probe, t.warp
            );
        };
        return rank(a) < rank(b);
    });
    for (size_t i = 0; i < c.tiles.size(); ++i) {
        if (c.tiles[i].block == capture::kWholeLaunch) {
            for (capture::Output& out : c.outputs) {
                if (c.probes[static_cast<size_t>(c.tiles[i].probe)].name == out.name)
                    out.tile = static_cast<int>(i);
            }
        }
    }
    o.probe_of_mark.clear();
    for (const std::string& p : o.problems) {
        if (std::find(c.notes.begin(), c.notes.end(), p) == c.notes.end()) c.notes.push_back(p);
    }
}

void name_probes(const Observer& o, std::vector<capture::BlockRecord>& records) {
    std::vector<int> probe_of_mark(o.listing.marks.size() + o.arrays.size(), -1);
    for (size_t m = 0; m < probe_of_mark.size(); ++m) {
        const ptx::Mark& mark = mark_of(o.listing, o.arrays, static_cast<int>(m));
        for (size_t p = 0; p < o.capture.probes.size(); ++p) {
            const capture::Probe& probe = o.capture.probes[p];
            if (probe.name == mark.name && probe.kind == probe_kind(mark.kind))
                probe_of_mark[m] = static_cast<int>(p);
        }
    }
    for (capture::BlockRecord& record : records) {
        const auto unknown = [&](const capture::Event& e) {
            return e.kind == capture::EventKind::tile &&
                (e.value >= probe_of_mark.size() || probe_of_mark[e.value] < 0);
        };
        std::erase_if(record.events, unknown);
        for (capture::Event& e : record.events) {
            if (e.kind == capture::EventKind::tile) e.value = static_cast<uint64_t>(probe_of_mark[e.value]);
        }
    }
}

}  // namespace wl::diagnosis
