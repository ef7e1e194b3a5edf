// Ways of one input through a block, compared link by link.
#include "instrumentation/diagnosis/why/entrance.h"

#include "instrumentation/base/dtype.h"
#include "instrumentation/diagnosis/why/provenance_lines.h"
#include "instrumentation/diagnosis/why/window.h"
#include "instrumentation/travel/flow.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>
#include <vector>

namespace wl::diagnosis {
namespace {

using travel::Link;

constexpr size_t kOthers = 1 << 14;        // elements of which the reference is asked
constexpr size_t kOthersBuiltin = 1 << 8;  // the same of one that computes each when it is asked for
constexpr size_t kFollowed = 3;            // of those that are made of the input

const capture::Tile& tile_of(const Doubt& d, int tile) {
    return d.chain.capture.tiles[static_cast<size_t>(tile)];
}

const std::string& name_of(const Doubt& d, const capture::Tile& t) {
    return d.chain.capture.probes[static_cast<size_t>(t.probe)].name;
}

std::optional<travel::Bytes> bytes_of(const Doubt& d, const InputPlace& input) {
    const manifest::BoundArgument& a = d.chain.problem.args[input.argument];
    const auto at = emulator::allocation_named(*d.chain.route.traveller, a.name);
    const size_t size = size_of(a.data.dtype);
    if (!at) return std::nullopt;
    return travel::Bytes{
        at->first + static_cast<uint64_t>(input.element) * size, static_cast<uint32_t>(size)};
}

// The element as the slice names it; nothing where the block did not take the tile.
std::optional<travel::Element> element_at(const Doubt& d, const TileElement& e) {
    const capture::Tile& tile = tile_of(d, e.tile);
    travel::Element out;
    out.row = e.row, out.col = e.col;
    if (tile.block < 0) {
        const auto at = emulator::allocation_named(*d.chain.route.traveller, name_of(d, tile));
        if (!at) return std::nullopt;
        out.bytes =
            static_cast<uint32_t>(size_of(d.chain.capture.probes[static_cast<size_t>(tile.probe)].dtype));
        out.address = at->first + static_cast<uint64_t>(int64_t{e.row} * tile.cols + e.col) * out.bytes;
        return out;
    }
    const auto found = std::find_if(d.taken.begin(), d.taken.end(), [&](const travel::Taken& t) {
        return t.name == name_of(d, tile) && t.tile.iteration == tile.iteration && t.tile.warp == tile.warp;
    });
    if (found == d.taken.end()) return std::nullopt;
    out.tile = static_cast<int>(found - d.taken.begin());
    return out;
}

// Elements of the output that the block writes, or of the tile and of the same at other iterations; the
// nearest ones first.
std::vector<TileElement> others_of(const Doubt& d, size_t most) {
    const TileElement& e = d.accused.as_captured;
    const capture::Tile& tile = tile_of(d, e.tile);
    std::vector<TileElement> out;
    const auto add = [&](int index, int64_t at) {
        TileElement o{index, static_cast<int>(at / tile.cols), static_cast<int>(at % tile.cols)};
        if (index != e.tile || o.row != e.row || o.col != e.col) out.push_back(o);
    };
    if (tile.block < 0) {
        travel::Element own = d.accused.element;
        const uint64_t begin =
            own.address - static_cast<uint64_t>(int64_t{e.row} * tile.cols + e.col) * own.bytes;
        const int64_t count = int64_t{tile.rows} * tile.cols;
        std::set<int64_t> written;
        for (const travel::Touch& t : travel::touches_of(
                 d.chain.route,
                 {
                     {begin, static_cast<uint32_t>(count) * own.bytes}
        }
             )) {
            const uint64_t first = std::max(t.address, begin) - begin;
            for (uint64_t k = first; t.writes && k < t.address + t.bytes - begin; k += own.bytes)
                written.insert(static_cast<int64_t>(k / own.bytes));
        }
        for (const int64_t at : written)
            if (at < count) add(e.tile, at);
    } else {
        for (size_t k = 0; k < d.chain.capture.tiles.size(); ++k) {
            const capture::Tile& t = tile_of(d, static_cast<int>(k));
            if (t.probe != tile.probe || t.block != tile.block || t.warp != tile.warp || t.cols != tile.cols)
                continue;
            for (int64_t at = 0; at < int64_t{t.rows} * t.cols; ++at) add(static_cast<int>(k), at);
        }
    }
    const auto far = [&](const TileElement& o) {
        return std::tuple(
            std::abs(tile_of(d, o.tile).iteration - tile.iteration),
            std::abs(o.row - e.row) + std::abs(o.col - e.col)
        );
    };
    std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return far(a) < far(b); });
    if (out.size() > most) out.resize(most);
    return out;
}

