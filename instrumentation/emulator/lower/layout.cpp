// Places of variables: windows of shared, local, constant and parameter memory, and what their initial values
// point to.
#include "instrumentation/base/error.h"
#include "instrumentation/emulator/device.h"
#include "instrumentation/emulator/lower/check.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/program/lowering.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Space;
using ptx::Variable;

// All variables of one memory together, so that no text makes the emulator ask for gigabytes. Shared and
// constant memory: far above any GPU. Local memory, of one function and one thread: 8 times a GPU's.
// Registers of one function and one warp: those of 250,000 names. Globals: a launch holds them beside its
// arguments.
constexpr uint64_t kMostShared = uint64_t{1} << 20, kMostConstant = uint64_t{1} << 24,
                   kMostLocal = uint64_t{1} << 22, kMostParams = uint64_t{1} << 16,
                   kMostRegisters = uint64_t{1} << 26, kMostGlobal = uint64_t{1} << 30;

void require_room(const char* what, uint64_t bytes, uint64_t most) {
    if (bytes > most)
        throw Unsupported(fmt::format("unsupported: {} bytes of {}; the emulator holds {}", bytes, what, most)
        );
}

uint64_t align_up(uint64_t x, uint64_t align) { return (x + align - 1) / align * align; }

// Offsets of one space's variables, one after the other; what has no extent (dynamic shared memory) comes
// last. `only`: the indices that get a place; nullptr: all.
uint64_t place(
    const std::vector<Variable>& variables,
    Space space,
    uint64_t from,
    std::vector<Placed>& out,
    const std::set<int>* only = nullptr
) {
    uint64_t end = from;
    for (size_t k = 0; k < variables.size(); ++k) {
        const Variable& v = variables[k];
        if (v.space != space || v.bytes == 0) continue;
        if (only != nullptr && !only->contains(static_cast<int>(k))) continue;
        const uint64_t offset = align_up(end, std::max<uint64_t>(v.align, 1));
        out[k] = {space, offset, -1};
        end = offset + v.bytes;
    }
    if (space == Space::shared) require_room("shared memory", end, kMostShared);
    if (space == Space::constant) require_room("constant memory", end, kMostConstant);
    if (space == Space::local) require_room("local memory", end, kMostLocal);
    return end;
}
void place_dynamic(const std::vector<Variable>& variables, uint64_t end, std::vector<Placed>& out) {
    for (size_t k = 0; k < variables.size(); ++k)
        if (variables[k].space == Space::shared && variables[k].bytes == 0) out[k] = {Space::shared, end, -1};
}

StoredAddress stored_address(
    const ptx::Module& module, const Linking& linking, const ptx::Initialiser& init, uint64_t offset
) {
    StoredAddress stored;
    stored.offset = offset + init.offset;
    stored.value = static_cast<uint64_t>(init.addend);
    stored.width = init.width;
    stored.shift = init.shift;
    if (init.is_function) {
        const int aliased = module.functions[static_cast<size_t>(init.address_of)].alias_of;
        stored.value += function_address(aliased >= 0 ? aliased : init.address_of);
        return stored;
    }
    const Placed& where = linking.module_variables[static_cast<size_t>(init.address_of)];
    stored.global = where.global;
    stored.value += where.offset;
    if (init.generic && where.space == Space::constant) stored.value += kConstantBase;
    if (init.generic && where.space == Space::shared) stored.value += kSharedBase;
    return stored;
}

void fill_constant(const ptx::Module& module, const Linking& linking, size_t variable, Program& program) {
    const uint64_t offset = linking.module_variables[variable].offset;
    for (const auto& init : module.variables[variable].init) {
        if (init.address_of >= 0) {
            program.constant_addresses.push_back(stored_address(module, linking, init, offset));
            continue;
        }
        const size_t at = offset + init.offset;
        if (at + init.bytes.size() <= program.constant_bank.size())
            std::copy(
                init.bytes.begin(),
                init.bytes.end(),
                program.constant_bank.begin() + static_cast<std::ptrdiff_t>(at)
            );
    }
}

