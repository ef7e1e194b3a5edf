// Models cp.async.bulk.tensor and cp.reduce.async.bulk.tensor of tiles: PTX ISA 9.0, 9.7.9.25.5. A tile's
// lines lie one after the other in shared memory, exchanged by the map's swizzle; what lies outside of the
// tensor is filled, or not written. Data arrive as those of cp.async.bulk do. Not modelled: im2col, gather
// and scatter, other blocks of a cluster, races of tiles and reductions in global memory.
#include "instrumentation/emulator/exec/memory/copy_tensor.h"

#include "instrumentation/base/tensor_map.h"
#include "instrumentation/emulator/exec/memory/copy_bulk.h"
#include "instrumentation/emulator/global/proxies.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/schedule/mbarrier.h"
#include "instrumentation/ptx/table/names.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::emulator {

// What a tensor instruction names: an element of Program::tensor_operands.
struct TensorOperands {
    uint32_t shared = 0, map = 0, mbarrier = 0, mask = 0;  // slots; 0: none
    uint32_t size = 0;                                     // of a run of bytes, which `map` is the address of
    uint8_t type = 0;                                      // of its elements
    int64_t shared_at = 0, map_at = 0, mbarrier_at = 0;
    bool shared_wide = false, map_wide = false, mbarrier_wide = false;
    ptx::AtomOp reduces = ptx::AtomOp::none;
    std::vector<uint32_t> coordinates;
};