std::vector<TileElement> made_of_input(const Doubt& d, ReferenceInputs& needs, const InputPlace& input) {
    const bool builtin = d.chain.problem.kernel.reference.kind == manifest::ReferenceRule::Kind::builtin;
    const std::vector<TileElement> others = others_of(d, builtin ? kOthersBuiltin : kOthers);
    std::vector<analysis::Window> windows;
    for (const TileElement& o : others) windows.push_back(window_of(d.chain, o));
    const std::vector<bool> is = made_of(needs, input.argument, input.element, windows);
    std::vector<TileElement> out;
    for (size_t k = 0; k < others.size(); ++k)
        if (is[k]) out.push_back(others[k]);
    return out;
}

// Nothing: it is not known whole.
std::optional<std::vector<Link>> way_to(
    const Doubt& d, const travel::Element& element, const travel::Bytes& input
) {
    travel::SliceOptions options;
    options.from = element, options.passings = kPassings;
    const travel::Slice slice = travel::slice(d.chain.route, d.taken, options);
    if (!slice.passed_all) return std::nullopt;
    return travel::way_of(slice, input);
}

struct Shared {
    std::vector<bool> links;     // of the wrong element's way
    std::optional<size_t> last;  // of them
    std::optional<TileElement> of;
};

// What others that are made of the input share of the way.
Shared shared_with_others(
    const Doubt& d,
    const std::vector<Link>& way,
    const std::vector<TileElement>& others,
    const travel::Bytes& input
) {
    Shared out{std::vector<bool>(way.size()), {}, {}};
    size_t followed = 0;
    for (const TileElement& other : others) {
        const auto element = element_at(d, other);
        if (!element) continue;
        const auto theirs = way_to(d, *element, input);
        if (theirs) {
            const auto key = [](const Link& l) { return std::tuple(l.order, l.lane, l.to.place); };
            std::set<std::tuple<uint64_t, int, uint64_t>> known;
            for (const Link& l : *theirs) known.insert(key(l));
            for (size_t k = 0; k < way.size(); ++k) {
                if (!known.contains(key(way[k]))) continue;
                out.links[k] = true;
                if (!out.last || k > *out.last) out.last = k, out.of = other;
            }
        }
        if (++followed == kFollowed) break;
    }
    return out;
}

Execution execution_of(const Doubt& d, const Link& l) {
    const ProvenanceLine there = place_of_site(d.chain, l.site);
    return {
        l.site,
        there.source,
        there.line,
        there.called_at,
        l.warp,
        l.lane,
        l.order,
        travel::times_before(d.chain.route, l)};
}

Execution execution_of(const Doubt& d, const travel::SliceStep& s) {
    return execution_of(d, Link{s.last, s.site, s.warp, s.lane, {}, {}});
}

bool is_shuffle(const Doubt& d, uint32_t site) {
    return d.chain.route.instructions[site]->op == ptx::Op::shfl;
}

// The block needs the input, so that to fetch it is right: what is wrong is where it is put, or from where it
// is taken. Of what comes from hand to hand the last taking.
void hand_over(const Doubt& d, const std::vector<Link>& way, Entrance& out) {
    const Link* put = nullptr;
    for (const Link& l : way) {
        if (put != nullptr && (l.read.mask != 0 || is_shuffle(d, l.site))) {
            out.kind = Entrance::Kind::handed;
            out.at = execution_of(d, l), out.put = execution_of(d, *put);
        }
        if (l.mixed) return;  // two halves of a register come from two places
        if (put == nullptr || l.to.mask != 0) put = &l;
    }
}

// Reads of the argument, by lanes on the way.
std::vector<travel::Touch> touches_on_the_way(const Doubt& d, size_t argument, const travel::Slice& whole) {
    const manifest::BoundArgument& a = d.chain.problem.args[argument];
    const auto at = emulator::allocation_named(*d.chain.route.traveller, a.name);
    if (!at) return {};
    const travel::Lanes lanes = travel::lanes_of(whole);
    std::vector<travel::Touch> out = travel::touches_of(
        d.chain.route,
        {
            {at->first, static_cast<uint32_t>(a.data.bytes.size())}
    },
        &lanes
    );
    std::erase_if(out, [](const travel::Touch& t) { return t.writes; });
    return out;
}

// The read of the argument that lies nearest to the input, of those made to compare or to choose.
std::optional<Execution> nearest_seen(const Doubt& d, const InputPlace& input, const travel::Slice& whole) {
    const auto bytes = bytes_of(d, input);
    if (!bytes) return std::nullopt;
    const std::vector<travel::Touch> seen = touches_on_the_way(d, input.argument, whole);
    const auto away = [&](const travel::Touch& t) {
        return t.address > bytes->address ? t.address - bytes->address : bytes->address - t.address;
    };
    const auto nearest = std::min_element(seen.begin(), seen.end(), [&](const auto& a, const auto& b) {
        return away(a) < away(b);
    });
    if (nearest == seen.end()) return std::nullopt;
    return execution_of(d, Link{nearest->order, nearest->site, nearest->warp, nearest->lane, {}, {}});
}

}  // namespace

