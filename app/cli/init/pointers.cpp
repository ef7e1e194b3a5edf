// A small flow of addresses: a bit a parameter in every register, until nothing changes.
#include "app/cli/init/pointers.h"

#include <string_view>

namespace wl::app {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Bits = uint64_t;  // a bit a parameter, of the first 64

bool starts(const Instruction& i, std::string_view word) { return i.mnemonic.starts_with(word); }

struct Flow {
    const ptx::Function& entry;
    std::vector<Bits> registers;

    Bits of(const Operand& operand) const {
        const bool reg = operand.kind == Operand::Kind::reg ||
            (operand.kind == Operand::Kind::address && operand.base_kind == Operand::Kind::reg);
        return reg && operand.index >= 0 ? registers[static_cast<size_t>(operand.index)] : 0;
    }
    // What the result of the instruction may be the address of.
    Bits result(const Instruction& i) const {
        const auto operand = [&](size_t k) { return k < i.operands.size() ? of(i.operands[k]) : 0; };
        if (starts(i, "ld.param")) {
            const Operand& from = i.operands.back();
            const bool param = from.kind == Operand::Kind::address && from.base_kind == Operand::Kind::param;
            return param && from.index < 64 ? Bits{1} << from.index : 0;
        }
        if (starts(i, "mov") || starts(i, "cvta")) return operand(1);
        if (starts(i, "add")) return operand(1) | operand(2);
        if (starts(i, "sub")) return operand(1);
        if (starts(i, "mad")) return operand(3);
        if (starts(i, "selp")) return operand(1) | operand(2);
        return 0;
    }
    bool step() {
        bool changed = false;
        for (const Instruction& i : entry.code) {
            if (i.operands.empty() || i.operands[0].kind != Operand::Kind::reg) continue;
            Bits& bits = registers[static_cast<size_t>(i.operands[0].index)];
            const Bits more = bits | result(i);
            changed |= more != bits;
            bits = more;
        }
        return changed;
    }
};

DType element_of(const Instruction& i) {
    switch (i.types.empty() ? ptx::Type::none : i.types.back()) {
        case ptx::Type::f32: return DType::f32;
        case ptx::Type::f64: return DType::f64;
        default: break;
    }
    const uint32_t bytes = i.types.empty() ? 1 : ptx::bytes_of(i.types.back());
    return bytes == 8 ? DType::s64 : bytes == 4 ? DType::f32 : bytes == 2 ? DType::f16 : DType::u8;
}

}  // namespace

std::vector<Pointer> pointer_params(const ptx::Function& entry) {
    Flow flow{entry, std::vector<Bits>(entry.registers.size(), 0)};
    while (flow.step()) {}
    std::vector<Pointer> pointers(entry.params.size());
    for (const Instruction& i : entry.code) {
        if (starts(i, "ld.param") || starts(i, "st.param") || starts(i, "ld.shared") ||
            starts(i, "st.shared"))
            continue;
        for (const Operand& operand : i.operands) {
            if (operand.kind != Operand::Kind::address) continue;
            const Bits bits = flow.of(operand);
            for (size_t p = 0; p < std::min<size_t>(pointers.size(), 64); ++p)
                if ((bits >> p & 1) != 0) {
                    if (!pointers[p].followed) pointers[p].element = element_of(i);
                    pointers[p].followed = true;
                    pointers[p].added_to |= starts(i, "atom") || starts(i, "red");
                }
        }
    }
    return pointers;
}

}  // namespace wl::app
