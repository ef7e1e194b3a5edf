// What the printer's files share; nothing outside this folder includes it.
#pragma once

#include "instrumentation/ptx/module.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wl::ptx {

// A function with the names that its operands refer to by index.
struct Printer {
    const Module& module;
    const Function& function;
    std::map<int32_t, std::vector<std::string_view>> labels;  // names before each instruction
    std::vector<std::string> branch_targets, call_targets;    // a name for each list
    const std::vector<std::string>* string_labels = nullptr;  // of Module::function_names, in .debug_str
};
Printer make_printer(const Module& module, const Function& function);

std::string print_instruction(
    const Printer& printer, const Instruction& instruction
);  // with its `;` or as a mark

// ".align 4 .b8 table[6]": everything behind the space
std::string print_declarator(const Variable& variable);
std::string print_parameters(const std::vector<Variable>& parameters);
std::string print_variable(
    const Module& module, const Variable& variable
);  // with linkage and initial values

// The signature of a function up to its `;`, and what else stands before a body.
std::string print_signature(const Function& function);
std::string print_directives(const Function& function);
std::string print_body(const Printer& printer);

}  // namespace wl::ptx
