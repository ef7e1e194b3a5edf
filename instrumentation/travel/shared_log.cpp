// One pass with a look at every instruction that could touch shared memory.
#include "instrumentation/travel/shared_log.h"

#include "instrumentation/base/error.h"
#include "instrumentation/emulator/replay/memory_here.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/travel/dataflow.h"
#include "instrumentation/travel/layout_marks.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <unordered_map>

namespace wl::travel {
namespace {

using emulator::Here;
using ptx::Instruction;
using ptx::Memory;

constexpr size_t kMostPieces = size_t{1} << 26;  // 512 MB
constexpr uint32_t kMostPatterns = 1024;         // of one instruction

// What is to be looked at, by site.
struct Kind {
    bool writes = false, touches = false, mark = false, barrier_word = false;
};

bool may_be_shared(const Instruction& in, int8_t role) {
    const ptx::Space space = space_of(in, role);
    return space == ptx::Space::shared || space == ptx::Space::generic || space == ptx::Space::none;
}

Kind kind_of(const Instruction& in) {
    Kind k;
    k.mark = in.op == ptx::Op::mark;
    const ptx::Traits& t = traits_of(in);
    k.barrier_word = in.op == ptx::Op::mbarrier_init;
    if (k.mark || t.memory == Memory::none || t.address == ptx::kNoRole) return k;
    const bool shared = may_be_shared(in, t.address);
    k.writes = shared && writes_memory(in);
    k.touches = shared && (reads_memory(in) || writes_memory(in));
    return k;
}

struct Logging {
    Route& route;
    SharedLog& out;
    std::vector<Kind> kinds{};
    std::vector<int> stage_of_warp{};
    std::vector<std::pair<uint32_t, uint32_t>> open{};  // copies that have not landed: store, lanes
    int open_lanes = 0;
    std::unordered_map<uint64_t, size_t> pattern_at{};  // by hash of site and accesses
    std::vector<uint32_t> patterns_of{};                // how many, by site
    Log scratch{};
};

int stage_number(SharedLog& log, const std::string& name) {
    const auto at = std::find(log.stages.begin(), log.stages.end(), name);
    if (at == log.stages.end()) log.stages.push_back(name);
    return static_cast<int>(std::find(log.stages.begin(), log.stages.end(), name) - log.stages.begin());
}

void note_stage(Logging& l, const Here& here) {
    const std::string& name = l.route.stages[here.site];
    const auto warp = static_cast<size_t>(here.warp);
    if (l.stage_of_warp.size() <= warp) l.stage_of_warp.resize(warp + 1, -1);
    if (name.empty()) return;
    const int stage = stage_number(l.out, name);
    l.stage_of_warp[warp] = stage;
    l.out.entries[{here.warp, stage}].push_back(here.order);
}

void note_mark(Logging& l, const Here& here) {
    const Route& route = l.route;
    const Instruction& in = *route.instructions[here.site];
    const ptx::Mark& mark = route.function_of_site[here.site]->marks[static_cast<size_t>(in.mark)];
    using MarkKind = ptx::Mark::Kind;
    const bool lays =
        mark.kind == MarkKind::layout || mark.kind == MarkKind::tile || mark.kind == MarkKind::warp_tile;
    if (!lays || here.lanes == 0) return;
    const auto lane = static_cast<size_t>(std::countr_zero(here.lanes));
    const auto number = [&](size_t k) { return operand_bits(route, in.operands[k])[lane]; };
    const uint64_t address = number(0);
    if ((address & emulator::kWindowMask) != emulator::kSharedBase) return;
    SharedMark m{mark.name, mark.kind, mark.dtype, static_cast<uint32_t>(address & ~emulator::kWindowMask)};
    m.rows = static_cast<int32_t>(number(1)), m.cols = static_cast<int32_t>(number(2));
    m.ld = static_cast<int32_t>(number(3));
    m.column = mark.kind == MarkKind::layout && mark.order != 0;
    m.site = here.site, m.order = here.order;
    m.warp = mark.kind == MarkKind::warp_tile ? here.warp : -1;
    if (const auto named = notation_of(mark); named && named->dtype == mark.dtype) m.layout = mark.layout;
    const bool sound = m.rows > 0 && m.cols > 0 && m.ld >= (m.column ? m.rows : m.cols);
    if (sound || !m.layout.empty()) l.out.marks.push_back(std::move(m));
}

// ---- writes and copies

void add_piece(Logging& l, uint64_t address, uint32_t bytes, int lane) {
    if ((address & emulator::kWindowMask) != emulator::kSharedBase) return;
    l.out.pieces.push_back(
        {static_cast<uint32_t>(address & ~emulator::kWindowMask),
         static_cast<uint8_t>(bytes),
         static_cast<uint8_t>(lane)}
    );
}

// The pieces from `first` on are what the instruction writes, or issues copies for.
void add_store(Logging& l, const Here& here, uint32_t first, bool copy) {
    const auto end = static_cast<uint32_t>(l.out.pieces.size());
    if (end == first) return;
    if (end > kMostPieces)
        throw Unsupported(
            "unsupported: shared memory at an instant of this block: it writes there more than 67 million "
            "times"
        );
    uint32_t lanes = 0;
    for (uint32_t k = first; k < end; ++k) lanes |= 1u << l.out.pieces[k].lane;
    const auto store = static_cast<uint32_t>(l.out.stores.size());
    const int stage = l.stage_of_warp[static_cast<size_t>(here.warp)];
    using EventKind = SharedEvent::Kind;
    l.out.stores.push_back({here.order, here.time, here.site, here.warp, stage, copy, first, end});
    l.out.events.push_back({copy ? EventKind::issue : EventKind::write, here.order, store, lanes, here.epoch}
    );
    if (!copy) return;
    l.open.emplace_back(store, lanes);
    l.open_lanes += std::popcount(lanes);
}

void note_writes(Logging& l, const Here& here) {
    const Instruction& in = *l.route.instructions[here.site];
    const auto first = static_cast<uint32_t>(l.out.pieces.size());
    l.scratch.executed.clear(), l.scratch.extras.clear();
    note(l.route, here, l.scratch);
    for (const Transfer& t : transfers(in, l.scratch.executed.front(), l.scratch))
        add_piece(l, t.address, t.bytes, t.lane);
    add_store(l, here, first, traits_of(in).memory == Memory::copy);
}

// The 8 bytes that mbarrier.init sets.
void note_barrier_word(Logging& l, const Here& here) {
    const auto first = static_cast<uint32_t>(l.out.pieces.size());
    const int lane = std::countr_zero(here.lanes);
    const Extra addresses = addresses_here(l.route, *l.route.instructions[here.site]);
    add_piece(l, addresses[static_cast<size_t>(lane)], 8, lane);
    add_store(l, here, first, false);
}

// Copies that landed by the instruction before this instant.
void note_landings(Logging& l, const Here& here) {
    if (l.open.empty() || emulator::lanes_in_flight(*l.route.traveller) == l.open_lanes) return;
    const std::vector<emulator::CopyHere> pending = emulator::copies_here(*l.route.traveller);
    l.open_lanes = 0;
    for (auto& [store, lanes] : l.open) {
        const SharedStore& s = l.out.stores[store];
        uint32_t flying = 0;
        for (const emulator::CopyHere& c : pending)
            if (c.warp == s.warp && c.site == s.site && c.time == s.time) flying |= c.lanes;
        if (const uint32_t landed = lanes & ~flying)
            l.out.events.push_back({SharedEvent::Kind::land, here.order - 1, store, landed, here.epoch});
        lanes &= flying;
        l.open_lanes += std::popcount(lanes);
    }
    std::erase_if(l.open, [](const auto& each) { return each.second == 0; });
}

// ---- requests

uint64_t hash_of(uint32_t site, const LaneAccesses& a) {
    uint64_t h = site * 0x9e3779b97f4a7c15 + a.mask;
    for (const uint64_t at : a.at) h = (h ^ at) * 0xff51afd7ed558ccd, h ^= h >> 32;
    return h;
}

void note_requests(Logging& l, const Here& here) {
    for (const emulator::RequestHere& r : emulator::requests_here(*l.route.traveller)) {
        if (r.global) continue;
        const auto [known, fresh] =
            l.pattern_at.try_emplace(hash_of(here.site, r.accesses), l.out.patterns.size());
        if (!fresh) {
            ++l.out.patterns[known->second].count;
        } else if (l.patterns_of[here.site] == kMostPatterns) {
            l.pattern_at.erase(known);
            l.out.patterns_complete = false;
        } else {
            ++l.patterns_of[here.site];
            l.out.patterns.push_back({here.site, 1, r.accesses});
        }
    }
}

}  // namespace

SharedLog log_shared(Route& route) {
    SharedLog out;
    Logging l{route, out};
    for (const Instruction* in : route.instructions) l.kinds.push_back(kind_of(*in));
    l.patterns_of.resize(route.instructions.size());
    emulator::run_until(*route.traveller, -1, [&](const Here& here) {
        keep(route.trace, here);
        note_stage(l, here);
        note_landings(l, here);
        const Kind kind = l.kinds[here.site];
        if (kind.mark) note_mark(l, here);
        if (kind.touches) note_requests(l, here);
        if (kind.writes) note_writes(l, here);
        if (kind.barrier_word) note_barrier_word(l, here);
        return false;
    });
    std::stable_sort(out.patterns.begin(), out.patterns.end(), [](const auto& a, const auto& b) {
        return a.site < b.site;
    });
    return out;
}

}  // namespace wl::travel
