// Lowering matrix instructions: loads, stores and moves of fragments; products are lower_matrix_product.cpp.
#include "instrumentation/emulator/lower/lower_matrix.h"

#include "instrumentation/ptx/table/elements.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Operand;
using ptx::Type;

std::span<const Operand> registers_of(const Operand& o) {
    return o.kind == Operand::Kind::vector ? std::span(o.elements) : std::span(&o, 1);
}

// ---- wmma.load and wmma.store

// A fragment as it lies in memory: lines are rows, or columns of a .col matrix.
struct MemoryLayout {
    const FragmentLayout& fragment;
    bool column = false;

    int line(int lane, int element) const {
        const FragmentPlace& p = fragment.at(lane, element);
        return column ? p.column : p.row;
    }
    int position(int lane, int element) const {
        const FragmentPlace& p = fragment.at(lane, element);
        return column ? p.row : p.column;
    }
    // Whether, in every lane, `count` elements from each multiple of it on lie side by side.
    bool runs_of(int count) const {
        if (fragment.distinct % count != 0) return false;
        for (int lane = 0; lane < kLanes; ++lane)
            for (int e = 0; e < fragment.distinct; ++e) {
                const int first = e - e % count;
                if (line(lane, e) != line(lane, first) ||
                    position(lane, e) != position(lane, first) + e - first)
                    return false;
            }
        return true;
    }
};

// What an H200 needs (ptxas 13.0 for sm_90): f16, bf16 and whole registers of smaller factors come from
// shared memory as ldmatrix takes them, by rows of 16 bytes; everything else by the lane's own pieces, f16 by
// pairs.
uint32_t alignment(const ptx::Modifiers& m, int bits, uint32_t piece_bytes) {
    const bool factor = m.kind == "a" || m.kind == "b";
    const bool by_rows = factor && (bits == 16 || (bits < 16 && piece_bytes >= 4));
    if (by_rows && m.space == ptx::Space::shared) return 16;
    return bits == 16 ? 4 : piece_bytes;
}

void cut_into_pieces(const MemoryLayout& memory, MatrixMove& m) {
    const int bits = memory.fragment.bits;
    int run = std::max(1, 8 / bits);
    while (run * bits < 128 && memory.runs_of(2 * run)) run *= 2;
    m.piece_bytes = static_cast<uint32_t>(run * bits / 8);
    for (int element = 0; element < memory.fragment.distinct; element += run) {
        MatrixPiece piece;
        piece.element_byte = static_cast<uint16_t>(element * bits / 8);
        for (int lane = 0; lane < kLanes; ++lane) {
            const auto l = static_cast<size_t>(lane);
            piece.line[l] = static_cast<uint16_t>(memory.line(lane, element));
            piece.byte[l] = static_cast<uint16_t>(memory.position(lane, element) * bits / 8);
        }
        m.pieces.push_back(piece);
    }
}

Selected lower_fragment_move(Lowering& l) {
    const auto& in = *l.in;
    const bool store = in.op == Op::wmma_store;
    const auto shape = matrix_shape_from_name(in.modifiers.shape);
    if (!shape || in.types.size() != 1 || in.operands.size() < 2) return {};
    FragmentForm f;
    f.instruction = MatrixInstruction::wmma;
    f.shape = *shape;
    f.operand = in.modifiers.kind == "a" ? MatrixOperand::a
        : in.modifiers.kind == "b"       ? MatrixOperand::b
                                         : MatrixOperand::c;
    f.bits = ptx::element_bits(in.types[0]);
    f.repeated = f.operand != MatrixOperand::c && in.types[0] == Type::f16;
    const FragmentLayout layout = fragment_layout(f);
    MatrixPlan plan;
    MatrixMove& m = plan.move;
    const size_t address_operand = store ? 0 : 1;
    if (!take_slots(l, 1 - address_operand, layout, !store, m.slots)) return {};
    m.distinct = layout.distinct * layout.bits / layout.register_bits;
    m.wide_registers = layout.register_bits == 64;
    m.element_bits = static_cast<uint32_t>(layout.bits);
    const MemoryLayout memory{layout, in.modifiers.layout_a == "col"};
    cut_into_pieces(memory, m);
    const int line = memory.column ? layout.rows : layout.columns;
    m.lines = static_cast<uint32_t>(memory.column ? layout.columns : layout.rows);
    m.line_bytes = static_cast<uint32_t>(line * layout.bits / 8);
    m.stride_slot =
        in.operands.size() > 2 ? source(l, 2, Type::u32) : constant(l, 4, static_cast<uint64_t>(line));
    const AddressOperand where = address(l, address_operand, in.modifiers.space);
    m.space = where.space;
    m.wide_base = where.wide;
    m.align = alignment(in.modifiers, layout.bits, m.piece_bytes);
    l.out.r[4] = where.slot;
    l.out.offset = where.displacement;
    return with_plan(l, std::move(plan), store ? store_fragment : load_fragment);
}

