// Registers by the names of variables.
#include "instrumentation/diagnosis/search/at_hand.h"

#include "instrumentation/ptx/table/special_register.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

// Of a variable that lies in one register there; -1: it does not.
int32_t register_of(const variables::Variable& v, int32_t instruction) {
    const variables::Range* range = variables::place_at(v, instruction);
    return range != nullptr && range->places.size() == 1 ? range->places.front().reg : -1;
}

// "tid.y" as CUDA C++ calls it; empty: it has no name there.
std::string cuda_name(const ptx::Operand& special) {
    const std::string name(ptx::name_of(static_cast<ptx::SpecialRegister>(special.index)));
    const size_t dot = name.find('.');
    if (dot == name.npos) return name == "warpsz" ? "warpSize" : "";
    const std::string base = name.substr(0, dot), axis = name.substr(dot);
    return base == "tid"   ? "threadIdx" + axis
        : base == "ntid"   ? "blockDim" + axis
        : base == "ctaid"  ? "blockIdx" + axis
        : base == "nctaid" ? "gridDim" + axis
                           : "";
}

}  // namespace

std::vector<Named> at_hand(
    const ptx::Module& module, const variables::Variables& variables, const ptx::Place& place, ptx::Type type
) {
    std::vector<Named> out;
    const ptx::Function& f = module.functions[place.function];
    const auto at = static_cast<int32_t>(place.at);
    for (const variables::Variable* v : variables::visible(variables, static_cast<int>(place.function), at)) {
        const int32_t reg = register_of(*v, at);
        if (reg < 0 || f.registers[static_cast<size_t>(reg)].type != type) continue;
        const bool known = std::any_of(out.begin(), out.end(), [&](const Named& n) {
            return n.reg == reg || n.name == v->name;
        });
        if (!known) out.push_back({reg, v->name});
    }
    return out;
}

std::vector<Parameter> number_parameters(
    const ptx::Module& module, const variables::Variables& variables, size_t function
) {
    std::vector<Parameter> out;
    const ptx::Function& f = module.functions[function];
    size_t next = 0;
    for (const variables::Variable& v : variables.all) {
        if (!f.is_entry || !v.is_parameter || v.function != static_cast<int>(function) || !v.inlined.empty())
            continue;
        if (next == f.params.size()) break;
        const ptx::Variable& p = f.params[next++];
        if (p.bytes == 4 && ptx::bytes_of(p.type) == 4) out.push_back({v.name, p.name, p.type});
    }
    return out;
}

std::vector<Assigned> assigned_at(
    const ptx::Module& module, const variables::Variables& variables, const ptx::Place& place, int32_t reg
) {
    std::vector<Assigned> out;
    const auto at = static_cast<int32_t>(place.at);
    const ptx::Type type = module.functions[place.function].registers[static_cast<size_t>(reg)].type;
    for (const variables::Variable& v : variables.all) {
        if (v.function != static_cast<int>(place.function) || register_of(v, at + 1) != reg) continue;
        const int32_t before = register_of(v, at);
        const bool same = before >= 0 && before != reg &&
            module.functions[place.function].registers[static_cast<size_t>(before)].type == type;
        out.push_back({v.name, same ? before : -1});
    }
    return out;
}

std::string number_text(const ptx::Operand& immediate, ptx::Type type) {
    if (!immediate.floating) return fmt::format("{}", static_cast<int64_t>(immediate.bits));
    if (type == ptx::Type::f64 || immediate.wide)
        return fmt::format("{:g}", std::bit_cast<double>(ptx::value_of(immediate, ptx::Type::f64)));
    return fmt::format(
        "{:g}", std::bit_cast<float>(static_cast<uint32_t>(ptx::value_of(immediate, ptx::Type::f32)))
    );
}

std::string operand_text(
    const ptx::Module& module,
    const variables::Variables& variables,
    const ptx::Place& place,
    const ptx::Operand& operand
) {
    using Kind = ptx::Operand::Kind;
    const ptx::Function& f = module.functions[place.function];
    if (operand.kind == Kind::immediate)
        return number_text(operand, operand.wide ? ptx::Type::f64 : ptx::Type::f32);
    if (operand.kind == Kind::special)
        if (std::string name = cuda_name(operand); !name.empty()) return name;
    if (operand.kind == Kind::reg)
        for (const variables::Variable* v :
             variables::visible(variables, static_cast<int>(place.function), static_cast<int32_t>(place.at)))
            if (register_of(*v, static_cast<int32_t>(place.at)) == operand.index) return v->name;
    return ptx::print(module, f, operand);
}

}  // namespace wl::diagnosis
