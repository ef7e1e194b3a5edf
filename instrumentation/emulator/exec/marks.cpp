// Models probe marks: a block mark is taken when every lane that has not exited stands at it and orders
// nothing; a warp mark is taken where it stands. Not modelled: the time that taking a mark would cost.
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/banks.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/observe/record.h"
#include "instrumentation/emulator/program/lowering.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace wl::emulator {
namespace {

using MarkKind = ptx::Mark::Kind;

uint64_t value_of_slot(Warp& w, const MarkPoint& point, size_t k, int lane) {
    const uint32_t slot = point.slots[k];
    return point.wide[k] != 0 ? cells<uint64_t>(w, slot)[lane] : cells<uint32_t>(w, slot)[lane];
}

TileSnapshot begin_snapshot(Warp& w, const Instr* i, const MarkPoint& point) {
    TileSnapshot tile;
    tile.site = i->site;
    tile.mark = point.mark;
    tile.block = w.block->now.index;
    tile.time = w.clock;
    tile.dtype = w.block->context.program->listing.marks[static_cast<size_t>(point.mark)].dtype;
    return tile;
}

struct Matrix {
    uint64_t address = 0;
    int64_t rows = 0, cols = 0, ld = 0;
};

// Last writers of a row of elements that lie next to each other at `place`.
void copy_owners(Warp& w, const Place& place, uint32_t size, std::span<capture::Owner> out) {
    for (size_t col = 0; col < out.size(); ++col) {
        if (place.space == ptx::Space::shared) {
            const auto offset = static_cast<uint32_t>(place.offset + col * size);
            out[col] = owner_of(w.block->shadow, offset, size);
        } else if (place.allocation != nullptr) {
            const auto& owners = w.block->recorder->owners[place.allocation];
            if (!owners.empty()) out[col] = owners[place.offset + col * size];
        }
    }
}

// Copies a matrix row by row; a row that does not lie in memory is noted and stays all ones.
void copy_matrix(Warp& w, const Instr* i, const Matrix& m, TileSnapshot& tile) {
    if (m.rows <= 0 || m.cols <= 0 || m.rows > execution::kMostTileElements / m.cols) return;
    const auto size = static_cast<uint32_t>(size_of(tile.dtype));
    const auto cols = static_cast<size_t>(m.cols);
    const size_t row_bytes = cols * size;
    tile.rows = static_cast<int>(m.rows);
    tile.cols = static_cast<int>(m.cols);
    tile.ld = static_cast<int>(m.ld);
    tile.values.assign(static_cast<size_t>(m.rows) * row_bytes, std::byte{0xff});
    const bool owned = w.block->recorder != nullptr;
    if (owned) tile.owners.resize(static_cast<size_t>(m.rows) * cols);
    for (int64_t row = 0; row < m.rows; ++row) {
        LaneAccess access{
            ptx::Space::generic, first_lane(w.mask), 0, static_cast<uint32_t>(row_bytes), false};
        access.address = m.address + static_cast<uint64_t>(row) * static_cast<uint64_t>(m.ld) * size;
        const auto place = resolve_aligned(w, i, access, size);
        if (!place) continue;
        if (row == 0) tile.address = place->space == ptx::Space::shared ? place->offset : m.address;
        const auto r = static_cast<size_t>(row);
        std::memcpy(tile.values.data() + r * row_bytes, place->data, row_bytes);
        tile.memory = place->space == ptx::Space::shared ? "shared" : "global";
        if (owned) copy_owners(w, *place, size, std::span(tile.owners).subspan(r * cols, cols));
    }
}

void emit(Warp& w, const Instr* i, TileSnapshot&& tile) {
    if (w.block->recorder != nullptr) {
        record_warp(
            w,
            i,
            capture::EventKind::tile,
            static_cast<uint64_t>(tile.iteration),
            static_cast<uint64_t>(tile.mark)
        );
    }
    if (w.block->context.options->on_tile) w.block->context.options->on_tile(std::move(tile));
}

Matrix matrix_of(Warp& w, const MarkPoint& point) {
    const int lane = first_lane(w.mask);
    const auto number = [&](size_t k) {
        const uint64_t v = value_of_slot(w, point, k, lane);
        return point.wide[k] != 0 ? static_cast<int64_t>(v) : static_cast<int64_t>(static_cast<int32_t>(v));
    };
    return {value_of_slot(w, point, 0, lane), number(1), number(2), number(3)};
}

void take_matrix(Warp& w, const Instr* i, const MarkPoint& point, TileSnapshot&& tile) {
    copy_matrix(w, i, matrix_of(w, point), tile);
    emit(w, i, std::move(tile));
}

// Registers of all lanes: (32, elements). A register holds one element or several packed ones.
void take_registers(Warp& w, const Instr* i, const MarkPoint& point, TileSnapshot&& tile) {
    const size_t size = size_of(tile.dtype);
    const size_t cell = std::max<size_t>(point.bytes, size);
    const size_t per_register = cell / size;
    tile.memory = "register";
    tile.rows = kLanes;
    tile.cols = static_cast<int>(point.count * per_register);
    std::vector<std::byte>& values = w.fragment;
    values.resize(kLanes * static_cast<size_t>(tile.cols) * size, std::byte{0xff});
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!has_lane(w.mask, lane)) continue;
        const uint64_t bits = value_of_slot(w, point, 0, lane);
        const size_t element =
            static_cast<size_t>(lane) * static_cast<size_t>(tile.cols) + point.element * per_register;
        std::memcpy(values.data() + element * size, &bits, cell);
    }
    if (point.element + 1 < point.count) return;
    tile.values = std::move(values);
    values.clear();
    if (w.block->recorder != nullptr) {
        tile.owners.resize(size_t{kLanes} * static_cast<size_t>(tile.cols));
        for (size_t e = 0; e < tile.owners.size(); ++e) {
            const auto lane = static_cast<uint8_t>(e / static_cast<size_t>(tile.cols));
            tile.owners[e] = {static_cast<uint8_t>(w.index), lane, static_cast<uint16_t>(w.epoch), i->site};
        }
    }
    emit(w, i, std::move(tile));
}

