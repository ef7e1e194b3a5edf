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

// The words of a mnemonic, and how many of them are the name of the instruction; 0: no row has it.
struct Spelling {
    std::vector<std::string_view> words;
    size_t name = 0;
};
Spelling spelling_of(std::string_view mnemonic);

// The place of a word among the modifiers of a row: of its group; the number of groups when it is in none.
size_t rank_of(const Form& form, std::string_view word);

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
