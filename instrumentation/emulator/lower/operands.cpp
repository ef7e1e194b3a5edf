// Operands to slots: registers, immediates splatted into constants, special registers, addresses of
// variables.
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/program/lowering.h"

#include <cstring>

namespace wl::emulator {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::SpecialRegister;
using ptx::Type;
using Kind = Operand::Kind;

uint32_t append_slot(RegisterFile& file, size_t cell_bytes) {
    const auto slot = static_cast<uint32_t>(file.constants + file.image.size());
    file.image.resize(file.image.size() + kLanes * cell_bytes);
    file.bytes = file.constants + static_cast<uint32_t>(file.image.size());
    return slot;
}

int cell_bytes_of(Type t) { return ptx::bytes_of(t) == 8 ? 8 : 4; }

// Clocks are no constants: only a mov reads them (exec_move.cpp).
uint32_t special(Lowering& l, const Operand& o, bool wide) {
    const auto which = static_cast<SpecialRegister>(o.index);
    if (!has_value(which)) l.failed = true;
    const auto [it, inserted] = l.special_slots.try_emplace({which, o.offset, wide}, 0);
    if (inserted) {
        it->second = append_slot(l.self.file, wide ? 8 : 4);
        l.self.file.special.push_back({which, o.offset, it->second, wide});
    }
    return it->second;
}

const std::vector<Placed>& table_of(const Lowering& l, const Operand& o, Kind kind) {
    if (kind == Kind::param) return l.params;
    if (kind == Kind::result) return l.results;
    return o.local ? l.function_variables : l.linking.module_variables;
}

const Placed* placed(const Lowering& l, const Operand& o, Kind kind) {
    const auto& table = table_of(l, o, kind);
    const auto index = static_cast<size_t>(o.index);
    if (index >= table.size() || table[index].rows) return nullptr;
    // A variable that another file defines has no place; dynamic shared memory has.
    const bool elsewhere = kind == Kind::symbol && !o.local && l.module.variables[index].is_extern &&
        l.module.variables[index].space != Space::shared;
    return elsewhere ? nullptr : &table[index];
}

uint32_t local_slot(Lowering& l, uint32_t offset, bool wide) {
    const auto [it, inserted] = l.local_slots.try_emplace({offset, wide}, 0);
    if (inserted) {
        it->second = append_slot(l.self.file, wide ? 8 : 4);
        l.self.file.locals.push_back({offset, it->second, wide});
    }
    return it->second;
}

uint32_t address_slot(Lowering& l, const Placed& where, int64_t addend, bool wide) {
    if (where.space == Space::local && !l.function.is_entry)
        return local_slot(l, static_cast<uint32_t>(where.offset + static_cast<uint64_t>(addend)), wide);
    if (where.global < 0) return constant(l, wide ? 8 : 4, where.offset + static_cast<uint64_t>(addend));
    const auto key = std::tuple(where.global, addend, wide, false);
    const auto [it, inserted] = l.address_slots.try_emplace(key, 0);
    if (inserted) {
        it->second = append_slot(l.self.file, wide ? 8 : 4);
        l.self.file.addresses.push_back({where.global, addend, it->second, wide, false});
    }
    return it->second;
}

}  // namespace

uint32_t constant(Lowering& l, int cell_bytes, uint64_t value) {
    if (cell_bytes == 4) value &= 0xffffffff;
    const auto [it, inserted] = l.constant_slots.try_emplace({cell_bytes, value}, 0);
    if (!inserted) return it->second;
    const auto bytes = static_cast<size_t>(cell_bytes);
    it->second = append_slot(l.self.file, bytes);
    std::byte* image = l.self.file.image.data() + (it->second - l.self.file.constants);
    for (size_t lane = 0; lane < kLanes; ++lane) std::memcpy(image + lane * bytes, &value, bytes);
    return it->second;
}