void fill_variables(const ptx::Module& module, const Linking& linking, Program& program) {
    for (size_t k = 0; k < module.variables.size(); ++k) {
        const Variable& v = module.variables[k];
        const Placed& where = linking.module_variables[k];
        if (where.space == Space::constant) fill_constant(module, linking, k, program);
        if (where.space != Space::global) continue;
        GlobalVariable& global = program.globals[static_cast<size_t>(where.global)];
        for (const auto& init : v.init)
            if (init.address_of >= 0) global.addresses.push_back(stored_address(module, linking, init, 0));
    }
}

// Functions whose body takes the address of a parameter have it in local memory.
void note_addresses(const ptx::Operand& o, std::vector<char>& params, std::vector<char>& results) {
    if (o.kind == ptx::Operand::Kind::param) params[static_cast<size_t>(o.index)] = 1;
    if (o.kind == ptx::Operand::Kind::result) results[static_cast<size_t>(o.index)] = 1;
}

// Rows of the register file behind what is there, or local memory behind `local`.
struct Rooms {
    RegisterFile& file;
    uint64_t local = 0;
};

ParamPlace place_param(const Variable& v, bool in_local, Rooms& rooms, Placed& placed) {
    ParamPlace place;
    place.bytes = static_cast<uint32_t>(v.bytes);
    if (in_local) {
        place.in = ParamPlace::In::local;
        rooms.local = align_up(rooms.local, std::max<uint64_t>(v.align, 1));
        place.at = static_cast<uint32_t>(rooms.local);
        rooms.local += v.bytes;
        placed = {Space::local, place.at, -1};
        require_room("local memory", rooms.local, kMostLocal);
    } else {
        place.in = ParamPlace::In::rows;
        place.at = rooms.file.bytes;
        rooms.file.bytes += static_cast<uint32_t>((v.bytes + 3) / 4 * kRow);
        placed = {Space::param, place.at, -1, true};
        require_room("parameters and registers of a warp", rooms.file.bytes, kMostRegisters);
    }
    return place;
}

// A parameter in .reg space is the register of its name.
ParamPlace in_register(const Lowering& l, const Variable& v) {
    const auto& registers = l.function.registers;
    const auto found = std::find_if(registers.begin(), registers.end(), [&](const ptx::Register& r) {
        return r.name == v.name;
    });
    if (found == registers.end()) return {};
    const uint32_t slot = l.register_slots[static_cast<size_t>(found - registers.begin())];
    const auto bytes = static_cast<uint32_t>(v.bytes);
    return {bytes == 8 ? ParamPlace::In::wide : ParamPlace::In::cell, slot, bytes};
}

void place_entry_params(Lowering& l) {
    uint64_t params = 0;
    for (size_t k = 0; k < l.function.params.size(); ++k) {
        const auto& p = l.function.params[k];
        params = align_up(params, std::max<uint64_t>(p.align, 1));
        l.params[k] = {Space::param, params, -1};
        params += p.bytes;
    }
    require_room("kernel parameters", params, kMostParams);
    l.program.param_bytes = static_cast<uint32_t>(params);
}

void place_params(Lowering& l, Rooms& rooms) {
    std::vector<char> params(l.function.params.size(), 0), results(l.function.results.size(), 0);
    for (const auto& in : l.function.code) {
        if (in.op == ptx::Op::call) continue;
        for (const auto& o : in.operands) note_addresses(o, params, results);
    }
    for (size_t k = 0; k < params.size(); ++k) {
        const Variable& v = l.function.params[k];
        l.self.params.push_back(
            v.is_register ? in_register(l, v) : place_param(v, params[k] != 0, rooms, l.params[k])
        );
    }
    for (size_t k = 0; k < results.size(); ++k) {
        const Variable& v = l.function.results[k];
        l.self.results.push_back(
            v.is_register ? in_register(l, v) : place_param(v, results[k] != 0, rooms, l.results[k])
        );
    }
}

