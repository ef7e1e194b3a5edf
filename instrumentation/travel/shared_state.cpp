// The log played up to the instant.
#include "instrumentation/travel/shared_state.h"

#include "instrumentation/emulator/replay/memory_here.h"
#include "instrumentation/layouts/matrix.h"
#include "instrumentation/ptx/shared_arrays.h"
#include "instrumentation/travel/fragment_memory.h"

#include <algorithm>
#include <bit>
#include <map>

namespace wl::travel {
namespace {

using capture::NamedRegion;
using capture::SharedRun;
using capture::SharedState;
using capture::SharedWrite;
using emulator::Here;
using EventKind = SharedEvent::Kind;

// What is known of every byte.
struct Bytewise {
    std::vector<int32_t> event, flight;  // in SharedLog::events; -1: none
    std::vector<uint8_t> lane, flight_lane;
    std::vector<uint32_t> times;
    std::vector<uint64_t> writers;  // a bit a thread, `words` of them for each 4 bytes
    size_t words = 1;
};

Bytewise begin(size_t bytes, size_t warps) {
    Bytewise b;
    b.event.resize(bytes, -1), b.flight.resize(bytes, -1);
    b.lane.resize(bytes), b.flight_lane.resize(bytes), b.times.resize(bytes);
    b.words = (warps + 1) / 2;
    b.writers.resize((bytes + 3) / 4 * b.words);
    return b;
}

void play(const SharedLog& log, int32_t number, Bytewise& b) {
    const SharedEvent& e = log.events[static_cast<size_t>(number)];
    const SharedStore& s = log.stores[e.store];
    for (uint32_t k = s.first; k < s.end; ++k) {
        const SharedPiece& p = log.pieces[k];
        if ((e.lanes >> p.lane & 1) == 0) continue;
        const size_t end = std::min<size_t>(p.offset + p.bytes, b.event.size());
        for (size_t at = p.offset; at < end; ++at) {
            if (e.kind == EventKind::issue) {
                b.flight[at] = number, b.flight_lane[at] = p.lane;
                continue;
            }
            // The copy that lands is over, one that was issued behind it is not.
            const bool over =
                b.flight[at] >= 0 && log.events[static_cast<size_t>(b.flight[at])].store == e.store;
            if (e.kind == EventKind::land && over) b.flight[at] = -1;
            b.event[at] = number, b.lane[at] = p.lane;
            ++b.times[at];
            const auto thread = static_cast<size_t>(s.warp) * 32 + p.lane;
            b.writers[at / 4 * b.words + thread / 64] |= uint64_t{1} << (thread % 64);
        }
    }
}

// How often the warp began the stage in (after, before).
int times_begun(const SharedLog& log, const SharedStore& s, uint64_t after, uint64_t before) {
    const auto found = log.entries.find({s.warp, s.stage});
    if (s.stage < 0 || found == log.entries.end()) return -1;
    const std::vector<uint64_t>& all = found->second;
    const auto from = std::upper_bound(all.begin(), all.end(), after);
    return static_cast<int>(std::lower_bound(from, all.end(), before) - from);
}

// Events become writes, once each.
struct Naming {
    const Route& route;
    const SharedLog& log;
    const Here& here;
    SharedState& out;
    std::map<int32_t, int> known{};

