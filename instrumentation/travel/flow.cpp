// Taint that follows the passings of a slice in kernel time.
#include "instrumentation/travel/flow.h"

#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/travel/dataflow.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace wl::travel {
namespace {

struct Carrying {
    std::unordered_set<uint64_t> registers, bytes;
    std::unordered_set<uint64_t> mixed;  // cells, by place
};

// Of a cell the bytes that carry something; of a register all or none.
uint32_t carried(const Carrying& c, const Cell& cell) {
    if (cell.mask == 0) return c.registers.contains(cell.place) ? ~0u : 0;
    uint32_t out = 0;
    for (uint32_t left = cell.mask; left != 0; left &= left - 1) {
        const int k = std::countr_zero(left);
        if (c.bytes.contains(cell.place + static_cast<uint64_t>(k))) out |= 1u << k;
    }
    return out;
}

void set(Carrying& c, const Cell& cell, uint32_t which) {
    if (cell.mask == 0) {
        if (which != 0)
            c.registers.insert(cell.place);
        else
            c.registers.erase(cell.place);
        return;
    }
    for (int k = 0; k < 32; ++k) {
        const uint64_t at = cell.place + static_cast<uint64_t>(k);
        if ((which >> k & 1) != 0)
            c.bytes.insert(at);
        else if ((cell.mask >> k & 1) != 0)
            c.bytes.erase(at);
    }
}

struct Write {
    Link link;
    uint32_t which = 0;  // of `link.to` what carries something
    std::set<uint64_t> made_of;
};

// What one instruction wrote, from what it read before.
void pass_instruction(
    Carrying& c,
    const std::vector<Passing>::const_reverse_iterator& begin,
    const std::vector<Passing>::const_reverse_iterator& end,
    std::vector<Link>& out
) {
    std::map<std::pair<uint64_t, uint32_t>, Write> writes;
    for (auto p = begin; p != end; ++p) {
        Write& w = writes[{p->to.place, p->lane}];
        w.link.order = p->order, w.link.site = p->site, w.link.warp = p->warp, w.link.lane = p->lane;
        w.link.to.place = p->to.place, w.link.to.mask |= p->to.mask;
        if (!p->made) continue;
        w.made_of.insert(p->from.place);
        const uint32_t here = carried(c, p->from);
        if (here == 0) continue;
        w.which |= p->bytewise ? here : p->to.mask == 0 ? 1 : p->to.mask;
        if (p->from.mask != 0) w.link.read = {p->from.place, here};
        w.link.mixed = w.link.mixed || c.mixed.contains(p->from.place);
    }
    for (auto& [at, w] : writes) {
        set(c, w.link.to, w.which);
        c.mixed.erase(w.link.to.place);
        if (w.which == 0) continue;
        w.link.mixed = w.link.mixed || w.made_of.size() > 1;
        if (w.link.mixed) c.mixed.insert(w.link.to.place);
        out.push_back(w.link);
    }
}

bool meets(const Bytes& range, uint64_t address, uint32_t bytes) {
    return address < range.address + range.bytes && range.address < address + bytes;
}

}  // namespace

std::vector<Link> way_of(const Slice& slice, const Bytes& source) {
    Carrying c;
    for (uint64_t k = 0; k < source.bytes; ++k) c.bytes.insert(source.address + k);
    std::vector<Link> out;
    for (auto at = slice.passings.rbegin(); at != slice.passings.rend();) {
        const auto end =
            std::find_if(at, slice.passings.rend(), [&](const Passing& p) { return p.order != at->order; });
        pass_instruction(c, at, end, out);
        at = end;
    }
    return out;
}

bool same_link(const Link& a, const Link& b) {
    return std::tie(a.order, a.lane, a.to.place) == std::tie(b.order, b.lane, b.to.place);
}

Lanes lanes_of(const Slice& slice) {
    Lanes out;
    for (const Passing& p : slice.passings) out.emplace(p.warp, p.lane);
    return out;
}

std::vector<Touch> touches_of(Route& route, const std::vector<Bytes>& ranges, const Lanes* by) {
    std::vector<Touch> out;
    emulator::run_from(*route.traveller, 0, -1, [&](const emulator::Here& here) {
        const ptx::Instruction& in = *route.instructions[here.site];
        const bool writes = writes_memory(in);
        if (!writes && !reads_memory(in)) return false;
        Log log;
        note(route, here, log);
        const auto add = [&](int lane, uint64_t address, uint32_t bytes, bool is_write) {
            const bool wanted = std::any_of(ranges.begin(), ranges.end(), [&](const Bytes& range) {
                return meets(range, address, bytes);
            });
            if (wanted) out.push_back({here.order, here.site, here.warp, lane, address, bytes, is_write});
        };
        const Executed& e = log.executed.back();
        if (e.extra < 0) return false;
        const bool copies = traits_of(in).memory == ptx::Memory::copy;
        for (const Transfer& t : transfers(in, e, log)) {
            if ((e.lanes >> t.lane & 1) == 0) continue;
            if (by != nullptr && !by->contains({here.warp, t.lane})) continue;
            if (copies) add(t.lane, t.from, t.copied, false);
            if (!copies && reads_memory(in)) add(t.lane, t.address, t.bytes, false);
            if (writes) add(t.lane, t.address, t.bytes, true);
        }
        return false;
    });
    return out;
}

uint64_t times_before(Route& route, const Link& link) {
    uint64_t times = 0;
    emulator::run_from(*route.traveller, 0, -1, [&](const emulator::Here& here) {
        if (here.order >= link.order) return true;
        times += here.site == link.site && here.warp == link.warp && (here.lanes >> link.lane & 1) != 0;
        return false;
    });
    return times;
}

}  // namespace wl::travel
