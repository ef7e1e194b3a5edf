// A whole module as text that parses to the same module.
#include "instrumentation/ptx/parse/debug_strings.h"
#include "instrumentation/ptx/parse/lexer.h"
#include "instrumentation/ptx/print/printer.h"

#include <algorithm>
#include <iterator>

namespace wl::ptx {
namespace {

std::string print_dimensions(std::string_view word, const uint32_t (&d)[3]) {
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) return "";
    return "\n" + std::string(word) + " " + std::to_string(d[0]) + ", " + std::to_string(d[1]) + ", " +
        std::to_string(d[2]);
}

std::string print_place(const Location& l) {
    return std::to_string(l.file + 1) + " " + std::to_string(l.line) + " " + std::to_string(l.column);
}

// The whole chain, outermost first: inlined_at names the latest line of its place.
std::string print_location(const Printer& p, int32_t location) {
    std::vector<int32_t> chain;
    for (int32_t i = location; i >= 0; i = p.module.locations.at(i).inlined_at) chain.push_back(i);
    std::reverse(chain.begin(), chain.end());
    std::string text;
    for (int32_t i : chain) {
        const Location& l = p.module.locations[i];
        text += "\t.loc\t" + print_place(l);
        if (l.function >= 0) text += ", function_name " + p.string_labels->at(l.function);
        if (l.inlined_at >= 0) text += ", inlined_at " + print_place(p.module.locations[l.inlined_at]);
        text += '\n';
    }
    return text;
}

std::string print_registers(const Function& f) {
    constexpr size_t kPerLine = 8;
    const auto is_parameter = [&f](const Register& r) {
        const auto same = [&r](const Variable& v) { return v.is_register && v.name == r.name; };
        return std::any_of(f.params.begin(), f.params.end(), same) ||
            std::any_of(f.results.begin(), f.results.end(), same);
    };
    std::vector<Register> registers;
    std::remove_copy_if(f.registers.begin(), f.registers.end(), std::back_inserter(registers), is_parameter);
    std::string text;
    for (size_t i = 0; i < registers.size();) {
        const Type type = registers[i].type;
        text += "\t.reg ." + std::string(name_of(type));
        const size_t begin = i;
        for (; i < registers.size() && registers[i].type == type && i - begin < kPerLine; ++i)
            text += (i == begin ? " " : ", ") + registers[i].name;
        text += ";\n";
    }
    return text;
}

std::string print_lists(const Printer& p) {
    const Function& f = p.function;
    std::string text;
    for (size_t i = 0; i < f.branch_targets.size(); ++i) {
        text += p.branch_targets[i] + ": .branchtargets";
        for (size_t t = 0; t < f.branch_targets[i].size(); ++t)
            text += (t == 0 ? " " : ", ") + std::string(p.labels.at(f.branch_targets[i][t]).front());
        text += ";\n";
    }
    for (size_t i = 0; i < f.call_targets.size(); ++i) {
        text += p.call_targets[i] + ": .calltargets";
        for (size_t t = 0; t < f.call_targets[i].size(); ++t)
            text += (t == 0 ? " " : ", ") + p.module.functions.at(f.call_targets[i][t]).name;
        text += ";\n";
    }
    for (const Prototype& prototype : f.prototypes) {
        text += prototype.name + ": .callprototype ";
        if (!prototype.results.empty()) text += print_parameters(prototype.results) + " ";
        text += "_ " + print_parameters(prototype.params) + (prototype.noreturn ? " .noreturn;\n" : ";\n");
    }
    return text;
}

std::string print_labels(const Printer& p, int32_t place) {
    const auto labels = p.labels.find(place);
    std::string text;
    if (labels != p.labels.end())
        for (std::string_view name : labels->second) text += std::string(name) + ":\n";
    return text;
}

std::string print_header(const Module& m) {
    std::string text = ".version " + m.version + "\n.target " + m.target;
    for (const std::string& option : m.target_options) text += ", " + option;
    text += "\n.address_size " + std::to_string(m.address_size) + "\n";
    for (const std::string& pragma : m.pragmas) text += ".pragma " + escape(pragma) + ";\n";
    for (size_t i = 0; i < m.files.size(); ++i)
        text += ".file " + std::to_string(i + 1) + " " + escape(m.files[i]) + "\n";
    return text;
}

}  // namespace

std::string print_signature(const Function& f) {
    std::string text = f.linkage.empty() ? "" : f.linkage + " ";
    text += f.is_entry ? ".entry " : ".func ";
    for (const std::string& attribute : f.attributes) text += attribute + " ";
    if (!f.results.empty()) text += print_parameters(f.results) + " ";
    text += f.name + print_parameters(f.params);
    return text + (f.noreturn ? "\n.noreturn" : "");
}

std::string print_directives(const Function& f) {
    std::string text =
        print_dimensions(".maxntid", f.max_threads) + print_dimensions(".reqntid", f.required_threads);
    for (const std::string& directive : f.directives) text += "\n" + directive;
    return text;
}

std::string print_body(const Printer& p) {
    const Function& f = p.function;
    std::string text = "{\n";
    for (const std::string& pragma : f.pragmas) text += "\t.pragma " + escape(pragma) + ";\n";
    text += print_registers(f);
    for (const Variable& v : f.variables) text += "\t" + print_variable(p.module, v);
    text += print_lists(p);
    int32_t location = -1;
    for (size_t i = 0; i < f.code.size(); ++i) {
        text += print_labels(p, static_cast<int32_t>(i));
        if (f.code[i].location != location) text += print_location(p, f.code[i].location);
        location = f.code[i].location;
        text += "\t" + print_instruction(p, f.code[i]) + "\n";
    }
    return text + print_labels(p, static_cast<int32_t>(f.code.size())) + "}\n";
}

std::string print(const Module& m) {
    std::string text = print_header(m);
    const std::vector<std::string> string_labels = labels_of(read_debug_strings(m), m.function_names);
    const bool one_definition = m.functions.size() == 1 && !m.functions[0].is_declaration;
    if (!one_definition)
        for (const Function& f : m.functions)
            text += print_signature(f) + (f.is_declaration ? print_directives(f) : "") + ";\n";
    for (const Variable& v : m.variables) text += print_variable(m, v);
    for (const Function& f : m.functions) {
        if (f.is_declaration) continue;
        Printer p = make_printer(m, f);
        p.string_labels = &string_labels;
        text += print_signature(f) + print_directives(f) + "\n" + print_body(p);
    }
    for (const Function& f : m.functions)
        if (f.alias_of >= 0) text += ".alias " + f.name + ", " + m.functions.at(f.alias_of).name + ";\n";
    for (const auto& [name, section] : m.sections)
        text.append(".section ").append(name).append(" {").append(section).append("\n}\n");
    return text;
}

}  // namespace wl::ptx
