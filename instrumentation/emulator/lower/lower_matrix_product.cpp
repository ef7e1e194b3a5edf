// Lowering matrix products: shape and types to fragments, sums and metadata.
#include "instrumentation/emulator/lower/lower_matrix.h"
#include "instrumentation/ptx/table/elements.h"

#include <functional>
#include <immintrin.h>
#include <numeric>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Operand;
using ptx::Type;

bool is_small_float(Type t) { return t == Type::e4m3 || t == Type::e5m2; }

struct ProductForm {
    MatrixInstruction instruction = MatrixInstruction::mma;
    MatrixShape shape;
    Type d = Type::none, a = Type::none, b = Type::none, c = Type::none;
};

std::optional<ProductForm> product_form(const ptx::Instruction& in) {
    const auto shape = matrix_shape_from_name(in.modifiers.shape);
    const std::string_view kind = in.modifiers.kind;  // sm_100: "kind::f8f6f4" and others
    if (!shape || in.operands.size() < 4 || (!kind.empty() && kind != "popc")) return {};
    ProductForm f;
    f.shape = *shape;
    f.instruction = in.op == Op::wmma_mma ? MatrixInstruction::wmma
        : in.op == Op::mma_sp             ? MatrixInstruction::mma_sparse
                                          : MatrixInstruction::mma;
    if (in.types.size() == 2)  // wmma over f16: d and c
        return ProductForm{f.instruction, f.shape, in.types[0], Type::f16, Type::f16, in.types[1]};
    if (in.types.size() != 4) return {};
    return ProductForm{f.instruction, f.shape, in.types[0], in.types[1], in.types[2], in.types[3]};
}

FragmentForm fragment_form(const Lowering& l, const ProductForm& p, MatrixOperand operand, Type type) {
    FragmentForm f;
    f.instruction = p.instruction;
    f.operand = operand;
    f.shape = p.shape;
    f.bits = ptx::element_bits(type);
    const auto& m = l.in->modifiers;
    f.column = (operand == MatrixOperand::b ? m.layout_b : m.layout_a) == "col";
    f.repeated = p.instruction == MatrixInstruction::wmma && operand != MatrixOperand::c && type == Type::f16;
    return f;
}

using PlaceIndex = std::function<size_t(const FragmentPlace&)>;

struct FragmentRequest {
    size_t operand = 0;  // of the instruction
    MatrixOperand which = MatrixOperand::a;
    Type type = Type::none;
};

bool make_fragment(
    Lowering& l, const ProductForm& p, const FragmentRequest& r, const PlaceIndex& index, MatrixFragment& out
) {
    const FragmentLayout layout = fragment_layout(fragment_form(l, p, r.which, r.type));
    out.type = r.type;
    out.bits = layout.bits;
    if (!take_slots(l, r.operand, layout, r.operand == 0, out.slots)) return false;
    out.slots.resize(static_cast<size_t>(layout.distinct * layout.bits / layout.register_bits));
    const int step = layout.bits == 1 ? 32 : 1;  // single bits are multiplied by words
    if (step == 32) out.bits = 32;
    for (int element = 0; element < layout.distinct; element += step)
        for (int lane = 0; lane < kLanes; ++lane)
            out.index.push_back(static_cast<uint16_t>(index(layout.at(lane, element))));
    return true;
}

// Groups of factors that one machine instruction sums (measured, and as ptxas 13.0 writes it for sm_90).
// 8-bit floats: two f16 products, of the elements with k mod 4 < 2 and of the others; c is added last.
// wmma over tf32: two products with k = 4. Everything else is one product.
void choose_groups(const ProductForm& f, MatrixProduct& p, std::vector<size_t>& order) {
    order.resize(static_cast<size_t>(p.stored));
    std::iota(order.begin(), order.end(), size_t{0});
    if (is_small_float(f.a)) {
        p.groups = 2;
        p.addend_last = true;
        for (size_t k = 0; k < order.size(); ++k)
            order[k] = k / 4 * 2 + k % 2 + (k % 4 < 2 ? 0 : order.size() / 2);
    } else if (f.a == Type::tf32 && f.instruction == MatrixInstruction::wmma) {
        p.groups = 2;
    }
}

unsigned rounding_bits(ptx::Rounding r) {
    switch (r) {
        case ptx::Rounding::rz: return _MM_ROUND_TOWARD_ZERO;
        case ptx::Rounding::rm: return _MM_ROUND_DOWN;
        case ptx::Rounding::rp: return _MM_ROUND_UP;
        default: return _MM_ROUND_NEAREST;
    }
}

Exec product_executor(const ProductForm& f) {
    if (f.a == Type::f64) return multiply_doubles;
    if (f.a == Type::b1) return multiply_bits;
    if (f.d == Type::s32) return multiply_integers;
    const bool quad_pairs = f.instruction == MatrixInstruction::mma && f.shape == MatrixShape{8, 8, 4};
    return quad_pairs ? multiply_quad_pairs : multiply_floats;
}