namespace {

using ptx::Space;
using ptx::Type;

constexpr uint32_t kTileAlign = 128, kMapAlign = 64;

void fault(Warp& w, const Instr* i, int lane, std::string detail) {
    Incident incident;
    incident.kind = Incident::Kind::out_of_bounds;
    incident.first = witness(w, i, 1u << lane);
    incident.detail = std::move(detail);
    report(*w.block, std::move(incident));
}

uint64_t at(Warp& w, uint32_t slot, bool wide, int64_t displacement, int lane) {
    const uint64_t base = wide ? cells<uint64_t>(w, slot)[lane] : cells<uint32_t>(w, slot)[lane];
    return base + static_cast<uint64_t>(displacement);
}

std::optional<TensorMap> map_of(Warp& w, const Instr* i, const TensorOperands& t, int lane) {
    const uint64_t address = at(w, t.map, t.map_wide, t.map_at, lane);
    const auto place =
        resolve_aligned(w, i, {Space::generic, lane, address, kTensorMapBytes, false}, kMapAlign);
    if (!place) return {};
    const auto map = decoded({place->data, kTensorMapBytes});
    if (!map)
        fault(
            w,
            i,
            lane,
            fmt::format("the 128 bytes at {:#x} are no tensor map that cuTensorMapEncodeTiled made", address)
        );
    else if (map->rank != t.coordinates.size())
        fault(
            w,
            i,
            lane,
            fmt::format(
                "the map has {} dimensions, the instruction names {}", map->rank, t.coordinates.size()
            )
        );
    else
        return map;
    return {};
}

struct Tiling {
    const TensorMap& map;
    uint32_t element;  // bytes
    std::array<int64_t, kMostTensorAxes> from{};
    uint32_t shared = 0;
    TensorTile& tile;
};

// Sixteen bytes of a line, or as many as lie inside; `first`: of the line's elements.
void add_chunk(const Tiling& t, uint32_t chunk, const std::byte* line, int64_t first) {
    const uint32_t per = 16 / t.element, mask = (1u << t.map.swizzle) - 1;
    const uint32_t shared = chunk ^ ((chunk >> 7 & mask) << 4);
    const auto extent = static_cast<int64_t>(t.map.extents[0]);
    const int64_t low = line == nullptr ? 0 : std::clamp<int64_t>(-first, 0, per);
    const int64_t high = line == nullptr ? 0 : std::clamp<int64_t>(extent - first, low, per);
    const auto add = [&](int64_t begin, int64_t end, bool inside) {
        if (begin == end) return;
        TilePiece piece;
        piece.shared = shared + static_cast<uint32_t>(begin) * t.element;
        piece.bytes = static_cast<uint32_t>(end - begin) * t.element;
        if (inside) piece.global = const_cast<std::byte*>(line) + (first + begin) * t.element;
        t.tile.pieces.push_back(piece);
    };
    add(0, low, false), add(low, high, true), add(high, per, false);
}

// False: some of the tensor that the box names lies in no allocation.
bool add_lines(Warp& w, const Tiling& t) {
    std::array<uint32_t, kMostTensorAxes> count{}, k{};
    for (size_t axis = 0; axis < kMostTensorAxes; ++axis) count[axis] = box_count(t.map, axis);
    const uint32_t line_bytes = count[0] * t.element;
    bool known = true;
    for (uint32_t shared = t.shared;; shared += line_bytes) {
        uint64_t address = t.map.address;
        bool inside = true;
        for (size_t axis = 1; axis < t.map.rank; ++axis) {
            const int64_t x = t.from[axis] + int64_t{k[axis]} * t.map.steps[axis];
            inside = inside && x >= 0 && static_cast<uint64_t>(x) < t.map.extents[axis];
            address += static_cast<uint64_t>(x) * t.map.strides[axis];
        }
        const std::byte* line = nullptr;
        if (inside) {
            const Allocation* found = find(
                *w.block->context.memory,
                address,
                static_cast<uint32_t>(std::min<uint64_t>(t.map.extents[0] * t.element, ~0u))
            );
            known = known && found != nullptr;
            if (found != nullptr) line = found->bytes.data() + (address - found->base);
        }
        for (uint32_t byte = 0; byte < line_bytes; byte += 16)
            add_chunk(t, shared + byte, line, t.from[0] + byte / t.element);
        size_t axis = 1;
        for (; axis < t.map.rank && ++k[axis] == count[axis]; ++axis) k[axis] = 0;
        if (axis >= t.map.rank) return known;
    }
}

std::shared_ptr<TensorTile> tile_of(
    Warp& w, const Instr* i, const TensorOperands& t, const TensorMap& map, uint32_t shared, int lane
) {
    auto tile = std::make_shared<TensorTile>();
    tile->type = map.type, tile->as_nan = map.nan_fill, tile->reduces = t.reduces;
    Tiling tiling{map, bytes_of_tensor_type(map.type), {}, shared, *tile};
    for (size_t axis = 0; axis < map.rank; ++axis)
        tiling.from[axis] = static_cast<int32_t>(cells<uint32_t>(w, t.coordinates[axis])[lane]);
    if (!add_lines(w, tiling))
        fault(w, i, lane, "some of the tensor's elements that its tile names lie in no allocation");
    return tile;
}

const TensorOperands& operands_of(const Warp& w, const Instr* i) {
    return *w.block->context.program->tensor_operands[static_cast<size_t>(i->target)];
}

// The blocks that a multicast names: the block is its cluster's only one.
bool reaches(Warp& w, const Instr* i, const TensorOperands& t, int lane) {
    if (t.mask == 0) return true;
    const uint32_t mask = cells<uint32_t>(w, t.mask)[lane] & 0xffff;
    if (mask != 1)
        fault(
            w,
            i,
            lane,
            fmt::format("its mask {:#x} names blocks that the cluster, of one block, does not have", mask)
        );
    return (mask & 1) != 0;
}

PendingCopy copy_of(const Warp& w, const Instr* i, int lane, uint32_t bytes, int32_t mbarrier) {
    PendingCopy copy;
    copy.to = {}, copy.from = {}, copy.source_bytes = {};
    copy.lanes = 1u << lane;
    copy.time = time_at(w, i);
    copy.instr = i;
    copy.bytes = bytes;
    copy.mbarrier = mbarrier;
    return copy;
}

void start_load(Warp& w, const Instr* i, int lane) {
    const TensorOperands& t = operands_of(w, i);
    const auto bar = resolve(
        w, i, {Space::shared, lane, at(w, t.mbarrier, t.mbarrier_wide, t.mbarrier_at, lane), 8, true}
    );
    if (!bar) return;
    const MbarrierUse use{i, 1u << lane, static_cast<uint32_t>(bar->offset), true};
    Mbarrier* m = use_mbarrier(w, use);
    if (m == nullptr || !reaches(w, i, t, lane)) return;
    const auto map = map_of(w, i, t, lane);
    if (!map) return;
    PendingCopy copy =
        copy_of(w, i, lane, static_cast<uint32_t>(box_bytes(*map)), static_cast<int32_t>(use.offset));
    const auto to = resolve_aligned(
        w,
        i,
        {Space::shared, lane, at(w, t.shared, t.shared_wide, t.shared_at, lane), copy.bytes, true},
        kTileAlign
    );
    // What may not be done moves nothing; whoever waits for it goes on.
    if (!to) return count_bytes(w, use, *m, -int64_t{copy.bytes});
    copy.tile = tile_of(w, i, t, *map, static_cast<uint32_t>(to->offset), lane);
    begin_bulk_copy(w, copy, *m);
}

const Instr* load_tile(Warp& w, const Instr* i) {
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) start_load(w, i, first_lane(rest));
    return i + 1;
}

