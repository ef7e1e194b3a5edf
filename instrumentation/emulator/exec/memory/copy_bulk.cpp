// Models cp.async.bulk from global into the block's own shared memory with completion at an mbarrier: PTX ISA
// 9.7.9.25.4.1. Data arrive as late as the ISA allows, at a test of the mbarrier, so that a missing wait
// shows; their bytes count for the phase then; copy_bulk_out.cpp has the other way. Not modelled: other
// blocks of a cluster, L2 hints, proxies; what the thread did before the copy counts as ordered by its
// completion.
#include "instrumentation/emulator/exec/memory/copy_bulk.h"

#include "instrumentation/emulator/exec/memory/copy_tensor.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/extent_check.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/observe/record.h"
#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/emulator/schedule/mbarrier.h"
#include "instrumentation/ptx/table/effects.h"

#include <cstring>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Space;
using ptx::Type;

// Calls `visit` for every piece of the copy, as an access of its thread.
template <class Visit>
void each_piece(const Warp& w, const PendingCopy& copy, Visit visit) {
    std::array<uint32_t, kLanes> at = copy.to;
    const auto lane = static_cast<size_t>(first_lane(copy.lanes));
    WarpAccess access;
    access.warp = w.index;
    access.site = copy.instr->site;
    access.mask = copy.lanes;
    access.bytes = kPiece;
    access.addresses = at.data();
    access.memory = w.shared;
    if (copy.tile != nullptr)
        return each_chunk(*copy.tile, [&](uint32_t chunk) {
            at[lane] = chunk;
            visit(access);
        });
    for (uint32_t done = 0; done < copy.bytes; done += kPiece, at[lane] += kPiece) visit(access);
}

// r = {source, bytes, mbarrier, displacement of the source, destination, displacement of the mbarrier};
// target: wide destination | wide mbarrier << 1.
void start_copy(Warp& w, const Instr* i, int lane) {
    const auto l = static_cast<size_t>(lane);
    const auto at = [&](uint32_t slot, bool wide, uint32_t displacement) {
        const uint64_t base = wide ? cells<uint64_t>(w, slot)[lane] : cells<uint32_t>(w, slot)[lane];
        return base + static_cast<uint64_t>(static_cast<int32_t>(displacement));
    };
    const auto bar =
        resolve(w, i, {Space::shared, lane, at(i->r[2], (i->target & 2) != 0, i->r[5]), 8, true});
    if (!bar) return;
    const MbarrierUse use{i, 1u << lane, static_cast<uint32_t>(bar->offset), true};
    Mbarrier* m = use_mbarrier(w, use);
    if (m == nullptr) return;
    PendingCopy copy;
    copy.lanes = 1u << lane;
    copy.time = time_at(w, i);
    copy.instr = i;
    copy.bytes = cells<uint32_t>(w, i->r[1])[lane];
    copy.mbarrier = static_cast<int32_t>(use.offset);
    const bool whole = is_whole(w, i, lane, copy.bytes);
    const auto to = resolve_aligned(
        w, i, {Space::shared, lane, address_of(w, i, (i->target & 1) != 0, lane), copy.bytes, true}, kPiece
    );
    const auto from =
        resolve_aligned(w, i, {Space::global, lane, at(i->r[0], true, i->r[3]), copy.bytes, false}, kPiece);
    // What may not be done moves nothing; whoever waits for it goes on.
    if (!whole || !to || !from) return count_bytes(w, use, *m, -int64_t{copy.bytes});
    copy.to[l] = static_cast<uint32_t>(to->offset);
    copy.from[l] = from->data;
    if (w.block->now.variant != kPlain && !w.block->context.program->shared_extents.empty())
        check_shared_extent(w, i, {Touching::write, copy.lanes, copy.bytes, copy.to.data()});
    begin_bulk_copy(w, copy, *m);
}

const Instr* copy_bulk(Warp& w, const Instr* i) {
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) start_copy(w, i, first_lane(rest));
    return i + 1;
}

void land(Warp& w, const PendingCopy& copy) {
    const auto l = static_cast<size_t>(first_lane(copy.lanes));
    if (copy.tile != nullptr)
        move_tile(*copy.tile, w.shared, false);
    else
        std::memcpy(w.shared + copy.to[l], copy.from[l], copy.bytes);
    if (w.block->now.variant == kPlain) return;
    each_piece(w, copy, [&](const WarpAccess& a) { complete_tracked_copy(w.block->shadow, a); });
    if (w.block->recorder == nullptr) return;
    if (copy.tile == nullptr) return record_shared(w, copy.instr, copy.lanes, copy.bytes, copy.to.data());
    each_piece(w, copy, [&](const WarpAccess& a) {
        record_shared(w, copy.instr, copy.lanes, kPiece, a.addresses);
    });
}

}  // namespace

bool is_whole(Warp& w, const Instr* i, int lane, uint32_t bytes) {
    if (bytes % kPiece == 0) return true;
    Incident incident;
    incident.kind = Incident::Kind::misaligned;
    incident.first = witness(w, i, 1u << lane);
    incident.detail = fmt::format("it copies {} bytes; a multiple of {} is possible", bytes, kPiece);
    report(*w.block, std::move(incident));
    return false;
}

void begin_bulk_copy(Warp& w, PendingCopy copy, Mbarrier& m) {
    if (w.block->now.variant != kPlain) {
        each_piece(w, copy, [&](const WarpAccess& a) { begin_copy(w.block->shadow, a); });
        release(w.block->shadow, w.index, copy.lanes, m.number);
    }
    w.copies.push_back(std::move(copy));
}

void land_bulk_copies(Block& block, Mbarrier& m) {
    for (Warp& w : block.warps)
        std::erase_if(w.copies, [&](const PendingCopy& copy) {
            if (copy.mbarrier != static_cast<int32_t>(m.offset)) return false;
            land(w, copy);
            count_bytes(w, {copy.instr, copy.lanes, m.offset}, m, -int64_t{copy.bytes});
            return true;
        });
}

Selected lower_copy_bulk(Lowering& l) {
    const auto& in = *l.in;
    const ptx::Traits& t = traits_of(in);
    const bool plain =
        in.op == ptx::Op::cp_async_bulk && in.mnemonic.find(".tensor") == std::string_view::npos;
    if (!plain || in.mnemonic.starts_with("cp.async.bulk.prefetch")) return {};
    if (!in.mnemonic.starts_with("cp.async.bulk.shared::")) return lower_copy_bulk_out(l);
    if (t.memory != ptx::Memory::copy) return {};
    const AddressOperand to = address(l, 0, Space::shared), from = address(l, 1, Space::global),
                         bar = address(l, 3, Space::shared);
    const auto is_short = [](int64_t displacement) {
        return displacement == static_cast<int32_t>(displacement);
    };
    if (!from.wide || !is_short(from.displacement) || !is_short(bar.displacement)) return {};
    l.out.r[0] = from.slot;
    l.out.r[1] = source(l, 2, Type::u32);
    l.out.r[2] = bar.slot;
    l.out.r[3] = static_cast<uint32_t>(from.displacement);
    l.out.r[4] = to.slot;
    l.out.r[5] = static_cast<uint32_t>(bar.displacement);
    l.out.offset = to.displacement;
    l.out.target = int32_t{to.wide} | int32_t{bar.wide} << 1;
    return Exec{copy_bulk};
}

}  // namespace wl::emulator
