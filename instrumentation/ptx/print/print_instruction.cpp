// One instruction as text.
#include "instrumentation/ptx/parse/lexer.h"
#include "instrumentation/ptx/print/listing.h"
#include "instrumentation/ptx/print/printer.h"
#include "instrumentation/ptx/table/names.h"

#include <array>
#include <cassert>
#include <cstdio>
#include <set>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

std::string print_operand(const Printer& p, const Operand& o);

std::string print_list(
    const Printer& p, const std::vector<Operand>& elements, std::string_view open, std::string_view close
) {
    std::string text(open);
    for (size_t i = 0; i < elements.size(); ++i) text += (i == 0 ? "" : ", ") + print_operand(p, elements[i]);
    return text + std::string(close);
}

std::string print_immediate(const Operand& o) {
    if (!o.floating) return std::to_string(static_cast<int64_t>(o.bits));
    std::array<char, 24> text{};
    if (o.wide)
        std::snprintf(text.data(), text.size(), "0d%016llX", static_cast<unsigned long long>(o.bits));
    else
        std::snprintf(
            text.data(), text.size(), "0f%08llX", static_cast<unsigned long long>(o.bits & 0xffffffff)
        );
    return text.data();
}

const std::string& name_of_base(const Printer& p, Kind kind, const Operand& o) {
    switch (kind) {
        case Kind::reg: return p.function.registers.at(o.index).name;
        case Kind::param: return p.function.params.at(o.index).name;
        case Kind::result: return p.function.results.at(o.index).name;
        case Kind::function: return p.module.functions.at(o.index).name;
        default: return (o.local ? p.function.variables : p.module.variables).at(o.index).name;
    }
}

std::string print_offset(int64_t offset) { return offset == 0 ? "" : "+" + std::to_string(offset); }

std::string print_address(const Printer& p, const Operand& o) {
    std::string text = "[";
    if (o.base_kind == Kind::none)
        text += std::to_string(o.offset);
    else
        text += name_of_base(p, o.base_kind, o) + print_offset(o.offset);
    for (const Operand& element : o.elements) text += ", " + print_operand(p, element);
    return text + "]";
}

std::string print_register(const Printer& p, const Operand& o) {
    const Register& reg = p.function.registers.at(o.index);
    const std::string sign = !o.negated ? "" : reg.type == Type::pred ? "!" : "-";
    return sign + reg.name + (o.selector == 0 ? "" : "." + selector_name(o.selector)) +
        print_offset(o.offset);
}

std::string print_operand(const Printer& p, const Operand& o) {
    switch (o.kind) {
        case Kind::none: return "";
        case Kind::reg: return print_register(p, o);
        case Kind::immediate: return print_immediate(o);
        case Kind::address: return print_address(p, o);
        case Kind::symbol: return name_of_base(p, o.kind, o) + print_offset(o.offset);
        case Kind::param:
        case Kind::result:
        case Kind::function: return name_of_base(p, o.kind, o);
        case Kind::label: return std::string(p.labels.at(o.index).front());
        case Kind::special:
            return (o.negated ? "-" : "") + special_name({static_cast<SpecialRegister>(o.index), o.offset});
        case Kind::vector: return print_list(p, o.elements, "{", "}");
        case Kind::sink: return "_";
        case Kind::branch_targets: return p.branch_targets.at(o.index);
        case Kind::call_targets: return p.call_targets.at(o.index);
        case Kind::prototype: return p.function.prototypes.at(o.index).name;
    }
    return "";
}

// call (results), target, (arguments), prototype
std::string print_call(const Printer& p, const std::vector<Operand>& operands) {
    std::string text;
    if (!operands.at(0).elements.empty()) text = print_list(p, operands[0].elements, "(", "), ");
    text += print_operand(p, operands.at(1));
    const bool indirect = operands.size() > 3;
    if (indirect || !operands.at(2).elements.empty())
        text += print_list(p, operands.at(2).elements, ", (", ")");
    if (indirect) text += ", " + print_operand(p, operands[3]);
    return text;
}

std::string print_mark(const Printer& p, const Instruction& i) {
    const Mark& mark = p.function.marks.at(i.mark);
    std::string text = i.mnemonic + " " + escape(mark.name);
    if (mark.kind != Mark::Kind::stage) text += " " + std::to_string(static_cast<int>(mark.dtype));
    for (const Operand& o : i.operands) text += " " + print_operand(p, o);
    if (mark.kind == Mark::Kind::layout)
        text += " " + (mark.layout.empty() ? std::to_string(mark.order) : escape(mark.layout));
    return text;
}

// A name for each list that is no other name of the function or the module.
std::vector<std::string> name_lists(
    const Module& module, const Function& f, std::string_view stem, size_t count
) {
    if (count == 0) return {};
    std::set<std::string_view> taken;
    for (const Register& r : f.registers) taken.insert(r.name);
    for (const std::vector<Variable>* variables : {&f.variables, &f.params, &f.results, &module.variables})
        for (const Variable& v : *variables) taken.insert(v.name);
    for (const Function& other : module.functions) taken.insert(other.name);
    for (const Prototype& prototype : f.prototypes) taken.insert(prototype.name);
    for (const auto& [name, place] : f.labels) taken.insert(name);
    std::vector<std::string> names;
    for (size_t number = 0; names.size() < count; ++number) {
        std::string name = std::string(stem) + std::to_string(number);
        if (taken.count(name) == 0) names.push_back(std::move(name));
    }
    return names;
}

}  // namespace

Printer make_printer(const Module& module, const Function& function) {
    Printer p{module, function, {}, {}, {}, nullptr};
    for (const auto& [name, place] : function.labels) p.labels[place].push_back(name);
    p.branch_targets = name_lists(module, function, "$branch_targets", function.branch_targets.size());
    p.call_targets = name_lists(module, function, "$call_targets", function.call_targets.size());
    return p;
}

std::string print_instruction(const Printer& p, const Instruction& i) {
    if (i.op == Op::mark) return print_mark(p, i);
    std::string text;
    if (i.guard.reg >= 0)
        text = (i.guard.negated ? "@!" : "@") + p.function.registers.at(i.guard.reg).name + " ";
    text += i.mnemonic;
    const bool is_call = i.mnemonic == "call" || i.mnemonic.starts_with("call.");
    if (is_call) return text + " " + print_call(p, i.operands) + ";";
    for (size_t o = 0; o < i.operands.size(); ++o)
        text += (o == 0 ? " " : o == 1 && i.modifiers.pair ? "|" : ", ") + print_operand(p, i.operands[o]);
    return text + ";";
}

std::vector<std::string> list_code(const Module& module, const Function& function) {
    const Printer p = make_printer(module, function);
    std::vector<std::string> lines;
    lines.reserve(function.code.size());
    for (const Instruction& i : function.code) lines.push_back(print_instruction(p, i));
    return lines;
}

std::string print(const Module& module, const Function& function, const Operand& operand) {
    return print_operand(make_printer(module, function), operand);
}

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
    return print_instruction(make_printer(module, function), instruction);
}

}  // namespace wl::ptx