const MarkPoint& point_of(const Warp& w, const Instr* i) {
    return w.block->context.program->mark_points[static_cast<size_t>(i->target)];
}

const Instr* take_warp_mark(Warp& w, const Instr* i, const MarkPoint& point, bool registers) {
    close_segment(w, i + 1);
    TileSnapshot tile = begin_snapshot(w, i, point);
    tile.warp = w.index;
    int& count = w.mark_counts[static_cast<size_t>(point.group)];
    tile.iteration = count;
    if (!registers || point.element + 1 == point.count) ++count;
    if (registers)
        take_registers(w, i, point, std::move(tile));
    else
        take_matrix(w, i, point, std::move(tile));
    return i + 1;
}

// Where a matrix in shared memory lies, for who counts accesses.
void tell_counter(Warp& w, const MarkPoint& point) {
    const ptx::Mark& mark = w.block->context.program->listing.marks[static_cast<size_t>(point.mark)];
    if (mark.kind == MarkKind::stage || mark.kind == MarkKind::fragment || mark.kind == MarkKind::lanes)
        return;
    const Matrix m = matrix_of(w, point);
    const auto place = locate(w, {ptx::Space::generic, first_lane(w.mask), m.address, 1, false});
    if (!place || place->space != ptx::Space::shared || m.rows <= 0 || m.cols <= 0) return;
    capture::SharedRegion region;
    region.name = mark.name;
    region.begin = static_cast<uint32_t>(place->offset);
    region.rows = m.rows, region.cols = m.cols, region.ld = m.ld;
    region.element = static_cast<uint32_t>(size_of(mark.dtype));
    note_region(*w.block->counter, region);
}

const Instr* mark(Warp& w, const Instr* i) {
    if (w.block->counter != nullptr) tell_counter(w, point_of(w, i));
    if (!w.block->context.options->marks) return i + 1;
    const MarkPoint& point = point_of(w, i);
    switch (w.block->context.program->listing.marks[static_cast<size_t>(point.mark)].kind) {
        case MarkKind::layout: return i + 1;
        case MarkKind::stage: {
            const int stage =
                w.block->context.program->listing.stage_of_mark[static_cast<size_t>(point.mark)];
            if (w.block->recorder != nullptr)
                record_warp(w, i, capture::EventKind::stage, 0, static_cast<uint64_t>(stage));
            return i + 1;
        }
        case MarkKind::fragment:
        case MarkKind::lanes: return take_warp_mark(w, i, point, true);
        case MarkKind::warp_tile: return take_warp_mark(w, i, point, false);
        case MarkKind::tile: break;
    }
    close_segment(w, i + 1);
    running(w).pc = i;
    running(w).wait = Wait::mark;
    w.block->now.marks_waiting = true;
    return nullptr;
}

uint64_t block_clock(const Block& block) {
    uint64_t clock = 0;
    for (const Warp& w : block.warps) clock = std::max(clock, w.clock);
    return clock;
}