void start_store(Warp& w, const Instr* i, int lane) {
    const TensorOperands& t = operands_of(w, i);
    const auto map = map_of(w, i, t, lane);
    if (!map) return;
    PendingCopy copy = copy_of(w, i, lane, static_cast<uint32_t>(box_bytes(*map)), kOutOfShared);
    const auto from = resolve_aligned(
        w,
        i,
        {Space::shared, lane, at(w, t.shared, t.shared_wide, t.shared_at, lane), copy.bytes, false},
        kTileAlign
    );
    if (!from) return;
    copy.tile = tile_of(w, i, t, *map, static_cast<uint32_t>(from->offset), lane);
    const uint32_t others = std::exchange(w.mask, copy.lanes);
    look_at_async_read(w, i, static_cast<uint32_t>(from->offset), copy.bytes);
    w.mask = others;
    begin_copy_out(w, copy);
}

const Instr* store_tile(Warp& w, const Instr* i) {
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) start_store(w, i, first_lane(rest));
    return i + 1;
}

// cp.reduce.async.bulk: a run of bytes is a tile of one line.
void start_reduction(Warp& w, const Instr* i, int lane) {
    const TensorOperands& t = operands_of(w, i);
    PendingCopy copy = copy_of(w, i, lane, cells<uint32_t>(w, t.size)[lane], kOutOfShared);
    const auto from = resolve_aligned(
        w,
        i,
        {Space::shared, lane, at(w, t.shared, t.shared_wide, t.shared_at, lane), copy.bytes, false},
        kPiece
    );
    const auto to = resolve_aligned(
        w, i, {Space::global, lane, at(w, t.map, t.map_wide, t.map_at, lane), copy.bytes, true}, kPiece
    );
    if (!is_whole(w, i, lane, copy.bytes) || !from || !to || copy.bytes == 0) return;
    auto tile = std::make_shared<TensorTile>();
    tile->type = t.type, tile->reduces = t.reduces;
    for (uint32_t byte = 0; byte < copy.bytes; byte += kPiece)
        tile->pieces.push_back({static_cast<uint32_t>(from->offset) + byte, kPiece, to->data + byte});
    copy.tile = std::move(tile);
    begin_copy_out(w, copy);
}

const Instr* reduce_run(Warp& w, const Instr* i) {
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) start_reduction(w, i, first_lane(rest));
    return i + 1;
}

const Instr* prefetch_tile(Warp&, const Instr* i) { return i + 1; }

// ---- lowering

