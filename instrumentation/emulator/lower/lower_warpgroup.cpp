// Lowering wgmma: shape and types to a warp's part of the product.
#include "instrumentation/emulator/exec/matrix/warpgroup.h"
#include "instrumentation/emulator/lower/lower_matrix.h"
#include "instrumentation/ptx/table/elements.h"

namespace wl::emulator {
namespace {

using ptx::Operand;
using ptx::Type;
using Kind = Operand::Kind;

constexpr int kRows = 16, kColumns = 8;  // of d: a warp's, of a block

// The fragment of mma.m16n8, block after block along n.
MatrixFragment fragment(Lowering& l, size_t operand, MatrixOperand which, Type type, int blocks) {
    const bool sum = which == MatrixOperand::c;
    FragmentForm form;
    form.operand = which;
    form.bits = ptx::element_bits(type);
    form.shape = {kRows, kColumns, static_cast<int>(kDepthBytes) * 8 / form.bits};
    const FragmentLayout layout = fragment_layout(form);
    MatrixFragment f;
    f.type = type;
    f.bits = form.bits == 1 ? 32 : form.bits;
    f.slots = vector_slots(l, l.in->operands[operand], Type::b32, sum);
    if (static_cast<int>(f.slots.size()) != layout.registers * blocks) l.failed = true;
    const int step = form.bits == 1 ? 32 : 1;
    for (int block = 0; block < blocks; ++block)
        for (int e = 0; e < layout.elements; e += step)
            for (int lane = 0; lane < kLanes; ++lane) {
                const FragmentPlace& p = layout.at(lane, e);
                const int width = sum ? kColumns : form.shape.k / step;
                f.index.push_back(
                    static_cast<uint16_t>(block * kRows * kColumns + p.row * width + p.column / step)
                );
            }
    return f;
}

std::optional<int64_t> immediate(const ptx::Instruction& in, size_t k) {
    if (k >= in.operands.size() || in.operands[k].kind != Kind::immediate) return {};
    return static_cast<int32_t>(in.operands[k].bits);
}

// The operands after scale-d: factors 1 or -1 of a and b, then whether each lies along m or n.
bool set_factors(Lowering& l, WarpgroupProduct& g) {
    const auto& in = *l.in;
    const size_t count = in.operands.size();
    if (count == 4) return true;
    const auto of_a = immediate(in, 4), of_b = immediate(in, 5);
    const auto is_sign = [](std::optional<int64_t> x) { return x && (*x == 1 || *x == -1); };
    if (!is_sign(of_a) || !is_sign(of_b)) return false;
    g.negates = *of_a != *of_b;
    const bool can_lie = ptx::element_bits(g.a_type) == 16;
    if (count != (!can_lie ? 6u : g.a_in_registers ? 7u : 8u)) return false;
    if (!can_lie) return true;
    const auto last = immediate(in, count - 1), first = g.a_in_registers ? 0 : immediate(in, 6);
    if (!last || !first || (*last | *first) >> 1 != 0) return false;
    g.b_by_columns = *last == 1, g.a_by_rows = *first == 1;
    return true;
}

Exec product_executor(Type a, Type d) {
    if (a == Type::b1) return multiply_warpgroup_bits;
    return d == Type::s32 ? multiply_warpgroup_integers : multiply_warpgroup_floats;
}

Selected lower_product_of_warpgroup(Lowering& l) {
    const auto& in = *l.in;
    const auto shape = matrix_shape_from_name(in.modifiers.shape);
    if (!shape || in.types.size() != 3 || in.operands.size() < 4) return {};
    MatrixPlan plan;
    MatrixProduct& p = plan.product;
    WarpgroupProduct& g = plan.warpgroup;
    g.a_type = in.types[1], g.b_type = in.types[2];
    g.a_in_registers = in.operands[1].kind == Kind::vector;
    if (!set_factors(l, g)) return {};
    const int bits = ptx::element_bits(g.a_type);
    p.rows = kRows, p.columns = shape->n;
    p.stored = p.depth = bits == 1 ? shape->k / 32 : shape->k;
    p.to_half = in.types[0] == Type::f16;
    p.saturate = in.modifiers.satfinite;
    p.d = p.c = fragment(l, 0, MatrixOperand::c, in.types[0], shape->n / kColumns);
    if (g.a_in_registers)
        p.a = fragment(l, 1, MatrixOperand::a, g.a_type, 1);
    else
        g.a = source(l, 1, Type::b64);
    g.b = source(l, 2, Type::b64);
    l.program.reads_async = true;
    g.adds = predicate_source(l, 3);
    for (int at = 0; at < kRows * p.stored; ++at) p.row_of.push_back(static_cast<uint16_t>(at % p.stored));
    return with_plan(l, std::move(plan), product_executor(g.a_type, in.types[0]));
}

}  // namespace

Selected lower_warpgroup(Lowering& l) {
    const auto& in = *l.in;
    if (in.mnemonic.starts_with("wgmma.fence")) return Exec{meet_for_products};
    if (in.mnemonic.starts_with("wgmma.commit_group")) return Exec{commit_products};
    if (in.mnemonic.starts_with("wgmma.wait_group")) {
        const auto groups = immediate(in, 0);
        if (!groups || *groups < 0) return {};
        l.out.offset = *groups;
        return Exec{wait_for_products};
    }
    return in.mnemonic.starts_with("wgmma.mma_async.sync") ? lower_product_of_warpgroup(l) : Selected{};
}

}  // namespace wl::emulator
