// Families of changes of one instruction; ptx/edit refuses those that no program has.
#pragma once

#include "instrumentation/diagnosis/search/at_hand.h"
#include "instrumentation/diagnosis/search/candidates.h"

#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

struct PtxMutator {
    const ptx::Module& module;
    const InPlay& in_play;
    variables::Variables variables;
    std::vector<Candidate> out = {};
    ptx::Place at = {};  // the instruction
    int32_t location = -1;

    const ptx::Function& function() const { return module.functions[at.function]; }
    const ptx::Instruction& instruction() const { return function().code[at.at]; }
    ptx::Type type_of(const ptx::Operand& reg) const {
        return function().registers[static_cast<size_t>(reg.index)].type;
    }
    std::string text(const ptx::Operand& o) const { return operand_text(module, variables, at, o); }

    void add(Candidate c) {
        c.location = location, c.ptx_line = instruction().text_line;
        out.push_back(std::move(c));
    }
    void add_operand(Candidate c, size_t k, const ptx::Operand& value) {
        c.was = text(instruction().operands[k]);
        c.make = [at = at, k, value](ptx::Module& m) { return ptx::set_operand(m, {at}, k, value); };
        add(std::move(c));
    }
};

// A line of the user's, not of CUDA's own headers.
bool is_users(const ptx::Module& module, int32_t location);

inline bool is_real(ptx::Type t) { return t == ptx::Type::f32 || t == ptx::Type::f64 || t == ptx::Type::f16; }
// The last of the mnemonic's.
inline ptx::Type scalar_type(const ptx::Instruction& i) {
    return i.types.empty() ? ptx::Type::none : i.types.back();
}

void add_comparisons(PtxMutator& m);  // values.cpp
void add_conditions(PtxMutator& m);
void add_whole_numbers(PtxMutator& m);
void add_real_numbers(PtxMutator& m);
void add_operands(PtxMutator& m);  // operands.cpp
void add_axes(PtxMutator& m);
void add_symbols(PtxMutator& m);
// Of the lines of a function: two operands exchanged wherever they stand on one, and the axes of an index.
void add_exchanges(PtxMutator& m);
void add_operations(PtxMutator& m);  // operations.cpp
void add_parts(PtxMutator& m);
void add_insertions(PtxMutator& m);

}  // namespace wl::diagnosis
