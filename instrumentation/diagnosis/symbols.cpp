// A variable's initial bytes are part of the module, so a symbol is filled before anything is lowered.
#include "instrumentation/diagnosis/symbols.h"

#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

// By its name in the PTX or in C++.
ptx::Variable* find_variable(ptx::Module& module, const std::string& name) {
    for (ptx::Variable& v : module.variables)
        if (v.name == name || demangle(v.name) == name) return &v;
    return nullptr;
}

std::vector<std::byte> bytes_of(const manifest::BoundArgument& symbol) {
    std::vector<std::byte> bytes = symbol.data.bytes;
    for (const manifest::BoundArgument& field : symbol.fields)  // of a vector, without gaps
        bytes.insert(bytes.end(), field.data.bytes.begin(), field.data.bytes.end());
    return bytes;
}

}  // namespace

void fill_symbols(const manifest::Problem& problem, ptx::Module& module, const std::string& scope) {
    for (const manifest::BoundArgument& symbol : problem.symbols) {
        const std::string where = manifest::place(problem.kernel, "symbol." + symbol.name);
        ptx::Variable* variable = find_variable(module, scope + symbol.name);
        if (!variable) {
            std::vector<std::string> there;
            for (const ptx::Variable& v : module.variables)
                if (v.space == ptx::Space::global || v.space == ptx::Space::constant)
                    there.push_back(demangle(v.name));
            throw Error(fmt::format(
                "{}: the compiled kernel has no variable of this name (a compiler drops those that nothing "
                "reads); "
                "it has {}.",
                where,
                there.empty() ? "none" : join(there, ", ")
            ));
        }
        const std::vector<std::byte> bytes = bytes_of(symbol);
        if (bytes.size() != variable->bytes)
            throw Error(fmt::format(
                "{} is {} bytes, and the variable of the source {}.", where, bytes.size(), variable->bytes
            ));
        variable->init = {ptx::Initialiser{.bytes = bytes}};
    }
}

}  // namespace wl::diagnosis
