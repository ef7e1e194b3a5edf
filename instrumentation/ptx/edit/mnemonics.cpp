// Words of mnemonics: each change is one of the spelling, and the table says what it means.
#include "instrumentation/ptx/edit/edit.h"
#include "instrumentation/ptx/parse/decode.h"
#include "instrumentation/ptx/table/names.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace wl::ptx {
namespace {

using Words = std::vector<std::string_view>;

std::string joined(const Words& words) {
    std::string out;
    for (const std::string_view word : words) out.append(out.empty() ? "" : ".").append(word);
    return out;
}

// How many pairs of words stand in another order than the groups of the row.
size_t disorder(const Form& form, const Words& words, size_t name) {
    size_t pairs = 0;
    for (size_t a = name; a < words.size(); ++a)
        for (size_t b = a + 1; b < words.size(); ++b) {
            const bool modifiers =
                type_from_name(words[a]) == Type::none && type_from_name(words[b]) == Type::none;
            pairs += modifiers && rank_of(form, words[a]) > rank_of(form, words[b]) ? 1 : 0;
        }
    return pairs;
}

// The mnemonic with a word more, where some row has it in the order of that row; empty: no row has it.
std::string with_word(std::string_view mnemonic, std::string_view word) {
    const Spelling s = spelling_of(mnemonic);
    std::string best;
    size_t least = SIZE_MAX;
    for (size_t at = s.name; at <= s.words.size(); ++at) {
        Words words = s.words;
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), word);
        std::string made = joined(words);
        const Mnemonic m = decode_mnemonic(made);
        if (m.forms.empty()) continue;
        const size_t pairs = disorder(*m.forms.front(), words, s.name);
        if (pairs < least) least = pairs, best = std::move(made);
    }
    return best;
}

std::string no_word(const Instruction& i, std::string_view word) {
    return i.mnemonic + " has no ." + std::string(word);
}

// The nth occurrence of a modifier by another; empty: none.
std::string replace_word(Instruction& i, std::string_view from, std::string_view to, size_t nth = 0) {
    Spelling s = spelling_of(i.mnemonic);
    for (size_t k = s.name; k < s.words.size(); ++k) {
        if (s.words[k] != from || nth-- != 0) continue;
        if (to.empty())
            s.words.erase(s.words.begin() + static_cast<std::ptrdiff_t>(k));
        else
            s.words[k] = to;
        i.mnemonic = joined(s.words);
        return {};
    }
    return no_word(i, from);
}

std::string add_word(Instruction& i, std::string_view word) {
    std::string made = with_word(i.mnemonic, word);
    if (made.empty()) return i.mnemonic + " takes no ." + std::string(word);
    i.mnemonic = std::move(made);
    return {};
}

std::string_view other_layout(std::string_view layout) { return layout == "row" ? "col" : "row"; }

int32_t first_register(const Operand& o) {
    return o.kind == Operand::Kind::vector && !o.elements.empty() ? o.elements.front().index : o.index;
}

std::string toggle_load(Instruction& i) {
    if (i.op == Op::ldmatrix) return i.modifiers.trans ? replace_word(i, "trans", "") : add_word(i, "trans");
    if (i.op != Op::wmma_load) return i.mnemonic + " loads no fragment by a layout";
    return replace_word(i, i.modifiers.layout_a, other_layout(i.modifiers.layout_a));
}

// Both layouts of a product stand side by side in its mnemonic.
std::string toggle_product(Instruction& i, bool left, bool right) {
    const std::string_view a = i.modifiers.layout_a, b = i.modifiers.layout_b;
    std::string why;
    if (right) why = replace_word(i, b, other_layout(b), a == b ? 1 : 0);
    if (left && why.empty()) why = replace_word(i, a, other_layout(a));
    return why;
}

// The row says which words there are.
bool knows_words(const Instruction& i) { return i.form != nullptr && i.form->modifiers != "*"; }

// Types and shape of a matrix instruction say how many registers its fragments have.
bool has_fragments(const Instruction& i) { return !i.modifiers.shape.empty(); }
bool is_shape(std::string_view word) {  // or which matrix it is: a, b, c, d
    if (word.size() == 1) return word[0] >= 'a' && word[0] <= 'd';
    return word.size() > 1 && word[0] == 'm' && std::isdigit(static_cast<unsigned char>(word[1])) != 0;
}

bool is_word(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '.';
    });
}

}  // namespace

Edit set_modifier(Module& m, const Places& places, std::string_view from, std::string_view to) {
    const bool type = type_from_name(from) != Type::none || type_from_name(to) != Type::none;
    if (type || from == to || !is_word(to)) return {"a modifier is changed into another", {}};
    return change(m, places, [&](Instruction& i) {
        if (!knows_words(i)) return i.mnemonic + ": its words are unknown";
        if ((!from.empty() && from == i.modifiers.geometry) || to == "multicast::cluster")
            return i.mnemonic + ": its operands go with that word";
        if (has_fragments(i) && is_shape(to)) return i.mnemonic + ": its fragments have this shape";
        return from.empty() ? add_word(i, to) : replace_word(i, from, to);
    });
}

Edit set_type(Module& m, const Places& places, size_t index, Type type) {
    return change(m, places, [&](Instruction& i) -> std::string {
        if (!knows_words(i)) return i.mnemonic + ": its words are unknown";
        if (has_fragments(i)) return i.mnemonic + ": its fragments have this type";
        Spelling s = spelling_of(i.mnemonic);
        size_t left = index;
        for (size_t k = s.name; k < s.words.size(); ++k) {
            if (type_from_name(s.words[k]) == Type::none || left-- != 0) continue;
            s.words[k] = name_of(type);
            i.mnemonic = joined(s.words);
            return {};
        }
        return i.mnemonic + " has no such type";
    });
}

Edit set_comparison(Module& m, const Places& places, Compare comparison) {
    return change(m, places, [&](Instruction& i) -> std::string {
        if (i.modifiers.compare == Compare::none) return i.mnemonic + " compares nothing";
        return replace_word(i, name_of(i.modifiers.compare), name_of(comparison));
    });
}

Edit toggle_layout(Module& m, const Places& loads) {
    std::set<std::pair<size_t, int32_t>> left, right;  // function and first register of the fragments
    for (const Place& p : loads) {
        const Instruction& i = m.functions[p.function].code[p.at];
        if (i.op != Op::wmma_load) continue;
        (i.modifiers.kind == "a" ? left : right).insert({p.function, first_register(i.operands.front())});
    }
    Places all = loads;
    std::vector<std::pair<bool, bool>> sides(loads.size());
    for (size_t f = 0; f < m.functions.size(); ++f) {
        const Code& code = m.functions[f].code;
        for (uint32_t at = 0; at < code.size(); ++at) {
            if (code[at].op != Op::wmma_mma) continue;
            const bool a = left.count({f, first_register(code[at].operands[1])}) != 0;
            const bool b = right.count({f, first_register(code[at].operands[2])}) != 0;
            if (!a && !b) continue;
            all.push_back({f, at});
            sides.emplace_back(a, b);
        }
    }
    auto side = sides.begin();
    return change(m, all, [&](Instruction& i) {
        const auto [a, b] = *side++;
        return i.op == Op::wmma_mma ? toggle_product(i, a, b) : toggle_load(i);
    });
}

}  // namespace wl::ptx