// Stored factor s of a row meets b's row base + unit * position, where two bits of the metadata (tf32: the
// upper of them) are the position.
void read_metadata(const FragmentForm& a, int selector, const std::vector<size_t>& order, MatrixProduct& p) {
    const int group_elements = sparse_group_elements(a.bits), unit = a.bits == 4 ? 2 : 1;
    const int stored_a_group = group_elements / 2;
    p.metadata.resize(static_cast<size_t>(p.rows * p.stored));
    for (int row = 0; row < p.rows; ++row)
        for (int s = 0; s < p.stored; ++s) {
            const int group = s / stored_a_group, within = s % stored_a_group;
            const MetadataPlace at = metadata_place(a, selector, row, group);
            MetadataStep step;
            step.lane = static_cast<uint8_t>(at.lane);
            step.shift = static_cast<uint8_t>(at.bit + (a.bits == 32 ? 1 : within / unit * 2));
            step.mask = a.bits == 32 ? 1 : 3;
            step.unit = static_cast<uint8_t>(unit);
            step.base = static_cast<uint16_t>(group * group_elements + within % unit);
            p.metadata[static_cast<size_t>(row * p.stored) + order[static_cast<size_t>(s)]] = step;
        }
}

bool set_sparsity(Lowering& l, const ProductForm& f, const std::vector<size_t>& order, MatrixProduct& p) {
    const auto& operands = l.in->operands;
    if (operands.size() != 6 || operands[5].kind != Operand::Kind::immediate) return false;
    const FragmentForm a = fragment_form(l, f, MatrixOperand::a, f.a);
    const auto selector = static_cast<int>(operands[5].bits);
    if (operands[5].bits > 3 ||
        metadata_place(a, selector, 7, f.shape.k / sparse_group_elements(a.bits) - 1).lane >= kLanes)
        return false;
    p.metadata_slot = source(l, 4, Type::b32);
    read_metadata(a, selector, order, p);
    return true;
}

}  // namespace

Selected lower_product(Lowering& l) {
    const auto form = product_form(*l.in);
    if (!form) return {};
    const ProductForm& f = *form;
    const bool sparse = f.instruction == MatrixInstruction::mma_sparse;
    const int words = f.a == Type::b1 ? 32 : 1;
    MatrixPlan plan;
    MatrixProduct& p = plan.product;
    p.rows = f.shape.m;
    p.columns = f.shape.n;
    p.stored = f.shape.k / words / (sparse ? 2 : 1);
    p.depth = f.shape.k / words;
    p.to_half = f.c == Type::f16 && f.d == Type::f16;
    p.saturate = l.in->modifiers.satfinite;
    p.bit_and = l.in->modifiers.bool_op == ptx::BoolOp::and_;
    p.rounding = rounding_bits(l.in->modifiers.rounding);
    std::vector<size_t> order;
    choose_groups(f, p, order);
    const auto rows = static_cast<size_t>(p.rows), columns = static_cast<size_t>(p.columns),
               stored = static_cast<size_t>(p.stored), depth = static_cast<size_t>(p.depth);
    const auto matrix = [](const FragmentPlace& x) { return static_cast<size_t>(x.matrix); };
    const auto row = [](const FragmentPlace& x) { return static_cast<size_t>(x.row); };
    const auto column = [](const FragmentPlace& x) { return static_cast<size_t>(x.column); };
    const auto step = static_cast<size_t>(words);
    const PlaceIndex in_a = [&](const FragmentPlace& x) {
        return (matrix(x) * rows + row(x)) * stored + order[column(x) / step];
    };
    const PlaceIndex in_b = [&](const FragmentPlace& x) {
        return (matrix(x) * depth + row(x) / step) * columns + column(x);
    };
    const PlaceIndex in_c = [&](const FragmentPlace& x) {
        return (matrix(x) * rows + row(x)) * columns + column(x);
    };
    if (!make_fragment(l, f, {0, MatrixOperand::c, f.d}, in_c, p.d) ||
        !make_fragment(l, f, {1, MatrixOperand::a, f.a}, in_a, p.a) ||
        !make_fragment(l, f, {2, MatrixOperand::b, f.b}, in_b, p.b) ||
        !make_fragment(l, f, {3, MatrixOperand::c, f.c}, in_c, p.c))
        return {};
    if (sparse) {
        if (!set_sparsity(l, f, order, p)) return {};
    } else {
        p.row_of.resize(rows * stored);
        for (size_t at = 0; at < rows * stored; ++at)
            p.row_of[at / stored * stored + order[at % stored]] = static_cast<uint16_t>(at % stored);
    }
    return with_plan(l, std::move(plan), product_executor(f));
}

}  // namespace wl::emulator