    int write_of(int32_t event) {
        if (event < 0) return -1;
        const auto [at, fresh] = known.try_emplace(event, static_cast<int>(out.writes.size()));
        if (!fresh) return at->second;
        const SharedEvent& e = log.events[static_cast<size_t>(event)];
        const SharedStore& s = log.stores[e.store];
        SharedWrite w;
        w.order = s.order, w.time = s.time, w.site = s.site, w.warp = s.warp, w.epoch = e.epoch;
        w.epochs_ago = std::max(0, here.epoch - e.epoch);
        w.iterations_ago = times_begun(log, s, s.order, here.order);
        w.copy = s.copy;
        w.place = user_place(route, s.site);
        out.writes.push_back(std::move(w));
        return at->second;
    }
};

void add_runs(Naming& naming, const Bytewise& b) {
    SharedState& out = naming.out;
    int32_t last_event = -2, last_flight = -2;
    for (uint32_t at = 0; at < b.event.size(); ++at) {
        int writers = 0;
        for (size_t w = 0; w < b.words; ++w) writers += std::popcount(b.writers[at / 4 * b.words + w]);
        const int lane = b.event[at] < 0 ? -1 : b.lane[at],
                  flight_lane = b.flight[at] < 0 ? -1 : b.flight_lane[at];
        if (!out.runs.empty()) {
            SharedRun& r = out.runs.back();
            const bool same = b.event[at] == last_event && b.flight[at] == last_flight && r.lane == lane &&
                r.flight_lane == flight_lane && r.times == b.times[at] && r.writers == writers;
            if (same) {
                ++r.bytes;
                continue;
            }
        }
        last_event = b.event[at], last_flight = b.flight[at];
        const int write = naming.write_of(last_event), flight = naming.write_of(last_flight);
        out.runs.push_back({at, 1, write, lane, flight, flight_lane, b.times[at], writers});
    }
}

// ---- regions

void add_variables(const Route& route, SharedState& out) {
    const std::vector<ptx::SharedArray> arrays = ptx::shared_arrays(*route.module);
    for (const emulator::SharedVariableHere& v : emulator::shared_variables(*route.traveller)) {
        NamedRegion r;
        r.name = ptx::local_name(v.symbol);
        r.begin = v.offset, r.end = v.offset + v.bytes;
        for (const ptx::SharedArray& a : arrays)
            if (a.symbol == v.symbol) r.dtype = a.dtype;
        out.regions.push_back(std::move(r));
    }
}

// Behind the mark's last byte; `notation`: as the region has it, empty where numbers say it.
uint64_t end_of(const SharedMark& m, std::string& notation) {
    if (!m.layout.empty()) {
        notation = std::string(name_of(m.dtype)) + " " + m.layout;
        layouts::Matrix named = layouts::parse_matrix(notation);
        named.begin = m.offset;
        return layouts::end_of(named);
    }
    const int64_t lines = m.column ? m.cols : m.rows, width = m.column ? m.rows : m.cols;
    return m.offset + static_cast<uint64_t>((lines - 1) * m.ld + width) * size_of(m.dtype);
}

NamedRegion region_of(const Route& route, const SharedMark& m) {
    NamedRegion r;
    using MarkKind = ptx::Mark::Kind;
    using Kind = NamedRegion::Kind;
    r.kind = m.kind == MarkKind::layout ? Kind::layout
        : m.kind == MarkKind::warp_tile ? Kind::warp_tile
                                        : Kind::tile;
    r.name = m.name;
    r.dtype = m.dtype;
    r.rows = m.rows, r.cols = m.cols, r.ld = m.ld, r.column = m.column, r.warp = m.warp;
    r.begin = m.offset;
    const uint64_t end = end_of(m, r.layout);
    r.end = static_cast<uint32_t>(std::min<uint64_t>(end, emulator::shared_memory(*route.traveller).size()));
    const capture::Site& s = route.sites[user_site(route, m.site)];
    if (s.source >= 0) r.file = route.module->files[static_cast<size_t>(s.source)], r.line = s.line;
    return r;
}

// Each matrix once. Of a name at several addresses that of the last mark before the instant is the current
// one, or the first behind it.
void add_marks(const Route& route, const SharedLog& log, uint64_t order, SharedState& out) {
    using Key = std::pair<std::string, int>;  // name, warp
    std::map<Key, size_t> current;
    for (const SharedMark& m : log.marks) {
        const NamedRegion r = region_of(route, m);
        auto known = std::find_if(out.regions.begin(), out.regions.end(), [&](const NamedRegion& k) {
            return k.kind == r.kind && k.name == r.name && k.begin == r.begin && k.rows == r.rows &&
                k.cols == r.cols && k.ld == r.ld && k.layout == r.layout && k.dtype == r.dtype &&
                k.warp == r.warp;
        });
        if (known == out.regions.end()) known = out.regions.insert(known, r);
        const auto index = static_cast<size_t>(known - out.regions.begin());
        if (m.order < order || !current.contains({m.name, m.warp})) current[{m.name, m.warp}] = index;
    }
    for (size_t k = 0; k < out.regions.size(); ++k) {
        const auto at = current.find({out.regions[k].name, out.regions[k].warp});
        if (out.regions[k].kind != NamedRegion::Kind::variable)
            out.regions[k].current = at != current.end() && at->second == k;
    }
}

}  // namespace

capture::SharedState shared_state(Route& route, const SharedLog& log) {
    const Here here = emulator::here(*route.traveller);
    SharedState out;
    out.warp = here.warp, out.time = here.time, out.order = here.order, out.epoch = here.epoch;
    out.place = user_place(route, here.site);
    const std::span<const std::byte> memory = emulator::shared_memory(*route.traveller);
    out.values.assign(memory.begin(), memory.end());
    size_t warps = 1;
    for (const SharedStore& s : log.stores) warps = std::max(warps, static_cast<size_t>(s.warp) + 1);
    Bytewise b = begin(out.values.size(), warps);
    for (size_t k = 0; k < log.events.size() && log.events[k].order < here.order; ++k)
        play(log, static_cast<int32_t>(k), b);
    Naming naming{route, log, here, out};
    add_runs(naming, b);
    add_variables(route, out);
    add_marks(route, log, here.order, out);
    std::stable_sort(out.regions.begin(), out.regions.end(), [](const auto& x, const auto& y) {
        return std::pair(x.begin, -static_cast<int64_t>(x.end)) <
            std::pair(y.begin, -static_cast<int64_t>(y.end));
    });
    return out;
}

}  // namespace wl::travel
