// Walking a block's log backwards with the set of registers and bytes that are wanted.
#include "instrumentation/travel/slice.h"

#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/travel/slice_walk.h"
#include "instrumentation/travel/trace.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace wl::travel {
namespace {

using ptx::Instruction;

constexpr uint64_t kWindow = 0xff00'0000'0000'0000;
constexpr uint64_t kLeastInstants = 1 << 14;  // that are logged at a time

// ---- steps

uint32_t first_bytes(uint32_t count) { return static_cast<uint32_t>((uint64_t{1} << count) - 1); }

struct Wrote {
    int lane = 0;
    int32_t reg = -1;
    uint64_t address = 0;
    uint32_t bytes = 0;
};
Cell written_cell(const Executed& e, const Wrote& wrote) {
    if (wrote.reg >= 0) return cell_of(RegisterKey{e.warp, e.depth, wrote.reg}, wrote.lane);
    return {place_of(wrote.address, e.warp, wrote.lane), first_bytes(wrote.bytes)};
}

void note_write(Walk& w, const Executed& e, const Wrote& wrote) {
    if (w.options.passings == 0) return;
    note_passing(w, e, {.lane = static_cast<uint8_t>(wrote.lane), .to = written_cell(e, wrote), .from = {}});
}

void note_made(
    Walk& w, const Executed& e, int lane, const Cell& to, const Cell& from, bool bytewise = false
) {
    if (w.options.passings == 0) return;
    note_passing(
        w, e, {.lane = static_cast<uint8_t>(lane), .made = true, .bytewise = bytewise, .to = to, .from = from}
    );
}

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
    note_write(w, e, wrote);
    if (fresh && w.deciding != nullptr) ask_for_deciders(*w.deciding, e, s);
}

// Some of 32 bytes that were read, a bit each.
void want_read(Walk& w, const Executed& e, int lane, uint64_t address, uint32_t wanted) {
    if (wanted == 0) return;
    const uint64_t place = place_of(address, e.warp, lane);
    want_some(w, place, wanted);
    if (const auto beside = w.through.find(e.site); beside != w.through.end())
        want_some(*beside->second, place, wanted);
    SliceStep& s = w.steps.at(e.site);
    if (s.last != e.order || s.lane != lane || s.read_bytes != 0) return;
    const auto first = static_cast<uint32_t>(std::countr_zero(wanted));
    s.read_address = address + first;
    s.read_bytes = static_cast<uint32_t>(std::bit_width(wanted)) - first;
}

void follow_load(Walk& w, const Executed& e, const Instruction& in, const RegisterKey& key, uint32_t lanes) {
    for (const Transfer& t : transfers(in, e, w.log))
        if ((lanes >> t.lane & 1) != 0 && (t.reg == key.reg || traits_of(in).memory == ptx::Memory::update)) {
            want_read(w, e, t.lane, t.address, first_bytes(t.bytes));
            note_made(
                w,
                e,
                t.lane,
                cell_of(key, t.lane),
                {place_of(t.address, e.warp, t.lane), first_bytes(t.bytes)}
            );
        }
}

// ld.param of a function: what its caller or its callee left there.
bool follow_passed(
    Walk& w, const Executed& e, const Instruction& in, const RegisterKey& key, uint32_t lanes
) {
    if (!loads_parameter(in)) return false;
    if (loads_entry_parameter(e, in)) return true;
    w.passed_all = false;
    for (; lanes != 0; lanes &= lanes - 1) w.passed[parameter_of(e, in, std::countr_zero(lanes), key.reg)];
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
                for (const LaneRegister& s : sources(in, e, w.log, {lane, reg})) {
                    want_register(w, {e.warp, e.depth, s.reg}, 1u << s.lane);
                    note_made(
                        w, e, lane, cell_of(key, lane), cell_of(RegisterKey{e.warp, e.depth, s.reg}, s.lane)
                    );
                }
    }
}

void follow_memory(Walk& w, const Executed& e, const Instruction& in) {
    if (!writes_memory(in) || e.extra < 0) return;
    const bool keeps = traits_of(in).memory == ptx::Memory::update;  // of what was there
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
        const Cell to{place, wanted};
        if (traits_of(in).memory == ptx::Memory::copy) {
            if (t.copied < 32) wanted &= (1u << t.copied) - 1;  // the others become zero
            want_read(w, e, t.lane, t.from, wanted);
            note_made(w, e, t.lane, to, {place_of(t.from, e.warp, t.lane), wanted}, true);
            continue;
        }
        if (keeps) {
            want_read(w, e, t.lane, t.address, wanted);
            note_made(w, e, t.lane, to, to);
            const size_t first = ptx::destination_count(in) + 1;
            for (const int32_t reg : registers(in, first)) {
                want_register(w, {e.warp, e.depth, reg}, 1u << t.lane);
                note_made(w, e, t.lane, to, cell_of(RegisterKey{e.warp, e.depth, reg}, t.lane));
            }
            continue;
        }
        if (t.reg < 0) continue;
        want_register(w, {e.warp, e.depth, t.reg}, 1u << t.lane);
        note_made(w, e, t.lane, to, cell_of(RegisterKey{e.warp, e.depth, t.reg}, t.lane));
        if (const auto beside = w.through.find(e.site); beside != w.through.end())
            want_register(*beside->second, {e.warp, e.depth, t.reg}, 1u << t.lane);
    }
}

void follow_calls(Walk& w, const Executed& e, const Instruction& in) {
    if (w.passed.empty()) return;
    rename_passed(w.passed, renamed_by(w.route, w.log, e, in), [&](const PassedKey& to, std::monostate) {
        w.passed[to];
    });
    for (const auto& [key, reg] : stored_parameters(e, in)) {
        if (w.passed.erase(key) == 0) continue;
        count_step(w, e, {key.lane, reg, 0, 0});
        want_register(w, {e.warp, e.depth, reg}, 1u << key.lane);
    }
}

