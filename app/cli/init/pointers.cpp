// A small flow of addresses: a bit a parameter in every register, until nothing changes. What an access does
// at its address is told by the table of instructions.
#include "app/cli/init/pointers.h"

#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/ptx/table/operand_registers.h"

#include <algorithm>
#include <string_view>

namespace wl::app {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using Bits = uint64_t;  // a bit a parameter, of the first 64

bool starts(const Instruction& i, std::string_view word) { return i.mnemonic.starts_with(word); }

struct Flow {
    const ptx::Function& entry;
    std::vector<Bits> registers;

    Bits of(const Operand& operand) const {
        Bits bits = 0;
        ptx::each_register(operand, [&](size_t r) { bits |= registers[r]; });
        return bits;
    }
    // An address is as wide as its pieces: predicates decide, they are none.
    bool may_hold(size_t r) const { return entry.registers[r].type != ptx::Type::pred; }

    // What the results of the instruction may be addresses of. A factor is an index, and so is what is
    // shifted or converted: only sums, copies and choices keep an address.
    Bits result(const Instruction& i) const {
        if (starts(i, "ld.param")) {
            const Operand& from = i.operands.back();
            const bool param = from.kind == Operand::Kind::address && from.base_kind == Operand::Kind::param;
            return param && from.index < 64 ? Bits{1} << from.index : 0;
        }
        const auto operand = [&](size_t k) { return k < i.operands.size() ? of(i.operands[k]) : 0; };
        if (starts(i, "mov") || starts(i, "cvta")) return operand(1);
        if (starts(i, "sub")) return operand(1);
        if (starts(i, "mad")) return operand(3);
        if (starts(i, "add") || starts(i, "selp") || starts(i, "and") || starts(i, "or") ||
            starts(i, "max") || starts(i, "min"))
            return operand(1) | operand(2);
        return 0;
    }
    bool step() {
        bool changed = false;
        for (const Instruction& i : entry.code) {
            if (i.operands.empty() || i.operands[0].kind == Operand::Kind::address) continue;
            const Bits more = result(i);
            if (more == 0) continue;
            ptx::each_register(i.operands[0], [&](size_t r) {
                if (!may_hold(r) || (registers[r] | more) == registers[r]) return;
                registers[r] |= more;
                changed = true;
            });
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

bool is_of_global(Space space) {
    return space == Space::global || space == Space::none || space == Space::generic;
}

template <class Visit>
void each_param(Bits bits, std::vector<Pointer>& pointers, Visit visit) {
    for (size_t p = 0; p < std::min<size_t>(pointers.size(), 64); ++p)
        if ((bits >> p & 1) != 0) visit(pointers[p]);
}

void note_access(const Instruction& i, const Flow& flow, std::vector<Pointer>& pointers) {
    const ptx::Traits& t = ptx::traits_of(i);
    if (t.memory == ptx::Memory::opaque) {
        for (const Operand& operand : i.operands)
            if (operand.kind == Operand::Kind::address)
                each_param(flow.of(operand), pointers, [&](Pointer& p) {
                    p.texture = true;
                    p.surface_written |= starts(i, "sust") || starts(i, "sured");
                });
        return;
    }
    for (const int8_t role : {t.address, t.source}) {
        const Operand* operand = ptx::operand_in(i, role);
        if (operand == nullptr || operand->kind != Operand::Kind::address ||
            !is_of_global(ptx::space_of(i, role)))
            continue;
        each_param(flow.of(*operand), pointers, [&](Pointer& p) {
            if (!p.followed) p.element = element_of(i);
            p.followed = true;
            p.added_to |= t.memory == ptx::Memory::update;
            p.stored |= role == t.address && ptx::writes(t.memory);
        });
    }
    // Its value goes into memory, as arguments of a call do.
    if (const Operand* data = ptx::operand_in(i, t.data); data != nullptr && ptx::writes(t.memory))
        each_param(flow.of(*data), pointers, [](Pointer& p) { p.escapes = true; });
    if (starts(i, "st.param") && i.operands.size() > 1)
        each_param(flow.of(i.operands[1]), pointers, [](Pointer& p) { p.escapes = true; });
}

}  // namespace

std::vector<Pointer> pointer_params(const ptx::Function& entry) {
    Flow flow{entry, std::vector<Bits>(entry.registers.size(), 0)};
    while (flow.step()) {}
    std::vector<Pointer> pointers(entry.params.size());
    for (const Instruction& i : entry.code) note_access(i, flow, pointers);
    return pointers;
}

}  // namespace wl::app
