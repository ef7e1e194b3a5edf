// Fragments of wmma, mma, ldmatrix and stmatrix, by base/fragment_layout.h.
#include "instrumentation/travel/dataflow_matrix.h"

#include "instrumentation/base/fragment_layout.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <functional>

namespace wl::travel {
namespace {

using ptx::Instruction;
using ptx::Op;

constexpr int kLanes = 32;

int bits_of_element(ptx::Type t) {
    switch (t) {
        case ptx::Type::b1: return 1;
        case ptx::Type::u4:
        case ptx::Type::s4: return 4;
        case ptx::Type::tf32: return 32;
        default: return static_cast<int>(8 * ptx::bytes_of(t));
    }
}

struct MatrixPart {
    MatrixOperand which = MatrixOperand::c;
    ptx::Type type = ptx::Type::none;
    bool column = false;
};

FragmentLayout layout_of(const Instruction& in, const MatrixPart& part) {
    FragmentForm f;
    f.instruction = in.op == Op::mma ? MatrixInstruction::mma : MatrixInstruction::wmma;
    f.operand = part.which;
    f.shape = matrix_shape_from_name(in.modifiers.shape).value_or(MatrixShape{});
    f.bits = bits_of_element(part.type);
    f.column = part.column;
    f.repeated = in.op != Op::mma && part.which != MatrixOperand::c && part.type == ptx::Type::f16;
    return fragment_layout(f);
}

// Registers of a fragment's elements in a row (or column) of the matrix product.
void add_line(
    const FragmentLayout& layout,
    const std::vector<int32_t>& regs,
    const std::function<bool(const FragmentPlace&)>& wanted,
    std::vector<LaneRegister>& out
) {
    const int per = layout.register_bits / layout.bits;
    for (int lane = 0; lane < kLanes; ++lane)
        for (int k = 0; k < layout.distinct; ++k)
            if (wanted(layout.at(lane, k))) out.push_back({lane, regs.at(static_cast<size_t>(k / per))});
}

void make_unique(std::vector<LaneRegister>& all) {
    const auto key = [](const LaneRegister& r) { return std::pair(r.reg, r.lane); };
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const auto end =
        std::unique(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); });
    all.erase(end, all.end());
}

// What wmma.load or wmma.store moves.
MatrixPart moved_part(const Instruction& in) {
    MatrixPart part;
    part.which = in.modifiers.kind == "a" ? MatrixOperand::a
        : in.modifiers.kind == "b"        ? MatrixOperand::b
                                          : MatrixOperand::c;
    part.type = in.types.front();
    return part;
}

}  // namespace

uint64_t densest_stride(const Instruction& in) {
    const FragmentLayout layout = layout_of(in, moved_part(in));
    return static_cast<uint64_t>(in.modifiers.layout_a == "col" ? layout.rows : layout.columns);
}

std::vector<Transfer> fragment_transfers(const Instruction& in, const Executed& e, const Log& log) {
    const ptx::Traits& t = traits_of(in);
    const bool store = t.memory == ptx::Memory::store;
    const FragmentLayout layout = layout_of(in, moved_part(in));
    const std::vector<int32_t> regs = components(*operand_in(in, t.data));
    const Extra& base = log.extras[static_cast<size_t>(e.extra)];
    const Extra& stride = log.extras[static_cast<size_t>(e.extra) + 1];
    const bool column = in.modifiers.layout_a == "col";
    std::vector<Transfer> out;
    if (layout.bits < 8) return out;
    const auto size = static_cast<uint32_t>(layout.bits / 8);
    const int per = layout.register_bits / layout.bits;
    for (int lane = 0; lane < kLanes; ++lane) {
        for (int k = 0; k < (store ? layout.distinct : layout.elements); ++k) {
            const FragmentPlace& p = layout.at(lane, k);
            const auto line = static_cast<uint64_t>(column ? p.column : p.row);
            const auto place = static_cast<uint64_t>(column ? p.row : p.column);
            const auto l = static_cast<size_t>(lane);
            const uint64_t address = base[l] + (line * stride[l] + place) * size;
            out.push_back({lane, regs.at(static_cast<size_t>(k / per)), address, size});
        }
    }
    return out;
}

std::vector<Transfer> matrix_transfers(const Instruction& in, const Executed& e, const Log& log) {
    const FragmentLayout layout = matrix_move_layout(in.modifiers.vector, in.modifiers.trans);
    const std::vector<int32_t> regs = components(*operand_in(in, traits_of(in).data));
    const Extra& rows = log.extras[static_cast<size_t>(e.extra)];
    std::vector<Transfer> out;
    for (int lane = 0; lane < kLanes; ++lane) {
        for (int k = 0; k < layout.elements; ++k) {
            const FragmentPlace& p = layout.at(lane, k);
            const auto row = static_cast<size_t>(p.matrix * 8 + p.row);
            out.push_back(
                {lane,
                 regs.at(static_cast<size_t>(k / 2)),
                 rows[row] + 2 * static_cast<uint64_t>(p.column),
                 2}
            );
        }
    }
    return out;
}

bool is_product(const Instruction& in) {
    const bool plain = (in.op == Op::mma || in.op == Op::wmma_mma) && in.operands.size() == 4;
    const bool typed = in.types.size() == 4 || (in.types.size() == 2 && in.op == Op::wmma_mma);
    return plain && typed && matrix_shape_from_name(in.modifiers.shape).has_value();
}

std::vector<LaneRegister> product_sources(const Instruction& in, const LaneRegister& d) {
    const bool half = in.types.size() == 2;  // wmma over f16 names d and c alone
    const auto type = [&](size_t k) {
        return half ? (k == 0 || k == 3 ? in.types[k / 3] : ptx::Type::f16) : in.types[k];
    };
    const auto& m = in.modifiers;
    const FragmentLayout of_d = layout_of(in, {MatrixOperand::c, type(0), m.layout_a == "col"}),
                         of_a = layout_of(in, {MatrixOperand::a, type(1), m.layout_a == "col"}),
                         of_b = layout_of(in, {MatrixOperand::b, type(2), m.layout_b == "col"}),
                         of_c = layout_of(in, {MatrixOperand::c, type(3), m.layout_a == "col"});
    const std::vector<int32_t> regs = components(in.operands[0]);
    const int per = of_d.register_bits / of_d.bits;
    std::vector<LaneRegister> out;
    for (int k = 0; k < of_d.elements; ++k) {
        if (regs.at(static_cast<size_t>(k / per)) != d.reg) continue;
        const FragmentPlace at = of_d.at(d.lane, k);
        const auto same = [&](const FragmentPlace& p) { return p.matrix == at.matrix; };
        add_line(
            of_a, components(in.operands[1]), [&](const auto& p) { return same(p) && p.row == at.row; }, out
        );
        add_line(
            of_b,
            components(in.operands[2]),
            [&](const auto& p) { return same(p) && p.column == at.column; },
            out
        );
        add_line(
            of_c,
            components(in.operands[3]),
            [&](const auto& p) { return same(p) && p.row == at.row && p.column == at.column; },
            out
        );
    }
    make_unique(out);
    return out;
}

}  // namespace wl::travel