// Takes the mark of `group` and releases everyone who stands at it.
void take_block_mark(Block& block, int group) {
    const uint64_t clock = block_clock(block);
    bool taken = false;
    for (Warp& w : block.warps) {
        for (int k = 0; k < w.split_count; ++k) {
            Split& s = w.splits[static_cast<size_t>(k)];
            if (s.wait != Wait::mark || point_of(w, s.pc).group != group) continue;
            if (!taken) {
                taken = true;
                become(w, s);
                TileSnapshot tile = begin_snapshot(w, s.pc, point_of(w, s.pc));
                tile.time = clock;
                tile.iteration = block.now.mark_counts[static_cast<size_t>(group)]++;
                take_matrix(w, s.pc, point_of(w, s.pc), std::move(tile));
            }
            s.wait = Wait::none;
            ++s.pc;
        }
    }
}

// Lanes of the warp that stand at a mark of the group.
uint32_t lanes_at_mark(const Warp& w, int group) {
    uint32_t lanes = 0;
    for (int k = 0; k < w.split_count; ++k) {
        const Split& s = w.splits[static_cast<size_t>(k)];
        if (s.wait == Wait::mark && point_of(w, s.pc).group == group) lanes |= s.mask;
    }
    return lanes;
}

int waiting_group(const Block& block) {
    for (const Warp& w : block.warps)
        for (int k = 0; k < w.split_count; ++k)
            if (w.splits[static_cast<size_t>(k)].wait == Wait::mark)
                return point_of(w, w.splits[static_cast<size_t>(k)].pc).group;
    return -1;
}

}  // namespace

void settle_marks(Block& block) {
    while (block.now.marks_waiting) {
        const int group = waiting_group(block);
        block.now.marks_waiting = group >= 0;
        if (group < 0) return;
        for (const Warp& w : block.warps)
            if ((w.live & ~lanes_at_mark(w, group)) != 0) return;
        take_block_mark(block, group);
    }
}

bool release_marks(Block& block) {
    const int group = waiting_group(block);
    if (group < 0) return false;
    Incident incident;
    incident.kind = Incident::Kind::mark_not_reached;
    std::string absent;
    for (Warp& w : block.warps) {
        const uint32_t lanes = lanes_at_mark(w, group);
        if (lanes == 0) absent += (absent.empty() ? "" : ", ") + std::to_string(w.index);
        if (lanes == 0 || incident.first.block >= 0) continue;
        for (int k = 0; k < w.split_count; ++k) {
            const Split& s = w.splits[static_cast<size_t>(k)];
            if (s.wait == Wait::mark) incident.first = witness(w, s.pc, lanes);
        }
    }
    incident.detail =
        absent.empty() ? "some lanes never reach the mark" : "warps that never reach the mark: " + absent;
    report(block, std::move(incident));
    take_block_mark(block, group);
    return true;
}

Selected lower_mark(Lowering& l) {
    const auto& in = *l.in;
    if (in.op != ptx::Op::mark) return {};
    MarkPoint point;
    point.mark = l.first_mark + in.mark;
    const ptx::Mark& m = l.function.marks[static_cast<size_t>(in.mark)];
    const auto [group, inserted] = l.linking.mark_groups.try_emplace(
        {static_cast<int>(m.kind), m.name}, static_cast<int>(l.linking.mark_groups.size())
    );
    point.group = group->second;
    const auto add = [&](size_t k) {
        const auto& o = in.operands[k];
        const ptx::Type type = type_of_register(l, o);
        if (type == ptx::Type::pred || ptx::bytes_of(type) > 8) l.failed = true;
        const bool is_register = o.kind == ptx::Operand::Kind::reg;
        const bool wide = is_register ? is_wide(l, o) : k == 0;
        point.slots.push_back(source(l, k, wide ? ptx::Type::u64 : ptx::Type::u32));
        point.wide.push_back(wide ? 1 : 0);
    };
    if (m.kind == MarkKind::fragment) {
        if (in.operands.size() != 3) return {};
        point.element = in.operands[0].bits;
        point.count = in.operands[1].bits;
        constexpr uint64_t kMostRegisters = 1 << 10;
        if (point.count > kMostRegisters || point.element >= point.count) return {};
        add(2);
        point.bytes = ptx::bytes_of(type_of_register(l, in.operands[2]));
    } else if (m.kind == MarkKind::lanes) {
        add(0);
        point.bytes = size_of(m.dtype);
    } else {
        for (size_t k = 0; k < in.operands.size(); ++k) add(k);
    }
    l.out.target = static_cast<int32_t>(l.program.mark_points.size());
    l.program.mark_points.push_back(std::move(point));
    return Exec{mark};
}

}  // namespace wl::emulator