TensorOperands operands(Lowering& l, const ptx::Operand& map, size_t map_operand) {
    TensorOperands t;
    const AddressOperand where = address(l, map_operand, Space::generic);
    t.map = where.slot, t.map_at = where.displacement, t.map_wide = where.wide;
    for (const ptx::Operand& e : map.elements) {
        if (e.kind == ptx::Operand::Kind::vector)
            for (const ptx::Operand& x : e.elements) t.coordinates.push_back(source(l, x, Type::b32));
        else
            t.coordinates.push_back(source(l, e, Type::b32));
    }
    return t;
}

void set_shared(Lowering& l, size_t k, TensorOperands& t) {
    const AddressOperand where = address(l, k, Space::shared);
    t.shared = where.slot, t.shared_at = where.displacement, t.shared_wide = where.wide;
}

Selected with_operands(Lowering& l, TensorOperands t, Exec exec) {
    l.out.target = static_cast<int32_t>(l.program.tensor_operands.size());
    l.program.tensor_operands.push_back(std::make_shared<const TensorOperands>(std::move(t)));
    return exec;
}

Selected lower_reduction(Lowering& l) {
    const auto& in = *l.in;
    if (in.operands.size() < 3 || in.types.size() != 1) return {};
    const std::string_view name = ptx::name_of(in.types[0]);
    const auto type = tensor_type_named(name == "b32" ? "u32" : name == "b64" ? "u64" : name);
    if (!type) return {};
    TensorOperands t;
    const AddressOperand to = address(l, 0, Space::global);
    t.map = to.slot, t.map_at = to.displacement, t.map_wide = to.wide;
    set_shared(l, 1, t);
    t.size = source(l, 2, Type::u32);
    t.type = *type, t.reduces = in.modifiers.atom_op;
    return with_operands(l, std::move(t), reduce_run);
}

// ".2d" among the words; 0: none.
size_t dimensions_of(std::string_view mnemonic) {
    for (size_t n = 1; n <= kMostTensorAxes; ++n)
        if (mnemonic.find(fmt::format(".{}d.", n)) != std::string_view::npos) return n;
    return 0;
}

}  // namespace

Selected lower_copy_tensor(Lowering& l) {
    const auto& in = *l.in;
    if (in.op == ptx::Op::tensormap) return lower_tensor_map(l);
    if (in.op != ptx::Op::cp_async_bulk && in.op != ptx::Op::cp_reduce_async_bulk) return {};
    if (in.form == nullptr || in.form->not_modelled.ends_with(": not executed") || in.operands.empty())
        return {};
    const bool prefetch = in.mnemonic.starts_with("cp.async.bulk.prefetch");
    const bool loads = in.mnemonic.find("mbarrier::complete_tx::bytes") != std::string_view::npos;
    if (prefetch) return Exec{prefetch_tile};
    if (in.mnemonic.find(".tensor.") == std::string_view::npos)
        return in.op == ptx::Op::cp_reduce_async_bulk ? lower_reduction(l) : Selected{};
    const size_t map_operand = loads ? 1 : 0;
    if (in.operands.size() < 2 + map_operand) return {};
    TensorOperands t = operands(l, in.operands[map_operand], map_operand);
    if (t.coordinates.size() != dimensions_of(in.mnemonic)) return {};
    set_shared(l, loads ? 0 : 1, t);
    if (!loads) {
        l.program.reads_async = true;
        t.reduces = in.modifiers.atom_op;
        return with_operands(l, std::move(t), store_tile);
    }
    const AddressOperand bar = address(l, 2, Space::shared);
    t.mbarrier = bar.slot, t.mbarrier_at = bar.displacement, t.mbarrier_wide = bar.wide;
    if (in.mnemonic.find("multicast::cluster") != std::string_view::npos && in.operands.size() > 3)
        l.program.uses_cluster = true, t.mask = source(l, 3, Type::u32);
    return with_operands(l, std::move(t), load_tile);
}

}  // namespace wl::emulator
