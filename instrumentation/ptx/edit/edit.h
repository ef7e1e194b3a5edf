// Changing a program. What an edit makes is decoded by the table again; where no row, register, variable or
// label allows it, the edit is refused with the reason and the module is as it was. An edit of several places
// is one edit: all or none. Lines, labels, lists of targets and marks stay right as instructions come and go.
#pragma once

#include "instrumentation/ptx/edit/select.h"
#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace wl::ptx {

// What came of an edit.
struct [[nodiscard]] Edit {
    std::string refused;  // why; empty: done
    Places made;          // where the instructions put in or changed are now

    explicit operator bool() const { return refused.empty(); }
};

// ---- putting in and taking out (insert.cpp)

// Statements of PTX as they stand in a body, or instructions: of those, what they say counts, and the rest is
// decoded. Text may use every name of the function and of the module, declare registers, local variables and
// labels of its own (each insertion is a scope: the names are made unique), and branch to the function's
// labels.
struct Insertion {
    Place at;            // at.at may be the size of the code: the end of the body
    bool after = false;  // before: branches to `at` reach it first. After: only what falls through `at` does
    std::string_view text;
    std::vector<Instruction> code;  // where text is empty
};
Edit insert(Module& module, const std::vector<Insertion>& insertions);  // in the order given at one place
Edit insert_before(Module& module, const Places& places, std::string_view text);
Edit insert_after(Module& module, const Places& places, std::string_view text);

Edit remove(Module& module, const Places& places);
// Each of them becomes the statements of `text`; branches to it reach those.
Edit replace(Module& module, const Places& places, std::string_view text);

// A register of its own, "%wl" or "%wl$1" ...: its index in Function::registers, its name in print(module).
int32_t add_register(Module& module, size_t function, Type type, std::string_view name = "%wl");

// ---- changing instructions where they are (change.cpp)

// Says what an instruction should be from now on: its mnemonic, guard, operands and modifiers.pair; or why it
// cannot be.
using Change = std::function<std::string(Instruction&)>;
Edit change(Module& module, const Places& places, const Change& change);

Edit set_operand(Module& module, const Places& places, size_t operand, const Operand& value);
Edit set_constant(Module& module, const Places& places, size_t operand, uint64_t bits);  // of an immediate
Edit set_guard(Module& module, const Places& places, Guard guard);
Edit negate_guard(Module& module, const Places& places);
// They behave as if their guard had this value for every lane: lifted, or never executed and so removed.
Edit fix_guard(Module& module, const Places& places, bool value);
// The branches go on at this instruction of their function; it may be the end of the body.
Edit retarget(Module& module, const Places& places, uint32_t target);
// Each becomes `mov destination, operand`; guards and lines stay.
Edit replace_by_move(Module& module, const Places& places, size_t operand);

// ---- changing words of mnemonics (mnemonics.cpp)

// `from` empty: `to` is added where the row has it; `to` empty: `from` is dropped.
Edit set_modifier(Module& module, const Places& places, std::string_view from, std::string_view to);
Edit set_type(Module& module, const Places& places, size_t index, Type type);  // index in Instruction::types
Edit set_comparison(Module& module, const Places& places, Compare comparison);
// wmma.load: row for col and col for row, with the layouts of the products that use them; ldmatrix: with
// .trans for without.
Edit toggle_layout(Module& module, const Places& loads);

}  // namespace wl::ptx
