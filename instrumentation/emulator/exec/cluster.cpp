// Models what concerns a cluster where each block is one of its own: barrier.cluster, mapa, getctarank (PTX
// ISA 9.0, 9.7.13.3, 9.7.9.23, 9.7.9.24). Not modelled: clusters of several blocks, which a launch is refused
// for.
#include "instrumentation/emulator/exec/cluster.h"

#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/schedule/mbarrier.h"

#include <charconv>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Type;

// The shadow knows the cluster's barrier by the number of an mbarrier that has no place in memory.
int clock_of(Block& block) {
    if (block.now.cluster_clock < 0) {
        block.now.cluster_clock = static_cast<int>(block.now.mbarriers.size());
        Mbarrier& m = block.now.mbarriers.emplace_back();
        m.number = block.now.cluster_clock;
        m.offset = kClusterBarrier;
    }
    return block.now.cluster_clock;
}

// Once every thread that has not exited has arrived the phase ends.
bool end_phase(Block& block) {
    for (const Warp& w : block.warps)
        if ((w.live & ~w.cluster_arrived) != 0) return false;
    for (Warp& w : block.warps) w.cluster_arrived = 0;
    ++block.now.changes;
    if (block.now.variant != kPlain) complete_phase(block.shadow, clock_of(block));
    return true;
}

template <bool Releases>
const Instr* cluster_arrive(Warp& w, const Instr* i) {
    Block& block = *w.block;
    if ((w.cluster_arrived & w.mask) != 0) {
        Incident incident;
        incident.kind = Incident::Kind::divergent_barrier;
        incident.first = witness(w, i, w.cluster_arrived & w.mask);
        incident.detail = "barrier.cluster.arrive again, without barrier.cluster.wait since the last";
        report(block, std::move(incident));
    }
    w.cluster_arrived |= w.mask;
    ++block.now.changes;
    if (Releases && block.now.variant != kPlain) release(block.shadow, w.index, w.mask, clock_of(block));
    end_phase(block);
    return i + 1;
}

const Instr* cluster_wait(Warp& w, const Instr* i) {
    Block& block = *w.block;
    if ((w.cluster_arrived & w.mask) != 0 && !end_phase(block)) return poll_again(w, i, kClusterBarrier);
    ++block.now.changes;
    if (block.now.variant != kPlain)
        acquire(block.shadow, w.index, w.mask == w.live ? kAllLanes : w.mask, clock_of(block));
    return i + 1;
}

// r = {d, a, rank}
template <class T>
const Instr* map_address(Warp& w, const Instr* i) {
    const uint32_t* rank = cells<uint32_t>(w, i->r[2]);
    const uint32_t other = mask_of([=](int lane) { return rank[lane] != 0; }) & w.mask;
    if (other != 0) {
        Incident incident;
        incident.kind = Incident::Kind::out_of_bounds;
        incident.first = witness(w, i, other);
        incident.detail = fmt::format(
            "it asks for an address in block {} of its cluster, which has one", rank[first_lane(other)]
        );
        report(*w.block, std::move(incident));
    }
    const auto* a = cells<T>(w, i->r[1]);
    write_lanes<T>(w, i->r[0], [=](int lane) { return a[lane]; });
    return i + 1;
}

const Instr* own_rank(Warp& w, const Instr* i) {
    write_lanes<uint32_t>(w, i->r[0], [](int) { return 0u; });
    return i + 1;
}

}  // namespace

uint64_t blocks_of_cluster(const ptx::Function& function) {
    uint64_t blocks = 1;
    for (const std::string& directive : function.directives) {
        constexpr std::string_view kWord = ".reqnctapercluster";
        if (!directive.starts_with(kWord)) continue;
        const char* at = directive.data() + kWord.size();
        const char* const end = directive.data() + directive.size();
        while (at != end) {
            uint64_t extent = 0;
            const auto [next, error] = std::from_chars(at, end, extent);
            if (error == std::errc()) blocks *= extent;
            at = next == at ? at + 1 : next;
        }
    }
    return blocks;
}

Selected lower_cluster(Lowering& l) {
    const auto& in = *l.in;
    if (in.op != Op::barrier_cluster && in.op != Op::mapa && in.op != Op::getctarank) return {};
    l.program.uses_cluster = true;
    switch (in.op) {
        case Op::barrier_cluster:
            if (in.mnemonic.starts_with("barrier.cluster.wait")) return Exec{cluster_wait};
            return in.modifiers.semantics == "relaxed" ? Exec{cluster_arrive<false>}
                                                       : Exec{cluster_arrive<true>};
        case Op::mapa:
            l.out.r[0] = destination(l, 0);
            l.out.r[1] = source(l, 1, in.types[0]);
            l.out.r[2] = source(l, 2, Type::u32);
            return in.types[0] == Type::u64 ? Exec{map_address<uint64_t>} : Exec{map_address<uint32_t>};
        default: l.out.r[0] = destination(l, 0); return Exec{own_rank};
    }
}

}  // namespace wl::emulator
