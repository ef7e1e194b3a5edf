// Instructions to ways: which of them make, move or end floating point values.
#include "instrumentation/emulator/fp64/fp64_state.h"
#include "instrumentation/ptx/table/effects.h"

namespace wl::emulator {
namespace {

using ptx::Flow;
using ptx::Op;
using ptx::Rounding;
using ptx::Type;

std::optional<DType> format_of(Type t) {
    switch (t) {
        case Type::f16:
        case Type::f16x2: return DType::f16;
        case Type::bf16:
        case Type::bf16x2: return DType::bf16;
        case Type::f32: return DType::f32;
        case Type::f64: return DType::f64;
        case Type::tf32: return DType::tf32;
        default: return {};
    }
}
std::optional<DType> integer_of(Type t) {
    switch (t) {
        case Type::u8: return DType::u8;
        case Type::s8: return DType::s8;
        case Type::u16: return DType::u16;
        case Type::s16: return DType::s16;
        case Type::u32: return DType::u32;
        case Type::s32: return DType::s32;
        case Type::u64: return DType::u64;
        case Type::s64: return DType::s64;
        default: return {};
    }
}
uint8_t parts_of(Type t) { return t == Type::f16x2 || t == Type::bf16x2 ? 2 : 1; }

bool is_arithmetic(Op op) {
    switch (op) {
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::mad:
        case Op::div:
        case Op::abs:
        case Op::neg:
        case Op::min:
        case Op::max:
        case Op::fma:
        case Op::rcp:
        case Op::sqrt:
        case Op::rsqrt:
        case Op::sin:
        case Op::cos:
        case Op::lg2:
        case Op::ex2:
        case Op::tanh: return true;
        default: return false;
    }
}

bool rounds_to_whole(Rounding r) {
    return r == Rounding::rni || r == Rounding::rzi || r == Rounding::rmi || r == Rounding::rpi;
}

Fp64Step plan_conversion(const ptx::Instruction& in) {
    Fp64Step s;
    if (in.types.size() != 2) return s;
    const auto to = format_of(in.types[0]);
    const auto from = format_of(in.types[1]) ? format_of(in.types[1]) : integer_of(in.types[1]);
    if (!to || !from || rounds_to_whole(in.modifiers.rounding)) return s;
    return {Fp64Way::convert, *to, *from, parts_of(in.types[0])};
}

Fp64Step plan_move(const ptx::Instruction& in, Flow flow) {
    if (in.op == Op::mov && flow == Flow::copy && in.modifiers.vector == 1) return {Fp64Way::move};
    if (in.op == Op::selp) return {Fp64Way::choose};
    if (in.op == Op::prmt && in.modifiers.mode == ptx::Mode::none) return {Fp64Way::permute};
    return {};
}

Fp64Step plan_step(const PoisonStep& step) {
    const ptx::Instruction& in = *step.in;
    if (in.op == Op::mark || in.form == nullptr) return {};
    switch (step.way) {
        case Flow::load: return {Fp64Way::load};
        case Flow::store: return {Fp64Way::store};
        case Flow::shuffle: return {Fp64Way::shuffle};
        case Flow::load_fragment: return {Fp64Way::load_fragment};
        case Flow::store_fragment: return {Fp64Way::store_fragment};
        case Flow::load_rows: return {Fp64Way::load_rows};
        case Flow::store_rows: return {Fp64Way::store_rows};
        case Flow::product: return {Fp64Way::product};
        default: break;
    }
    if (in.op == Op::cvt) return plan_conversion(in);
    if (const Fp64Step moved = plan_move(in, step.way); moved.way != Fp64Way::none) return moved;
    const auto format = in.types.empty() ? std::nullopt : format_of(in.types[0]);
    const bool decides = !step.results.empty() && step.results[0].bits == 1;  // a comparison
    if (decides) return {};
    if (!format || step.results.empty()) {
        const bool adds = in.op == Op::red && format && in.modifiers.atom_op == ptx::AtomOp::add;
        return adds ? Fp64Step{Fp64Way::add_to_memory, *format, *format, parts_of(in.types[0])} : Fp64Step{};
    }
    const uint8_t parts = parts_of(in.types[0]);
    if (in.op == Op::atom && in.modifiers.atom_op == ptx::AtomOp::add)
        return {Fp64Way::add_to_memory, *format, *format, parts};
    const bool plain = is_arithmetic(in.op) && in.types.size() == 1 && !in.modifiers.xorsign;
    return {plain ? Fp64Way::operate : Fp64Way::unknown, *format, *format, parts};
}

}  // namespace

std::vector<Fp64Step> plan_fp64(const PoisonPlan& plan) {
    std::vector<Fp64Step> out;
    out.reserve(plan.steps.size());
    for (const PoisonStep& step : plan.steps)
        out.push_back(step.in == nullptr ? Fp64Step{} : plan_step(step));
    return out;
}

}  // namespace wl::emulator
