// Every function that a launch can reach is asked for what no executor takes.
#include "instrumentation/emulator/lower/check.h"

#include "instrumentation/base/error.h"
#include "instrumentation/emulator/lower/lower.h"

#include <algorithm>
#include <map>

namespace wl::emulator {
namespace {

using ptx::Module;
using ptx::Op;
using ptx::Operand;
using Kind = Operand::Kind;

const ptx::Function* call_target(const Module& module, const ptx::Instruction& in) {
    if (in.op != Op::call || in.operands.size() < 2 || in.operands[1].kind != Kind::function) return nullptr;
    return &module.functions[static_cast<size_t>(in.operands[1].index)];
}

// A variable of the module that another file would have to define; dynamic shared memory is not one.
const ptx::Variable* undefined_variable(const Module& module, const Operand& o) {
    const Kind kind = o.kind == Kind::address ? o.base_kind : o.kind;
    if (kind == Kind::symbol && !o.local) {
        const ptx::Variable& v = module.variables[static_cast<size_t>(o.index)];
        if (v.is_extern && v.space != ptx::Space::shared) return &v;
    }
    for (const Operand& element : o.elements)
        if (const ptx::Variable* v = undefined_variable(module, element)) return v;
    return nullptr;
}

// What the instruction names that another file defines; empty: nothing.
std::string missing_name(const Module& module, const ptx::Instruction& in) {
    if (in.op == Op::unsupported) return {};
    const ptx::Function* target = call_target(module, in);
    if (target != nullptr && target->is_declaration && target->alias_of < 0) return target->name;
    for (const Operand& o : in.operands)
        if (const ptx::Variable* v = undefined_variable(module, o)) return v->name;
    return {};
}

std::string reason(const ptx::Instruction& in, const std::string& missing) {
    if (in.op == Op::unsupported) {
        const std::string why = ptx::why_unsupported(in);
        const std::string prefix = in.mnemonic + ": ";
        return why.starts_with(prefix) ? why.substr(prefix.size()) : why;
    }
    if (!missing.empty())
        return (in.op == Op::call ? "" : "the variable ") + missing +
            " is declared here and defined in another file; link it in first";
    const std::string section = in.form != nullptr ? std::string(in.form->section) : std::string();
    return "the emulator has no executor for this form" +
        (section.empty() ? "" : " (PTX ISA 9.0, " + section + ")");
}

std::string spelling(const Module& module, const ptx::Instruction& in) {
    const ptx::Function* target = call_target(module, in);
    return target != nullptr ? in.mnemonic + " " + target->name : in.mnemonic;
}

// Single instructions; or, when its variables or registers find no room, the function as a whole.
std::vector<Refusal> refusals_in(const Module& module, int function) {
    const ptx::Function& f = module.functions[static_cast<size_t>(function)];
    std::vector<Refusal> found;
    if (f.is_declaration) return found;
    try {
        for (const uint32_t site : refused_sites(module, f)) {
            const ptx::Instruction& in = f.code[site];
            const std::string missing = missing_name(module, in);
            found.push_back(
                {spelling(module, in), reason(in, missing), missing, function, in.text_line, in.location}
            );
        }
    } catch (const Unsupported& e) {
        const uint32_t line = f.code.empty() ? 0 : f.code.front().text_line;
        found.push_back(
            {f.name,
             std::string(e.what()).substr(std::string("unsupported: ").size()),
             {},
             function,
             line,
             -1}
        );
    }
    return found;
}

}  // namespace

bool only_unlinked(const EntryCheck& entry) {
    return !entry.refused.empty() &&
        std::none_of(entry.refused.begin(), entry.refused.end(), [](const Refusal& r) {
            return r.missing.empty();
        });
}

std::vector<EntryCheck> check_entries(const Module& module) {
    std::map<int, std::vector<Refusal>> refused;  // by function: many entries may call one
    const auto refusals_of = [&](int function) -> const std::vector<Refusal>& {
        const auto [entry, is_new] = refused.try_emplace(function);
        if (is_new) entry->second = refusals_in(module, function);
        return entry->second;
    };
    const auto is_entry = [](const ptx::Function& f) { return f.is_entry && !f.is_declaration; };
    const bool library = std::none_of(module.functions.begin(), module.functions.end(), is_entry);
    std::vector<EntryCheck> all;
    for (size_t k = 0; k < module.functions.size(); ++k) {
        const ptx::Function& f = module.functions[k];
        if (f.is_declaration || (!f.is_entry && !library)) continue;
        EntryCheck& entry = all.emplace_back();
        entry.function = static_cast<int>(k);
        entry.functions = reachable_functions(module, entry.function);
        for (const int function : entry.functions) {
            entry.instructions += module.functions[static_cast<size_t>(function)].code.size();
            const std::vector<Refusal>& more = refusals_of(function);
            entry.refused.insert(entry.refused.end(), more.begin(), more.end());
        }
    }
    return all;
}

}  // namespace wl::emulator