// ---- 8x8 matrices

void set_index(const FragmentLayout& layout, MatrixMove& m) {
    for (int element = 0; element < layout.elements; ++element)
        for (int lane = 0; lane < kLanes; ++lane) {
            const FragmentPlace& p = layout.at(lane, element);
            m.index.push_back(static_cast<uint16_t>((p.matrix * 8 + p.row) * 8 + p.column));
        }
}

Selected lower_matrices(Lowering& l) {
    const auto& in = *l.in;
    const bool store = in.op == Op::stmatrix;
    if (in.modifiers.shape != "m8n8" || in.operands.size() != 2) return {};
    const size_t address_operand = store ? 0 : 1;
    const FragmentLayout layout = matrix_move_layout(in.modifiers.vector, in.modifiers.trans);
    MatrixPlan plan;
    MatrixMove& m = plan.move;
    if (!take_slots(l, 1 - address_operand, layout, !store, m.slots)) return {};
    m.transposed = in.modifiers.trans;
    set_index(layout, m);
    const AddressOperand where = address(l, address_operand, in.modifiers.space);
    m.space = where.space;
    m.wide_base = where.wide;
    l.out.r[4] = where.slot;
    l.out.offset = where.displacement;
    return with_plan(l, std::move(plan), store ? store_matrices : load_matrices);
}

Selected lower_transpose(Lowering& l) {
    MatrixPlan plan;
    set_index(matrix_move_layout(1, true), plan.move);
    l.out.r[0] = destination(l, 0);
    l.out.r[1] = source(l, 1, Type::b32);
    return with_plan(l, std::move(plan), transpose_matrix);
}

}  // namespace

bool take_slots(
    Lowering& l, size_t k, const FragmentLayout& layout, bool written, std::vector<uint32_t>& slots
) {
    if (k >= l.in->operands.size()) return false;
    const auto registers = registers_of(l.in->operands[k]);
    if (static_cast<int>(registers.size()) != layout.registers) return false;
    const Type t = layout.register_bits == 64 ? Type::b64 : Type::b32;
    for (const Operand& o : registers) slots.push_back(written ? destination(l, o) : source(l, o, t));
    return true;
}

Selected with_plan(Lowering& l, MatrixPlan plan, Exec exec) {
    l.out.target = static_cast<int32_t>(l.program.matrix_plans.size());
    l.program.matrix_plans.push_back(std::make_shared<const MatrixPlan>(std::move(plan)));
    return exec;
}

Selected lower_matrix(Lowering& l) {
    switch (l.in->op) {
        case Op::wmma_mma:
        case Op::mma:
        case Op::mma_sp: return lower_product(l);
        case Op::wmma_load:
        case Op::wmma_store: return lower_fragment_move(l);
        case Op::ldmatrix:
        case Op::stmatrix: return lower_matrices(l);
        case Op::movmatrix: return lower_transpose(l);
        case Op::wgmma: return lower_warpgroup(l);
        default: return {};
    }
}

}  // namespace wl::emulator
