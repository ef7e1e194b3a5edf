#include "instrumentation/ptx/table/effects.h"

#include <array>

namespace wl::ptx {
namespace {

using FirstRows = std::array<const Form*, static_cast<size_t>(Op::count)>;

const FirstRows& first_rows() {
    static const FirstRows kRows = [] {
        FirstRows rows{};
        for (const Family& family : families())
            for (const Form& form : family.forms) {
                const Form*& row = rows[static_cast<size_t>(form.op)];
                if (row == nullptr) row = &form;
            }
        return rows;
    }();
    return kRows;
}

}  // namespace

const Traits& traits_of(const Instruction& in) {
    static constexpr Traits kNone;
    const Form* form = in.form != nullptr ? in.form : first_rows()[static_cast<size_t>(in.op)];
    return form != nullptr ? form->traits : kNone;
}

const Operand* operand_in(const Instruction& in, int8_t role) {
    if (role == kNoRole) return nullptr;
    auto k = static_cast<size_t>(role);
    if (traits_of(in).has_pair && !in.modifiers.pair && k > 0) --k;
    const size_t policy = in.modifiers.cache_hint ? 1 : 0;  // the last operand
    return k + policy < in.operands.size() ? &in.operands[k] : nullptr;
}

int8_t role_of(const Instruction& in, size_t operand) {
    if (in.modifiers.cache_hint && operand + 1 == in.operands.size()) return kNoRole;
    const bool skips = traits_of(in).has_pair && !in.modifiers.pair && operand > 0;
    return static_cast<int8_t>(operand + (skips ? 1 : 0));
}

Space space_of(const Instruction& in, int8_t role) {
    const Traits& t = traits_of(in);
    if (t.extent == Extent::rows) return Space::shared;
    const Space named = role == t.source ? in.modifiers.source_space : in.modifiers.space;
    return named == Space::none ? Space::generic : named;
}

bool ends_block(const Instruction& in) {
    const Control c = traits_of(in).control;
    return c == Control::jump || c == Control::jump_table || c == Control::leave;
}

std::vector<int32_t> targets_of(const Function& function, const Instruction& in) {
    const Control c = traits_of(in).control;
    if (c == Control::jump) return {in.operands[0].index};
    if (c != Control::jump_table || in.operands[1].kind != Operand::Kind::branch_targets) return {};
    return function.branch_targets[static_cast<size_t>(in.operands[1].index)];
}

}  // namespace wl::ptx