uint32_t source(Lowering& l, const Operand& o, Type t) {
    const bool wide = cell_bytes_of(t) == 8;
    switch (o.kind) {
        case Kind::reg: return l.register_slots[static_cast<size_t>(o.index)];
        case Kind::immediate: return constant(l, cell_bytes_of(t), ptx::value_of(o, t));
        case Kind::function:
            if (const int f = function_index(l, o.index); f >= 0)
                return constant(
                    l, wide ? 8 : 4, function_address(l.program.listing.functions[static_cast<size_t>(f)])
                );
            break;
        case Kind::special: return special(l, o, wide);
        case Kind::symbol:
        case Kind::param:
        case Kind::result:
        case Kind::address: {
            const Kind kind = o.kind == Kind::address ? o.base_kind : o.kind;
            const Placed* where = placed(l, o, kind);
            if (where != nullptr) return address_slot(l, *where, o.offset, wide);
            break;
        }
        default: break;
    }
    l.failed = true;
    return l.scratch;
}
uint32_t source(Lowering& l, size_t k, Type t) {
    if (k < l.in->operands.size()) return source(l, l.in->operands[k], t);
    l.failed = true;
    return l.scratch;
}

uint32_t destination(Lowering& l, const Operand& o) {
    if (o.kind == Kind::reg) return l.register_slots[static_cast<size_t>(o.index)];
    if (o.kind != Kind::sink) l.failed = true;
    return l.scratch;
}
uint32_t destination(Lowering& l, size_t k) {
    if (k < l.in->operands.size()) return destination(l, l.in->operands[k]);
    l.failed = true;
    return l.scratch;
}

uint32_t predicate_source(Lowering& l, size_t k) {
    if (k >= l.in->operands.size()) {
        l.failed = true;
        return l.scratch;
    }
    const Operand& o = l.in->operands[k];
    if (o.kind == Kind::immediate) return constant(l, 4, o.bits != 0 ? ~0u : 0u);
    return source(l, k, Type::b32) | (o.negated ? 1 : 0);
}

void plain_operands(Lowering& l, Type t) {
    const size_t count = l.in->operands.size();
    if (count == 0 || count > 6) {
        l.failed = true;
        return;
    }
    l.out.r[0] = destination(l, 0);
    for (size_t k = 1; k < count; ++k) l.out.r[k] = source(l, k, t);
}

Type type_of_register(const Lowering& l, const Operand& o) {
    const bool is_register = o.kind == Kind::reg && o.index >= 0;
    return is_register ? l.function.registers[static_cast<size_t>(o.index)].type : Type::none;
}
bool is_wide(const Lowering& l, const Operand& o) {
    const Type t = type_of_register(l, o);
    return t != Type::none && ptx::bytes_of(t) == 8;
}

std::vector<uint32_t> vector_slots(Lowering& l, const Operand& operand, Type t, bool destinations) {
    std::vector<uint32_t> slots;
    const auto add = [&](const Operand& o) {
        slots.push_back(destinations ? destination(l, o) : source(l, o, t));
        if (ptx::bytes_of(t) != 16) return;
        if (o.kind == Kind::reg && ptx::bytes_of(type_of_register(l, o)) != 16) l.failed = true;
        if (o.kind != Kind::reg && o.kind != Kind::sink) l.failed = true;
        slots.push_back(slots.back() + kPlane);
    };
    if (operand.kind != Kind::vector) add(operand);
    for (const Operand& element : operand.elements) add(element);
    return slots;
}

AddressOperand address(Lowering& l, size_t k, Space space) {
    AddressOperand result;
    if (k >= l.in->operands.size() || l.in->operands[k].kind != Kind::address) {
        l.failed = true;
        return result;
    }
    const Operand& o = l.in->operands[k];
    result.space = space;
    if (o.base_kind == Kind::reg) {
        Operand base = o;
        base.kind = Kind::reg;
        result.slot = source(l, base, Type::u64);
        result.wide = is_wide(l, base);
        result.displacement = o.offset;
        return result;
    }
    result.wide = true;
    if (o.base_kind == Kind::none) {
        result.slot = constant(l, 8, static_cast<uint64_t>(o.offset));
        return result;
    }
    const Placed* where = placed(l, o, o.base_kind);
    if (where == nullptr) {
        l.failed = true;
        result.space = Space::none;
        return result;
    }
    // A parameter whose address is taken lies in local memory.
    if (space == Space::generic || where->space == Space::local) result.space = where->space;
    result.slot = address_slot(l, *where, o.offset, true);
    return result;
}

}  // namespace wl::emulator
