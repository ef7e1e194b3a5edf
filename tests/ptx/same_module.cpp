// Field by field.
#include "tests/ptx/same_module.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::ptx {
namespace {

bool same_location(const Module& a, int32_t i, const Module& b, int32_t k) {
    while (i >= 0 && k >= 0) {
        const Location& x = a.locations.at(i);
        const Location& y = b.locations.at(k);
        if (x.file != y.file || x.line != y.line || x.column != y.column) return false;
        if ((x.function < 0) != (y.function < 0)) return false;
        if (x.function >= 0 && a.function_names.at(x.function) != b.function_names.at(y.function))
            return false;
        i = x.inlined_at, k = y.inlined_at;
    }
    return i < 0 && k < 0;
}

std::string difference(const Module& a, const Instruction& x, const Module& b, const Instruction& y) {
    if (x.mnemonic != y.mnemonic) return x.mnemonic + " and " + y.mnemonic;
    if (x.op != y.op || x.form != y.form) return x.mnemonic + ": rows of the table";
    if (x.types != y.types || !(x.modifiers == y.modifiers)) return x.mnemonic + ": types or modifiers";
    if (!(x.guard == y.guard)) return x.mnemonic + ": guards";
    if (!(x.operands == y.operands)) return x.mnemonic + ": operands";
    if (x.mark != y.mark) return x.mnemonic + ": marks";
    if (!same_location(a, x.location, b, y.location)) return x.mnemonic + ": lines";
    return {};
}

std::string difference(const Module& a, const Function& x, const Module& b, const Function& y) {
    if (x.name != y.name || x.linkage != y.linkage || x.alias_of != y.alias_of) return "names";
    if (x.is_entry != y.is_entry || x.is_declaration != y.is_declaration || x.noreturn != y.noreturn)
        return "kinds";
    if (!(x.params == y.params && x.results == y.results)) return "parameters";
    if (!(x.registers == y.registers))
        return fmt::format("registers, {} and {}", x.registers.size(), y.registers.size());
    if (!(x.variables == y.variables && x.prototypes == y.prototypes)) return "variables or prototypes";
    if (x.labels != y.labels) return "labels";
    if (x.branch_targets != y.branch_targets || x.call_targets != y.call_targets) return "lists of targets";
    if (!(x.marks == y.marks)) return "marks";
    if (!std::equal(x.max_threads, x.max_threads + 3, y.max_threads)) return ".maxntid";
    if (!std::equal(x.required_threads, x.required_threads + 3, y.required_threads)) return ".reqntid";
    if (x.attributes != y.attributes || x.directives != y.directives || x.pragmas != y.pragmas)
        return "directives";
    if (x.code.size() != y.code.size()) return "how many instructions";
    for (size_t i = 0; i < x.code.size(); ++i)
        if (std::string what = difference(a, x.code[i], b, y.code[i]); !what.empty())
            return fmt::format("instruction {}: {}", i, what);
    return {};
}

}  // namespace

std::string difference(const Module& a, const Module& b) {
    if (a.version != b.version || a.target != b.target || a.target_options != b.target_options)
        return "header";
    if (a.address_size != b.address_size || a.files != b.files || a.pragmas != b.pragmas) return "header";
    if (!(a.variables == b.variables)) return "variables";
    if (a.sections != b.sections) return "sections";
    if (a.functions.size() != b.functions.size()) return "how many functions";
    for (size_t f = 0; f < a.functions.size(); ++f)
        if (std::string what = difference(a, a.functions[f], b, b.functions[f]); !what.empty())
            return a.functions[f].name + ": " + what;
    return {};
}

}  // namespace wl::ptx
