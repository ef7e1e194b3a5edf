// Models cp.async by groups and by mbarrier: PTX ISA 9.7.9.25.3; copy_bulk.cpp has cp.async.bulk. Data arrive
// as late as the ISA allows, at the wait that names their group, at a test of their mbarrier, or at exit, so
// that a missing wait shows. Not modelled: L2 hints.
#include "instrumentation/emulator/exec/memory/copy_bulk.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/extent_check.h"
#include "instrumentation/emulator/observe/hooks.h"
#include "instrumentation/emulator/observe/record.h"
#include "instrumentation/emulator/program/lowering.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Type;

WarpAccess access_of(const Warp& w, const PendingCopy& copy, uint32_t lanes) {
    WarpAccess access;
    access.warp = w.index;
    access.site = copy.instr->site;
    access.mask = lanes;
    access.bytes = copy.bytes;
    access.addresses = copy.to.data();
    access.memory = w.shared;
    return access;
}

// What each lane of a copy brings.
struct CopiedBytes {
    std::byte of[kLanes][16] = {};
};
void read_source(const PendingCopy& copy, uint32_t lanes, CopiedBytes& out) {
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto l = static_cast<size_t>(first_lane(rest));
        if (copy.from[l] != nullptr) std::memcpy(out.of[l], copy.from[l], copy.source_bytes[l]);
    }
}

// The same bytes to the same place, as cooperative_groups::memcpy_async has the lanes do that are left over.
bool repeats(const PendingCopy& copy, size_t lane, size_t other) {
    return copy.to[lane] == copy.to[other] && copy.from[lane] == copy.from[other] &&
        copy.source_bytes[lane] == copy.source_bytes[other];
}

// r[4]: slot of the destination, r[0]: of the source, r[1]: of the source size, r[2]: ignore-src predicate;
// target: bytes | wide destination << 8 | size given << 9 | predicate given << 10; r[3]: the source's
// displacement.
template <bool Hooks>
const Instr* copy_async(Warp& w, const Instr* i) {
    PendingCopy copy;
    copy.instr = i;
    copy.time = time_at(w, i);
    copy.bytes = static_cast<uint32_t>(i->target & 0xff);
    const bool wide = (i->target >> 8 & 1) != 0, sized = (i->target >> 9 & 1) != 0;
    const uint64_t* source = cells<uint64_t>(w, i->r[0]);
    const uint32_t* size = cells<uint32_t>(w, i->r[1]);
    const uint32_t ignored = (i->target >> 10 & 1) != 0 ? read_predicate(w, i->r[2]) : 0;
    const auto displacement = static_cast<uint64_t>(static_cast<int32_t>(i->r[3]));
    size_t last = 0;  // lane that copies
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto l = static_cast<size_t>(lane);
        uint32_t bytes = sized ? std::min<uint32_t>(size[lane], copy.bytes) : copy.bytes;
        if (has_lane(ignored, lane)) bytes = 0;
        const auto to =
            resolve(w, i, {ptx::Space::shared, lane, address_of(w, i, wide, lane), copy.bytes, true});
        if (!to) continue;
        copy.to[l] = static_cast<uint32_t>(to->offset);
        copy.from[l] = nullptr;
        copy.source_bytes[l] = static_cast<uint8_t>(bytes);
        if (bytes != 0) {
            // Alignment is that of the whole copy, bounds only of what is read.
            const auto from = resolve_aligned(
                w, i, {ptx::Space::global, lane, source[lane] + displacement, bytes, false}, copy.bytes
            );
            if (!from) continue;
            copy.from[l] = from->data;
        }
        if (copy.lanes != 0 && repeats(copy, last, l)) continue;
        copy.lanes |= 1u << lane;
        last = l;
    }
    if constexpr (Hooks) {
        if (copy.lanes != 0) {
            WarpAccess access = access_of(w, copy, copy.lanes);
            CopiedBytes bytes;
            read_source(copy, copy.lanes, bytes);
            if (!w.block->context.program->shared_extents.empty())
                check_shared_extent(w, i, {Touching::write, copy.lanes, copy.bytes, copy.to.data()});
            access.values[0] = bytes.of[0];
            access.value_stride = sizeof(bytes.of[0]);
            begin_copy(w.block->shadow, access);
        }
    }
    if (copy.lanes != 0) w.copies.push_back(copy);
    return i + 1;
}

void land(Warp& w, const PendingCopy& copy, uint32_t lanes) {
    CopiedBytes bytes;
    read_source(copy, lanes, bytes);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto l = static_cast<size_t>(first_lane(rest));
        std::memcpy(w.shared + copy.to[l], bytes.of[l], copy.bytes);
    }
    if (w.block->now.variant == kPlain) return;
    const uint32_t tracked = lanes & copy.tracked, others = lanes & ~copy.tracked;
    if (others != 0) complete_copy(w.block->shadow, access_of(w, copy, others));
    if (tracked != 0) complete_tracked_copy(w.block->shadow, access_of(w, copy, tracked));
    if (w.block->recorder != nullptr) record_shared(w, copy.instr, lanes, copy.bytes, copy.to.data());
}

