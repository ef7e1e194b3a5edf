// Models cp.async.bulk from the block's own shared memory into global memory, and its groups: PTX ISA
// 9.7.9.25.4.1 and 9.7.9.25.6. The bytes are taken as late as the ISA allows, at the wait that names their
// group, or at exit, so that a source that is written before shows in what arrives. Not modelled: L2 hints,
// proxies; a wait with .read waits for the bytes to arrive, too.
#include "instrumentation/emulator/exec/memory/copy_bulk.h"
#include "instrumentation/emulator/exec/memory/copy_tensor.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/hooks.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/ptx/table/effects.h"

#include <cstring>
#include <functional>

namespace wl::emulator {
namespace {

using ptx::Space;
using ptx::Type;

// The thread's own reads of the source: one when the copy starts, one when it is waited for.
void observe_source(Warp& w, const PendingCopy& copy) {
    if (w.block->now.variant == kPlain) return;
    std::array<uint32_t, kLanes> at = copy.to;
    const auto lane = static_cast<size_t>(first_lane(copy.lanes));
    const auto look = [&](bool beside) {
        SharedTouch touch{Touching::read, copy.lanes, kPiece, at.data()};
        touch.beside = beside;  // the extent is looked at once
        observe_shared(w, copy.instr, touch, {});
    };
    if (copy.tile != nullptr)
        return each_chunk(*copy.tile, [&](uint32_t chunk) {
            at[lane] = chunk;
            look(true);
        });
    for (uint32_t done = 0; done < copy.bytes; done += kPiece, at[lane] += kPiece) look(done > 0);
}

// r = {source, bytes, -, displacement of the source, destination}; target: wide source | wide destination
// << 1.
void start_copy(Warp& w, const Instr* i, int lane) {
    const auto l = static_cast<size_t>(lane);
    const auto displacement = static_cast<uint64_t>(static_cast<int32_t>(i->r[3]));
    const uint64_t source =
        (i->target & 1) != 0 ? cells<uint64_t>(w, i->r[0])[lane] : cells<uint32_t>(w, i->r[0])[lane];
    PendingCopy copy;
    copy.lanes = 1u << lane;
    copy.time = time_at(w, i);
    copy.instr = i;
    copy.bytes = cells<uint32_t>(w, i->r[1])[lane];
    const bool whole = is_whole(w, i, lane, copy.bytes);
    const auto from =
        resolve_aligned(w, i, {Space::shared, lane, source + displacement, copy.bytes, false}, kPiece);
    const auto to = resolve_aligned(
        w, i, {Space::global, lane, address_of(w, i, (i->target & 2) != 0, lane), copy.bytes, true}, kPiece
    );
    if (!whole || !from || !to || copy.bytes == 0) return;
    copy.mbarrier = kOutOfShared;
    copy.to[l] = static_cast<uint32_t>(from->offset);
    copy.from[l] = to->data;
    begin_copy_out(w, copy);
}

const Instr* copy_out(Warp& w, const Instr* i) {
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) start_copy(w, i, first_lane(rest));
    return i + 1;
}

// Whose byte it is.
std::optional<Place> place_at(Warp& w, const std::byte* at) {
    for (Allocation& a : w.block->context.memory->allocations) {
        const std::byte* const begin = a.bytes.data();
        if (std::less{}(at, begin) || !std::less{}(at, begin + a.bytes.size())) continue;
        const auto offset = static_cast<uint64_t>(at - begin);
        return Place{Space::global, a.bytes.data() + offset, &a, offset};
    }
    return std::nullopt;
}

// A tile's lines, each where its tensor has it.
void land_tile(Warp& w, const PendingCopy& copy) {
    move_tile(*copy.tile, w.shared, true);
    for (const TilePiece& piece : copy.tile->pieces) {
        const std::optional<Place> place = piece.global != nullptr ? place_at(w, piece.global) : std::nullopt;
        if (!place) continue;
        if (auto& written = place->allocation->written; !written.empty())
            std::memset(written.data() + place->offset, 1, piece.bytes);
        if (w.block->now.variant == kRecorded)
            record_global(w, copy.instr, first_lane(copy.lanes), *place, piece.bytes);
    }
}

void land(Warp& w, const PendingCopy& copy) {
    const int lane = first_lane(copy.lanes);
    const auto l = static_cast<size_t>(lane);
    observe_source(w, copy);
    if (copy.tile != nullptr) return land_tile(w, copy);
    const std::optional<Place> found = place_at(w, copy.from[l]);
    if (!found) return;
    const Place& place = *found;
    std::memcpy(place.data, w.shared + copy.to[l], copy.bytes);
    if (auto& written = place.allocation->written; !written.empty())
        std::memset(written.data() + place.offset, 1, copy.bytes);
    if (w.block->now.variant == kRecorded) record_global(w, copy.instr, lane, place, copy.bytes);
}

const Instr* commit_group(Warp& w, const Instr* i) {
    for (PendingCopy& copy : w.copies)
        if (copy.mbarrier == kOutOfShared && (copy.lanes & w.mask) != 0) ++copy.age;
    return i + 1;
}

// offset: groups that may stay pending.
const Instr* wait_group(Warp& w, const Instr* i) {
    land_copies_out(w, w.mask, static_cast<int>(i->offset));
    return i + 1;
}

Selected lower_copy_out(Lowering& l) {
    const AddressOperand to = address(l, 0, Space::global), from = address(l, 1, Space::shared);
    if (from.displacement != static_cast<int32_t>(from.displacement)) return {};
    l.out.r[0] = from.slot;
    l.out.r[1] = source(l, 2, Type::u32);
    l.out.r[3] = static_cast<uint32_t>(from.displacement);
    l.out.r[4] = to.slot;
    l.out.offset = to.displacement;
    l.out.target = int32_t{from.wide} | int32_t{to.wide} << 1;
    return Exec{copy_out};
}

}  // namespace

void begin_copy_out(Warp& w, PendingCopy copy) {
    observe_source(w, copy);
    w.copies.push_back(std::move(copy));
}

void land_copies_out(Warp& w, uint32_t lanes, int groups) {
    std::erase_if(w.copies, [&](const PendingCopy& copy) {
        if (copy.mbarrier != kOutOfShared || (copy.lanes & lanes) == 0 || copy.age < groups) return false;
        land(w, copy);
        return true;
    });
}

Selected lower_copy_bulk_out(Lowering& l) {
    const auto& in = *l.in;
    if (in.mnemonic.starts_with("cp.async.bulk.global.") && traits_of(in).memory == ptx::Memory::copy)
        return lower_copy_out(l);
    if (in.mnemonic == "cp.async.bulk.commit_group") return Exec{commit_group};
    if (!in.mnemonic.starts_with("cp.async.bulk.wait_group") || in.operands.empty() ||
        in.operands[0].kind != ptx::Operand::Kind::immediate)
        return {};
    l.out.offset = static_cast<int64_t>(in.operands[0].bits);
    return Exec{wait_group};
}

}  // namespace wl::emulator