// Do the functions use what the system reserves at the beginning of a block's shared memory, as the tiles of
// cooperative groups do that span several warps? It is part of the block's window then.
bool names_reserved_shared(const ptx::Module& module, const std::vector<int>& functions) {
    const auto names_it = [](const ptx::Operand& o) {
        return o.kind == ptx::Operand::Kind::special &&
            o.index == static_cast<int32_t>(ptx::SpecialRegister::reserved_smem_offset);
    };
    return std::any_of(functions.begin(), functions.end(), [&](int f) {
        const auto& code = module.functions[static_cast<size_t>(f)].code;
        return std::any_of(code.begin(), code.end(), [&](const ptx::Instruction& in) {
            return std::any_of(in.operands.begin(), in.operands.end(), names_it);
        });
    });
}

void note_shared(
    const std::vector<Variable>& variables, const std::vector<Placed>& places, Program& program
) {
    for (size_t k = 0; k < variables.size(); ++k)
        if (places[k].space == Space::shared && variables[k].bytes != 0)
            program.shared_variables.push_back(
                {variables[k].name, static_cast<uint32_t>(places[k].offset), variables[k].bytes}
            );
}

}  // namespace

void place_module_variables(const ptx::Module& module, Linking& linking, Program& program) {
    linking.module_variables.resize(module.variables.size());
    // Compilers declare every kernel's shared variables here: a block has those of its own kernel.
    std::vector<int> functions;
    for (const auto& [function, index] : linking.functions) functions.push_back(function);
    const std::set<int> named = reachable_variables(module, functions);
    const uint64_t reserved = names_reserved_shared(module, functions) ? kSharedReserved : 0;
    linking.shared = place(module.variables, Space::shared, reserved, linking.module_variables, &named);
    if (reserved != 0) program.shared_variables.push_back({kReservedVariable, 0, kSharedReserved});
    note_shared(module.variables, linking.module_variables, program);
    program.constant_bank.resize(place(module.variables, Space::constant, 0, linking.module_variables));
    uint64_t global = 0;
    for (size_t k = 0; k < module.variables.size(); ++k) {
        const Variable& v = module.variables[k];
        if (v.space != Space::global) continue;
        require_room("global variables", global += v.bytes, kMostGlobal);
        linking.module_variables[k] = {Space::global, 0, static_cast<int>(program.globals.size())};
        const bool opaque = v.type == ptx::Type::texref || v.type == ptx::Type::surfref;
        program.globals.push_back({v.name, v.bytes, v.init, {}, opaque});
    }
    fill_variables(module, linking, program);
}

void place_shared(Lowering& l) {
    l.function_variables.resize(l.function.variables.size());
    l.linking.shared = place(l.function.variables, Space::shared, l.linking.shared, l.function_variables);
    note_shared(l.function.variables, l.function_variables, l.program);
}

void place_dynamic_shared(const ptx::Module& module, Linking& linking, Program& program) {
    constexpr uint64_t kDynamicAlign = 16;
    linking.dynamic = align_up(linking.shared, kDynamicAlign);
    place_dynamic(module.variables, linking.dynamic, linking.module_variables);
    program.static_shared = static_cast<uint32_t>(linking.shared == 0 ? 0 : linking.dynamic);
}

void place_function_variables(Lowering& l) {
    place_dynamic(l.function.variables, l.linking.dynamic, l.function_variables);
    l.params.resize(l.function.params.size());
    l.results.resize(l.function.results.size());
    require_room("registers of a warp", l.self.file.bytes, kMostRegisters);
    Rooms rooms{l.self.file};
    rooms.local = place(l.function.variables, Space::local, 0, l.function_variables);
    if (l.function.is_entry)
        place_entry_params(l);
    else
        place_params(l, rooms);
    for (size_t k = 0; k < l.function.variables.size(); ++k) {
        const Variable& v = l.function.variables[k];
        if (v.space == Space::local) l.self.local_align = std::max(l.self.local_align, v.align);
        if (v.space == Space::param) place_param(v, false, rooms, l.function_variables[k]);
    }
    l.self.local_bytes = static_cast<uint32_t>(align_up(rooms.local, 16));
    l.program.static_stack += l.self.local_bytes + l.self.local_align + 16;
}

}  // namespace wl::emulator