// ---- the walk

void open_tiles_behind(Walk& w, uint64_t order) {
    while (w.next_tile > 0 && w.taken[w.next_tile - 1].order > order)
        open_tile(w, static_cast<int>(--w.next_tile));
}

void walk_back(Walk& w, const Executed& e) {
    const Instruction& in = *w.route.instructions[e.site];
    if (in.op == ptx::Op::mark) return pass_mark(w, e, in);
    follow_calls(w, e, in);
    follow_memory(w, e, in);
    follow_destinations(w, e, in);
}

void walk_back(Walk& w) {
    for (size_t k = w.log.executed.size(); k-- > 0;) {
        const Executed& e = w.log.executed[k];
        open_tiles_behind(w, e.order);
        if (w.deciding != nullptr && w.options.kept) ask_what_kept(*w.deciding, e, w.registers);
        if (w.deciding != nullptr) decide_back(*w.deciding, w.log, e);
        if (e.lanes == 0) continue;
        for (const auto& beside : w.through) walk_back(*beside.second, e);
        walk_back(w, e);
    }
}

// A collective that waited for lanes comes again; only the last time it is executed.
void forget_waiting(Log& log, std::map<std::pair<int, uint32_t>, size_t>& waiting, const Instruction& in) {
    const Executed& e = log.executed.back();
    if (traits_of(in).waits != ptx::Waits::lanes) {
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

void log_between(const Route& route, uint64_t begin, uint64_t end, Log& log) {
    log = {};
    std::map<std::pair<int, uint32_t>, size_t> waiting;
    emulator::run_from(*route.traveller, begin, -1, [&](const emulator::Here& here) {
        if (here.order >= end) return true;
        note(route, here, log);
        forget_waiting(log, waiting, *route.instructions[here.site]);
        return false;
    });
}

SliceInput input_of(const std::string& memory, std::vector<uint64_t>& offsets) {
    std::sort(offsets.begin(), offsets.end());
    SliceInput input;
    input.memory = memory;
    input.first = offsets.front(), input.last = offsets.back();
    input.bytes = offsets.size();
    for (const uint64_t at : offsets) {
        if (!input.runs.empty() && input.runs.back().second + 1 == at)
            input.runs.back().second = at;
        else
            input.runs.emplace_back(at, at);
    }
    return input;
}

// What is still wanted at the block's start.
std::vector<SliceInput> inputs_of(const Walk& w) {
    std::map<std::string, std::vector<uint64_t>> offsets;
    for (const auto& [word, mask] : w.words) {
        const uint64_t address = word * 4;
        std::string memory = "global";
        uint64_t offset = address;
        if ((address & kWindow) == emulator::kSharedBase || (address & kWindow) == emulator::kLocalBase) {
            memory = (address & kWindow) == emulator::kSharedBase ? "shared" : "local";
            offset = address & 0xffff'ffff;
        } else if (const auto at = emulator::allocation_at(*w.route.traveller, address)) {
            std::tie(memory, offset) = *at;
        }
        for (uint64_t k = 0; k < 4; ++k)
            if ((mask >> k & 1) != 0) offsets[memory].push_back(offset + k);
    }
    std::vector<SliceInput> inputs;
    for (auto& [memory, all] : offsets) inputs.push_back(input_of(memory, all));
    return inputs;
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
    emulator::on_tile(*route.traveller, [&](const execution::TileSnapshot& tile, uint64_t order) {
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
    emulator::run_until(*route.traveller, -1, [&](const emulator::Here& here) {
        keep(route.trace, here);
        return false;
    });
    emulator::on_tile(*route.traveller, {});
    return taken;
}

Slice slice(Route& route, const std::vector<Taken>& taken, const SliceOptions& options) {
    Log log;
    Walk w{route, taken, options, log};
    const Element& from = options.from;
    w.next_tile = from.tile < 0 ? taken.size() : static_cast<size_t>(from.tile) + 1;
    if (from.tile < 0) want_bytes(w, from.address, from.bytes);
    Deciding deciding{route, options.deep};
    if (options.deciders) w.deciding = &deciding;
    std::vector<Walk> beside(options.through.size(), Walk{route, taken, options, log});
    for (size_t k = 0; k < beside.size(); ++k) w.through[options.through[k]] = &beside[k];
    const std::vector<uint64_t> from_order = begins(route);
    uint64_t end = UINT64_MAX;
    for (size_t k = from_order.size(); k-- > 0; end = from_order[k]) {
        log_between(route, from_order[k], end, log);
        walk_back(w);
        const bool begun = from.tile < 0 || w.next_tile <= static_cast<size_t>(from.tile);
        if (begun && nothing_wanted(w) && nothing_wanted(deciding)) break;
    }
    Slice out;
    out.inputs = inputs_of(w);
    for (const Walk& one : beside) out.through.push_back(inputs_of(one));
    for (const auto& [site, step] : w.steps) out.steps.push_back(step);
    std::sort(out.steps.begin(), out.steps.end(), [](const SliceStep& a, const SliceStep& b) {
        return std::pair(a.last, a.site) < std::pair(b.last, b.site);
    });
    for (const auto& [key, element] : w.elements) out.elements.push_back(element);
    out.not_followed.assign(w.not_followed.begin(), w.not_followed.end());
    out.deciders = deciders_of(deciding);
    out.passings = std::move(w.passings);
    out.passed_all = w.passed_all && out.not_followed.empty();
    return out;
}

}  // namespace wl::travel