InputElement input_element(const Chain& chain, const InputPlace& input) {
    const manifest::BoundArgument& a = chain.problem.args[input.argument];
    return {a.name, coordinates(a.data.shape, input.element)};
}

Stretches read_on_the_way(const Doubt& d, size_t argument, const travel::Slice& whole) {
    const manifest::BoundArgument& a = d.chain.problem.args[argument];
    const auto at = emulator::allocation_named(*d.chain.route.traveller, a.name);
    const uint64_t size = size_of(a.data.dtype);
    std::set<int64_t> read;
    for (const travel::Touch& t : touches_on_the_way(d, argument, whole))
        for (uint64_t k = t.address; k < t.address + t.bytes; k += size)
            read.insert(static_cast<int64_t>((k - at->first) / size));
    Stretches out;
    for (const int64_t element : read) {
        if (!out.empty() && out.back().second + 1 == element)
            out.back().second = element;
        else
            out.emplace_back(element, element);
    }
    return out;
}

std::optional<Entrance> entrance_of(
    const Doubt& d, ReferenceInputs& needs, const InputPlace& input, const travel::Slice& whole
) {
    const auto bytes = bytes_of(d, input);
    if (!bytes || !whole.passed_all) return std::nullopt;
    const std::vector<Link> way = travel::way_of(whole, *bytes);
    if (way.empty()) return std::nullopt;
    const std::vector<TileElement> others = made_of_input(d, needs, input);
    if (!needs.failure.empty()) return std::nullopt;
    const Shared shared = shared_with_others(d, way, others, *bytes);
    const auto own = std::find(shared.links.begin(), shared.links.end(), false);
    if (own == shared.links.end()) return std::nullopt;
    const Link& enters = way[static_cast<size_t>(own - shared.links.begin())];
    Entrance out;
    out.input = input_element(d.chain, input);
    out.at = execution_of(d, enters);
    if (!shared.last) {
        if (!others.empty()) hand_over(d, way, out);
        return out;
    }
    out.of = shared.of;
    const bool goes_on = way[*shared.last].mixed && enters.read.mask == 0;
    out.kind = goes_on ? Entrance::Kind::kept : Entrance::Kind::taken;
    return out;
}

const travel::SliceStep* last_exchange(const Doubt& d, const travel::Slice& whole) {
    constexpr uint64_t kWindow = 0xff00'0000'0000'0000;
    const auto last = std::find_if(whole.steps.rbegin(), whole.steps.rend(), [&](const travel::SliceStep& s) {
        const bool shared = s.read_bytes != 0 && (s.read_address & kWindow) == emulator::kSharedBase;
        return shared || is_shuffle(d, s.site);
    });
    return last == whole.steps.rend() ? nullptr : &*last;
}

Absence absence_of(
    const Doubt& d, const InputPlace& input, const travel::Slice& whole, const travel::SliceStep* beside
) {
    Absence out;
    out.input = input_element(d.chain, input);
    out.others_go_in = beside != nullptr;
    out.beside = beside != nullptr ? execution_of(d, *beside) : nearest_seen(d, input, whole);
    if (const travel::SliceStep* last = last_exchange(d, whole)) out.taken = execution_of(d, *last);
    const auto bytes = bytes_of(d, input);
    if (!bytes) return out;
    std::vector<ProvenanceLine> places;
    for (const travel::SliceStep& step : whole.steps) places.push_back(place_of_site(d.chain, step.site));
    const auto on_the_way = [&](uint32_t site) {
        const ProvenanceLine there = place_of_site(d.chain, site);
        return std::any_of(places.begin(), places.end(), [&](const auto& p) { return same_line(p, there); });
    };
    // Where the element takes others of the argument, who reads them at the same line reads for it;
    // where nothing goes from lane to lane, its own lanes alone.
    const travel::Lanes lanes = travel::lanes_of(whole);
    const auto touches = travel::touches_of(d.chain.route, {*bytes});
    for (const travel::Touch& t : touches) {
        if (t.writes || (beside != nullptr && !on_the_way(t.site))) continue;
        const bool own = out.taken || lanes.empty() || lanes.contains({t.warp, t.lane});
        std::optional<Execution>& first = own ? out.read : out.elsewhere;
        if (!first) first = execution_of(d, Link{t.order, t.site, t.warp, t.lane, {}, {}});
    }
    return out;
}

}  // namespace wl::diagnosis