// Copies of the active lanes that lie at least `groups` commits back land; -1: uncommitted ones too.
void land_older(Warp& w, int groups) {
    const uint32_t mask = w.mask;
    for (PendingCopy& copy : w.copies) {
        const uint32_t lanes = copy.lanes & mask;
        if (lanes == 0 || is_bulk(copy) || copy.age < groups) continue;
        land(w, copy, lanes);
        copy.lanes &= ~lanes;
    }
    std::erase_if(w.copies, [](const PendingCopy& c) { return c.lanes == 0; });
}

template <bool Hooks>
const Instr* commit_group(Warp& w, const Instr* i) {
    const size_t before = w.copies.size();
    for (size_t k = 0; k < before; ++k) {
        const uint32_t others = w.copies[k].lanes & ~w.mask;
        if ((w.copies[k].lanes & w.mask) == 0 || is_bulk(w.copies[k])) continue;
        if (others != 0) {  // lanes that did not commit keep their copies apart
            PendingCopy rest = w.copies[k];
            rest.lanes = others;
            w.copies[k].lanes &= w.mask;
            w.copies.push_back(rest);
        }
        ++w.copies[k].age;
    }
    if (Hooks && w.block->recorder != nullptr) record_warp(w, i, capture::EventKind::copy_commit, 0);
    return i + 1;
}

// offset: groups that may stay pending; -1: wait_all, which includes what was never committed.
template <bool Hooks>
const Instr* wait_group(Warp& w, const Instr* i) {
    land_older(w, static_cast<int>(i->offset));
    if (Hooks && w.block->recorder != nullptr)
        record_warp(w, i, capture::EventKind::copy_wait, 0, static_cast<uint64_t>(i->offset));
    return i + 1;
}

Selected lower_copy_async(Lowering& l) {
    const auto& in = *l.in;
    if (in.operands.size() < 3 || in.operands[2].kind != ptx::Operand::Kind::immediate) return {};
    const AddressOperand to = address(l, 0, ptx::Space::shared);
    const AddressOperand from = address(l, 1, ptx::Space::global);
    if (!from.wide || from.displacement != static_cast<int32_t>(from.displacement)) return {};
    l.out.r[4] = to.slot;
    l.out.offset = to.displacement;
    l.out.r[0] = from.slot;
    l.out.r[3] = static_cast<uint32_t>(from.displacement);
    int sized = 0, ignores = 0;
    for (size_t k = 3; k < in.operands.size(); ++k) {
        const auto& o = in.operands[k];
        const bool is_predicate = o.kind == ptx::Operand::Kind::reg && type_of_register(l, o) == Type::pred;
        if (is_predicate) {
            l.out.r[2] = predicate_source(l, k);
            ignores = 1;
        } else if (!in.modifiers.cache_hint || k + 1 < in.operands.size()) {
            l.out.r[1] = source(l, k, Type::u32);
            sized = 1;
        }
    }
    const auto bytes = static_cast<int32_t>(in.operands[2].bits);
    if (bytes != 4 && bytes != 8 && bytes != 16) return {};
    l.out.target = bytes | int32_t{to.wide} << 8 | sized << 9 | ignores << 10;
    return {copy_async<false>, copy_async<true>, copy_async<true>};
}

}  // namespace

void land_all_copies(Warp& w, uint32_t lanes) {
    if (w.copies.empty()) return;
    const uint32_t before = w.mask;
    w.mask = lanes;
    land_older(w, -1);
    w.mask = before;
    land_copies_out(w, lanes, -1);
}

void land_tracked_copies(Warp& w, uint32_t lanes, uint64_t time) {
    for (PendingCopy& copy : w.copies) {
        const uint32_t landing = copy.lanes & lanes;
        if (landing == 0 || is_bulk(copy) || copy.time >= time) continue;
        land(w, copy, landing);
        copy.lanes &= ~landing;
    }
    std::erase_if(w.copies, [](const PendingCopy& c) { return c.lanes == 0; });
}

Selected lower_copy(Lowering& l) {
    const auto& in = *l.in;
    switch (in.op) {
        case Op::cp_async: return lower_copy_async(l);
        case Op::cp_async_commit_group: return {commit_group<false>, commit_group<true>, commit_group<true>};
        case Op::cp_async_wait_group:
            if (in.operands.empty() || in.operands[0].kind != ptx::Operand::Kind::immediate) return {};
            l.out.offset = static_cast<int64_t>(in.operands[0].bits);
            return {wait_group<false>, wait_group<true>, wait_group<true>};
        case Op::cp_async_wait_all:
            l.out.offset = -1;
            return {wait_group<false>, wait_group<true>, wait_group<true>};
        default: return {};
    }
}

}  // namespace wl::emulator
