// Functions are followed from the entry through calls, through addresses taken and through the initialisers
// of the variables that reachable code names; from calls by address to all whose address is taken.
#include "instrumentation/execution/reach.h"

#include <algorithm>

namespace wl::execution {
namespace {

using ptx::Module;
using ptx::Operand;
using Kind = Operand::Kind;

struct Reach {
    const Module& module;
    std::vector<int> functions;  // in the order met
    std::set<int> known_functions, known_variables;
};

void reach_function(Reach& r, int function) {
    const int aliased = r.module.functions[static_cast<size_t>(function)].alias_of;
    if (aliased >= 0) function = aliased;
    if (r.known_functions.insert(function).second) r.functions.push_back(function);
}

void reach_variable(Reach& r, int variable) {
    std::vector<int> open{variable};
    while (!open.empty()) {
        const int next = open.back();
        open.pop_back();
        if (!r.known_variables.insert(next).second) continue;
        for (const ptx::Initialiser& init : r.module.variables[static_cast<size_t>(next)].init) {
            if (init.address_of < 0) continue;
            if (init.is_function)
                reach_function(r, init.address_of);
            else
                open.push_back(init.address_of);
        }
    }
}

void reach_operand(Reach& r, const ptx::Function& from, const Operand& o) {
    const Kind kind = o.kind == Kind::address ? o.base_kind : o.kind;
    if (kind == Kind::function) reach_function(r, o.index);
    if (kind == Kind::symbol && !o.local) reach_variable(r, o.index);
    if (kind == Kind::call_targets) {
        for (const int32_t target : from.call_targets[static_cast<size_t>(o.index)])
            reach_function(r, target);
    }
    for (const Operand& element : o.elements) reach_operand(r, from, element);
}

bool is_direct(const ptx::Instruction& in, const Operand& o) {
    return in.op == ptx::Op::call && in.operands.size() > 1 && &o == &in.operands[1];
}

// A call by address that says nothing of where it goes.
bool calls_anything(const ptx::Function& f) {
    return std::any_of(f.code.begin(), f.code.end(), [](const ptx::Instruction& in) {
        if (in.op != ptx::Op::call || in.operands.size() < 2 || in.operands[1].kind == Kind::function)
            return false;
        return std::none_of(in.operands.begin(), in.operands.end(), [](const Operand& o) {
            return o.kind == Kind::call_targets;
        });
    });
}

// What another kernel of the module may have left in memory: every function whose address is taken anywhere.
void reach_addresses(Reach& r) {
    for (const ptx::Function& f : r.module.functions)
        for (const ptx::Instruction& in : f.code)
            for (const Operand& o : in.operands)
                if (o.kind == Kind::function && !is_direct(in, o)) reach_function(r, o.index);
    for (const ptx::Variable& v : r.module.variables)
        for (const ptx::Initialiser& init : v.init)
            if (init.address_of >= 0 && init.is_function) reach_function(r, init.address_of);
}

}  // namespace

// `functions` grows while it is walked.
std::vector<int> reachable_functions(const Module& module, int function) {
    Reach r{module, {}, {}, {}};
    reach_function(r, function);
    for (size_t i = 0; i < r.functions.size(); ++i) {
        const ptx::Function& f = module.functions[static_cast<size_t>(r.functions[i])];
        for (const ptx::Instruction& in : f.code)
            for (const Operand& o : in.operands) reach_operand(r, f, o);
        if (calls_anything(f)) reach_addresses(r);
    }
    return std::move(r.functions);
}

std::set<int> reachable_variables(const Module& module, std::span<const int> functions) {
    Reach r{module, {}, {}, {}};
    for (const int function : functions) {
        const ptx::Function& f = module.functions[static_cast<size_t>(function)];
        for (const ptx::Instruction& in : f.code)
            for (const Operand& o : in.operands) reach_operand(r, f, o);
    }
    return std::move(r.known_variables);
}

uint64_t static_shared_bytes(const Module& module, int function) {
    uint64_t bytes = 0;
    const auto add = [&bytes](const ptx::Variable& v) {
        if (v.space != ptx::Space::shared || v.is_extern) return;
        const uint64_t align = std::max(v.align, 1u);
        bytes = (bytes + align - 1) / align * align + v.bytes;
    };
    const std::vector<int> functions = reachable_functions(module, function);
    for (const int v : reachable_variables(module, functions)) add(module.variables[static_cast<size_t>(v)]);
    for (const int f : functions)
        for (const ptx::Variable& v : module.functions[static_cast<size_t>(f)].variables) add(v);
    return bytes;
}

}  // namespace wl::execution
