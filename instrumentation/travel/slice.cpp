// Walking a block's log backwards with the set of registers and bytes that are wanted.
#include "instrumentation/travel/slice.h"

#include "instrumentation/ptx/destinations.h"
#include "instrumentation/travel/wanted.h"

#include <algorithm>
#include <map>

namespace wl::travel {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

constexpr uint64_t kWindow = 0xff00'0000'0000'0000;
constexpr uint64_t kLeastInstants = 1 << 14;  // that are logged at a time

// ---- steps

struct Wrote {
    int lane = 0;
    int32_t reg = -1;
    uint64_t address = 0;
    uint32_t bytes = 0;
};
void count_step(Walk& w, const Executed& e, const Wrote& wrote) {
    const auto [at, fresh] = w.steps.try_emplace(e.site);
    SliceStep& s = at->second;
    if (fresh) {
        s.site = e.site;
        s.last = e.order;
        s.warp = e.warp;
        s.nth = e.nth;
        s.depth = e.depth;
        s.lane = wrote.lane;
        s.reg = wrote.reg;
        s.address = wrote.address;
        s.bytes = wrote.bytes;
    }
    s.first = e.order;
    ++s.times;
}

// The bytes that were read; cp.async and atomics have theirs elsewhere.
void want_transfer(Walk& w, const Executed& e, const Transfer& t) {
    want_bytes(w, place_of(t.address, e.warp, t.lane), t.bytes);
}

void follow_load(Walk& w, const Executed& e, const Instruction& in, const RegisterKey& key, uint32_t lanes) {
    for (const Transfer& t : transfers(in, e, w.log))
        if ((lanes >> t.lane & 1) != 0 && (t.reg == key.reg || in.op == Op::atom)) want_transfer(w, e, t);
}

PassedKey passed_key(const Executed& e, const Operand& o, int lane) {
    return {e.warp, lane, e.depth, o.base_kind, o.index, o.offset};
}

// ld.param of a function: what its caller or its callee left there.
bool follow_passed(
    Walk& w, const Executed& e, const Instruction& in, const RegisterKey& key, uint32_t lanes
) {
    const bool load = in.op == Op::ld && in.modifiers.space == ptx::Space::param && in.operands.size() > 1;
    if (!load) return false;
    const bool entry = e.depth == 0 && in.operands[1].base_kind == Operand::Kind::param;
    if (entry) return true;
    const std::vector<int32_t> regs = registers(in, 0, 1);
    for (int lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        PassedKey p = passed_key(e, in.operands[1], lane);
        const auto component = std::find(regs.begin(), regs.end(), key.reg) - regs.begin();
        p.offset += component * static_cast<int64_t>(ptx::bytes_of(in.types.back()));
        w.passed.insert(p);
    }
    return true;
}

void follow_destinations(Walk& w, const Executed& e, const Instruction& in) {
    if (w.registers.empty() && w.marked.empty() && w.known.empty()) return;
    for (const int32_t reg : registers(in, 0, ptx::destination_count(in))) {
        const RegisterKey key{e.warp, e.depth, reg};
        uint32_t lanes = take_register(w, key, e.lanes);
        if (!w.marked.empty() || !w.known.empty()) lanes = meet_register(w, key, e.lanes, lanes);
        if (lanes == 0) continue;
        for (int lane = 0; lane < 32; ++lane)
            if ((lanes >> lane & 1) != 0) count_step(w, e, {lane, reg, 0, 0});
        if (!is_followed(in)) w.not_followed.insert(in.mnemonic);
        if (follow_passed(w, e, in, key, lanes)) continue;
        if (reads_memory(in)) {
            follow_load(w, e, in, key, lanes);
            continue;
        }
        for (int lane = 0; lane < 32; ++lane)
            if ((lanes >> lane & 1) != 0)
                for (const LaneRegister& s : sources(in, e, w.log, {lane, reg}))
                    want_register(w, {e.warp, e.depth, s.reg}, 1u << s.lane);
    }
}

void follow_memory(Walk& w, const Executed& e, const Instruction& in) {
    if (!writes_memory(in) || e.extra < 0) return;
    const bool keeps = in.op == Op::atom || in.op == Op::red;  // the result depends on what was there
    for (const Transfer& t : transfers(in, e, w.log)) {
        if ((e.lanes >> t.lane & 1) == 0) continue;
        const uint64_t place = place_of(t.address, e.warp, t.lane);
        uint32_t wanted = w.words.empty() ? 0 : take_bytes(w, place, t.bytes);
        if (!w.tiles.empty()) {
            const Met met = meet_tiles(w, place, t.bytes, wanted);
            wanted = met.wanted;
            if (met.ends && t.reg >= 0) w.known[{e.warp, e.depth, t.reg}] |= 1u << t.lane;
        }
        if (wanted == 0) continue;
        count_step(w, e, {t.lane, -1, t.address, t.bytes});
        if (in.op == Op::cp_async) {
            const auto lane = static_cast<size_t>(t.lane);
            want_some(w, w.log.extras[static_cast<size_t>(e.extra) + 1][lane], wanted);
            continue;
        }
        if (keeps) {
            want_some(w, place, wanted);
            const size_t first = ptx::destination_count(in) + 1;
            for (const int32_t reg : registers(in, first))
                want_register(w, {e.warp, e.depth, reg}, 1u << t.lane);
            continue;
        }
        if (t.reg >= 0) want_register(w, {e.warp, e.depth, t.reg}, 1u << t.lane);
    }
}

// ---- calls

void follow_store_to_parameter(Walk& w, const Executed& e, const Instruction& in) {
    const bool store = in.op == Op::st && in.modifiers.space == ptx::Space::param && in.operands.size() > 1;
    if (!store || w.passed.empty()) return;
    const std::vector<int32_t> regs = registers(in, 1, 2);
    for (int lane = 0; lane < 32; ++lane) {
        if ((e.lanes >> lane & 1) == 0) continue;
        PassedKey key = passed_key(e, in.operands[0], lane);
        for (const int32_t reg : regs) {
            if (w.passed.erase(key) != 0) {
                count_step(w, e, {lane, reg, 0, 0});
                want_register(w, {e.warp, e.depth, reg}, 1u << lane);
            }
            key.offset += static_cast<int64_t>(ptx::bytes_of(in.types.back()));
        }
    }
}

// Renames what is passed from one depth to another.
void rename(Walk& w, PassedKey from, const PassedKey& to) {
    from.offset = INT64_MIN;
    std::vector<PassedKey> found;
    for (auto at = w.passed.lower_bound(from); at != w.passed.end(); ++at) {
        PassedKey same = *at;
        same.offset = INT64_MIN;
        if (same != from) break;
        found.push_back(*at);
    }
    for (const PassedKey& key : found) {
        w.passed.erase(key);
        PassedKey renamed = to;
        renamed.offset = key.offset;
        w.passed.insert(renamed);
    }
}

// The call is met after what the callee did: its parameters are what the caller passed.
void follow_call(Walk& w, const Executed& e, const Instruction& in) {
    if (in.op != Op::call || w.passed.empty() || in.operands.size() < 3) return;
    for (int lane = 0; lane < 32; ++lane) {
        if ((e.lanes >> lane & 1) == 0) continue;
        for (size_t k = 0; k < in.operands[2].elements.size(); ++k) {
            const Operand& o = in.operands[2].elements[k];
            rename(
                w,
                {e.warp, lane, e.depth + 1, Operand::Kind::param, static_cast<int32_t>(k), 0},
                {e.warp, lane, e.depth, o.kind, o.index, 0}
            );
        }
    }
}

// A return is met before what the callee did: the caller's results are the callee's.
void follow_return(Walk& w, const Executed& e, const Instruction& in) {
    if (in.op != Op::ret || w.passed.empty() || e.extra < 0) return;
    const auto site = static_cast<size_t>(w.log.extras[static_cast<size_t>(e.extra)][0]);
    const Instruction& call = *w.route.instructions[site];
    for (int lane = 0; lane < 32; ++lane) {
        if ((e.lanes >> lane & 1) == 0) continue;
        for (size_t k = 0; k < call.operands[0].elements.size(); ++k) {
            const Operand& o = call.operands[0].elements[k];
            rename(
                w,
                {e.warp, lane, e.depth - 1, o.kind, o.index, 0},
                {e.warp, lane, e.depth, Operand::Kind::result, static_cast<int32_t>(k), 0}
            );
        }
    }
}

// ---- the walk

void open_tiles_behind(Walk& w, uint64_t order) {
    while (w.next_tile > 0 && w.taken[w.next_tile - 1].order > order)
        open_tile(w, static_cast<int>(--w.next_tile));
}

void walk_back(Walk& w) {
    for (size_t k = w.log.executed.size(); k-- > 0;) {
        const Executed& e = w.log.executed[k];
        open_tiles_behind(w, e.order);
        if (e.lanes == 0) continue;
        const Instruction& in = *w.route.instructions[e.site];
        if (in.op == Op::mark) {
            pass_mark(w, e, in);
            continue;
        }
        follow_return(w, e, in);
        follow_store_to_parameter(w, e, in);
        follow_memory(w, e, in);
        follow_destinations(w, e, in);
        follow_call(w, e, in);
    }
}

bool waits_for_lanes(const Instruction& in) {
    switch (in.op) {
        case Op::shfl:
        case Op::vote:
        case Op::match:
        case Op::redux:
        case Op::mma:
        case Op::wmma_mma:
        case Op::wmma_load:
        case Op::wmma_store:
        case Op::ldmatrix:
        case Op::stmatrix:
        case Op::movmatrix: return true;
        default: return false;
    }
}

// A collective that waited for lanes comes again; only the last time it is executed.
void forget_waiting(Log& log, std::map<std::pair<int, uint32_t>, size_t>& waiting, const Instruction& in) {
    const Executed& e = log.executed.back();
    if (!waits_for_lanes(in)) {
        if (!waiting.empty())
            std::erase_if(waiting, [&](const auto& w) {
                const Executed& before = log.executed[w.second];
                return w.first.first == e.warp && (before.lanes & e.lanes) != 0;
            });
        return;
    }
    const auto [at, fresh] = waiting.try_emplace({e.warp, e.site}, log.executed.size() - 1);
    if (fresh) return;
    Executed& before = log.executed[at->second];
    if ((before.lanes & e.lanes) == before.lanes) before.lanes = 0;
    at->second = log.executed.size() - 1;
}

void log_between(Walk& w, uint64_t begin, uint64_t end) {
    w.log = {};
    std::map<std::pair<int, uint32_t>, size_t> waiting;
    emulator::run_from(*w.route.traveller, begin, -1, [&](const emulator::Here& here) {
        if (here.order >= end) return true;
        note(w.route, here, w.log);
        forget_waiting(w.log, waiting, *w.route.instructions[here.site]);
        return false;
    });
}

void add_input(Walk& w, const std::string& memory, uint64_t offset, uint8_t mask) {
    SliceInput& input = w.inputs[memory];
    for (uint64_t k = 0; k < 4; ++k) {
        if ((mask >> k & 1) == 0) continue;
        if (input.bytes == 0) input.first = input.last = offset + k;
        input.first = std::min(input.first, offset + k);
        input.last = std::max(input.last, offset + k);
        ++input.bytes;
    }
    input.memory = memory;
}

// What is still wanted at the block's start.
void gather_inputs(Walk& w) {
    for (const auto& [word, mask] : w.words) {
        const uint64_t address = word * 4;
        switch (address & kWindow) {
            case emulator::kSharedBase: add_input(w, "shared", address & 0xffff'ffff, mask); break;
            case emulator::kLocalBase: add_input(w, "local", address & 0xffff'ffff, mask); break;
            default: {
                const auto at = emulator::allocation_at(*w.route.traveller, address);
                add_input(w, at ? at->first : "global", at ? at->second : address, mask);
            }
        }
    }
}

// Where the logs begin: key frames that are far enough apart.
std::vector<uint64_t> begins(const Route& route) {
    std::vector<uint64_t> out;
    for (const uint64_t order : emulator::key_frame_orders(*route.traveller))
        if (out.empty() || order >= out.back() + kLeastInstants) out.push_back(order);
    return out;
}

}  // namespace

std::vector<Taken> take_tiles(Route& route) {
    std::vector<Taken> taken;
    emulator::on_tile(*route.traveller, [&](const emulator::TileSnapshot& tile, uint64_t order) {
        Taken t;
        const Instruction& in = *route.instructions[tile.site];
        const ptx::Mark& mark = route.function_of_site[tile.site]->marks[static_cast<size_t>(in.mark)];
        t.name = mark.name;
        t.kind = mark.kind;
        t.order = order;
        t.tile = tile;
        t.tile.values.clear();
        t.tile.values.shrink_to_fit();
        taken.push_back(std::move(t));
    });
    emulator::run_until(*route.traveller, -1, [](const emulator::Here&) { return false; });
    emulator::on_tile(*route.traveller, {});
    return taken;
}

Slice slice(Route& route, const std::vector<Taken>& taken, const SliceOptions& options) {
    Walk w{route, taken, options};
    w.next_tile = taken.size();
    const Element& from = options.from;
    if (from.tile < 0) want_bytes(w, from.address, from.bytes);
    const std::vector<uint64_t> from_order = begins(route);
    uint64_t end = UINT64_MAX;
    for (size_t k = from_order.size(); k-- > 0; end = from_order[k]) {
        log_between(w, from_order[k], end);
        walk_back(w);
        const bool begun = from.tile < 0 || w.next_tile <= static_cast<size_t>(from.tile);
        if (begun && nothing_wanted(w)) break;
    }
    gather_inputs(w);
    Slice out;
    for (const auto& [site, step] : w.steps) out.steps.push_back(step);
    std::sort(out.steps.begin(), out.steps.end(), [](const SliceStep& a, const SliceStep& b) {
        return std::pair(a.last, a.site) < std::pair(b.last, b.site);
    });
    for (const auto& [key, element] : w.elements) out.elements.push_back(element);
    for (const auto& [name, input] : w.inputs) out.inputs.push_back(input);
    out.not_followed.assign(w.not_followed.begin(), w.not_followed.end());
    return out;
}

}  // namespace wl::travel
