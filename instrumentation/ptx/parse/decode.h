// From a mnemonic to the rows of the table that allow it.
#pragma once

#include "instrumentation/ptx/module.h"
#include "instrumentation/ptx/parse/dialect.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace wl::ptx {

struct Mnemonic {
    Op op = Op::unsupported;
    std::vector<Type> types;
    Modifiers modifiers;
    std::vector<const Form*> forms;  // that allow these types and modifiers; empty: unsupported
};

// vocabulary.cpp: the meaning of modifiers spelt in the table's storage, whose first space is the
// destination's.
Modifiers modifiers_of(Op op, const std::vector<std::string_view>& words);

// Throws nothing: what no row allows comes back as Op::unsupported.
Mnemonic decode_mnemonic(std::string_view text);

// A memory of decoded mnemonics for one parse.
struct Decoder {
    Dialect dialect;
    std::unordered_map<std::string, Mnemonic> known;
};

// Fills op, types, modifiers (but not `pair` and the selectors, which the operands say) and form from the
// mnemonic and the operands. Returns the role of each operand in that form: "d", "{a}", "[a]", "|p"; empty
// for a call and for what no form allows.
std::vector<std::string_view> decode(Decoder& decoder, Instruction& instruction);

}  // namespace wl::ptx
