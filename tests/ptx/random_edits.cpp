// A kind, a place and what to make of it.
#include "tests/ptx/random_edits.h"

#include "instrumentation/ptx/parse/decode.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

struct Draw {
    Module& m;
    Random& random;
    Place place;

    const Function& f() const { return m.functions[place.function]; }
    const Instruction& in() const { return f().code[place.at]; }
    size_t below(size_t count) const { return ptx::below(random, count); }
};

// One instruction, or all of its line.
Places group(const Draw& d) {
    if (d.below(4) != 0) return {d.place};
    Places places;
    for (uint32_t i = 0; i < d.f().code.size(); ++i)
        if (d.f().code[i].op == d.in().op && same_line(d.m, d.f().code[i].location, d.in().location))
            places.push_back({d.place.function, i});
    return places;
}

std::string some_label(const Draw& d) {
    if (d.f().labels.empty()) return "HERE";
    return std::next(d.f().labels.begin(), static_cast<std::ptrdiff_t>(d.below(d.f().labels.size())))->first;
}

std::string some_register(const Draw& d, Type type) {
    std::vector<std::string> names;
    for (const Register& r : d.f().registers)
        if (r.type == type) names.push_back(r.name);
    return names.empty() ? "1" : names[d.below(names.size())];
}

// Statements that any function takes.
std::string some_text(const Draw& d) {
    const std::array<std::string, 12> texts = {
        "bar.sync 0;",
        "membar.gl;",
        "bar.warp.sync 0xffffffff; membar.cta;",
        ".reg .b32 %t<3>; mov.u32 %t1, %laneid; add.u32 %t2, %t1, 1;",
        ".reg .pred %p; .reg .b32 %r; mov.u32 %r, %tid.x; setp.eq.u32 %p, %r, 0; @%p bra DONE;\n"
        "mov.u32 %r, 1; DONE:",
        ".reg .b64 %a; mov.u64 %a, %clock64; { .reg .b64 %a; mov.u64 %a, 1; }",
        ".shared .align 4 .b8 kept[64]; .reg .b32 %r; mov.u32 %r, 0; st.shared.u32 [kept+4], %r;",
        "//@wl stage \"put in\"\n",
        ".reg .b32 %i; mov.u32 %i, 1; T: .branchtargets A, B, " + some_label(d) +
            "; HERE: brx.idx %i, T; A: mov.u32 %i, 2; B:",
        "HERE: bra " + some_label(d) + ";",
        ".reg .b32 x; add.u32 x, " + some_register(d, Type::b32) + ", 1;",
        ".reg .f32 x; fma.rn.f32 x, x, 0f3F800000, x;",
    };
    return texts[d.below(texts.size())];
}

Operand immediate(uint64_t bits) {
    Operand o;
    o.kind = Kind::immediate;
    o.bits = bits;
    return o;
}

Operand some_operand(const Draw& d) {
    Operand o;
    switch (d.below(8)) {
        case 0: return immediate(d.below(64));
        case 1: o.kind = Kind::immediate, o.floating = true, o.bits = 0x3f800000; return o;
        case 2: o.kind = Kind::sink; return o;
        case 3: o.kind = Kind::special, o.index = static_cast<int32_t>(d.below(9)); return o;
        default:
            o.kind = Kind::reg, o.index = static_cast<int32_t>(d.below(d.f().registers.size() + 1));
            return o;
    }
}

Edit edit_before(const Draw& d) { return insert_before(d.m, group(d), some_text(d)); }
Edit edit_after(const Draw& d) { return insert_after(d.m, group(d), some_text(d)); }
Edit edit_remove(const Draw& d) { return remove(d.m, group(d)); }
Edit edit_replace(const Draw& d) { return replace(d.m, group(d), some_text(d)); }

Edit edit_built(const Draw& d) {
    const Code& code = d.f().code;
    return insert(
        d.m,
        {
            {d.place, d.below(2) == 0, {}, {code[d.below(code.size())], instruction("membar.cta")}}
    }
    );
}

Edit edit_with_register(const Draw& d) {
    const Type type = std::array{Type::b32, Type::f32, Type::b64, Type::pred}[d.below(4)];
    const int32_t reg = add_register(d.m, d.place.function, type);
    const std::string name = d.f().registers[static_cast<size_t>(reg)].name;
    const std::string value = type == Type::f32 ? "0f3F800000" : type == Type::pred ? "1" : "7";
    return insert_before(d.m, {d.place}, fmt::format("mov.{} {}, {};", name_of(type), name, value));
}

Edit edit_operand(const Draw& d) {
    return set_operand(d.m, {d.place}, d.below(d.in().operands.size()), some_operand(d));
}

Edit edit_constant(const Draw& d) {
    for (size_t k = 0; k < d.in().operands.size(); ++k)
        if (d.in().operands[k].kind == Kind::immediate) return set_constant(d.m, group(d), k, d.below(256));
    return {"no constant", {}};
}

Edit edit_guard(const Draw& d) {
    Guard guard;
    for (size_t r = 0; r < d.f().registers.size(); ++r)
        if (d.f().registers[r].type == Type::pred && d.below(2) == 0) guard.reg = static_cast<int32_t>(r);
    guard.negated = guard.reg >= 0 && d.below(2) == 0;
    return set_guard(d.m, group(d), guard);
}

Edit edit_negate(const Draw& d) { return negate_guard(d.m, {d.place}); }
Edit edit_fix(const Draw& d) { return fix_guard(d.m, {d.place}, d.below(2) == 0); }

Edit edit_target(const Draw& d) {
    return retarget(d.m, {d.place}, static_cast<uint32_t>(d.below(d.f().code.size() + 1)));
}

Edit edit_move(const Draw& d) { return replace_by_move(d.m, {d.place}, d.below(d.in().operands.size())); }

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin) parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

// A word of one of the row's groups for the word of that group, or for none.
Edit edit_modifier(const Draw& d) {
    if (d.in().form == nullptr) return {"no row", {}};
    const std::vector<std::string_view> groups = split(d.in().form->modifiers, ' ');
    if (groups.empty()) return {"no modifiers", {}};
    std::string_view chosen = groups[d.below(groups.size())];
    if (chosen.ends_with('?')) chosen.remove_suffix(1);
    const std::vector<std::string_view> words = split(chosen, '|');
    const std::string to(words[d.below(words.size())]);
    std::string from;
    const Spelling s = spelling_of(d.in().mnemonic);
    for (size_t k = s.name; k < s.words.size(); ++k)
        if (std::find(words.begin(), words.end(), s.words[k]) != words.end()) from = s.words[k];
    return set_modifier(d.m, group(d), from, from == to ? "" : to);
}

Edit edit_type(const Draw& d) {
    const size_t index = d.below(d.in().types.size());
    const std::vector<std::string_view> groups = split(d.in().form->types, ' ');
    auto type = static_cast<Type>(d.below(static_cast<size_t>(Type::texref)));
    if (index < groups.size() && d.below(4) != 0) {  // one that the row has there
        const std::vector<std::string_view> names = split(groups[index], '|');
        type = type_from_name(names[d.below(names.size())]);
    }
    return set_type(d.m, {d.place}, index, type);
}

Edit edit_comparison(const Draw& d) {
    const auto compare = static_cast<Compare>(1 + d.below(static_cast<size_t>(Compare::nan)));
    return set_comparison(d.m, {d.place}, compare);
}

Edit edit_layout(const Draw& d) { return toggle_layout(d.m, {d.place}); }

struct NamedEdit {
    std::string_view name;
    Edit (*make)(const Draw&);
    bool (*may)(const Instruction&);  // where it can be meant at all
};

bool anywhere(const Instruction&) { return true; }
bool is_branch(const Instruction& i) { return i.op == Op::bra; }
bool has_guard(const Instruction& i) { return i.guard.reg >= 0; }
bool compares(const Instruction& i) { return i.modifiers.compare != Compare::none; }
bool has_types(const Instruction& i) { return !i.types.empty() && i.form != nullptr; }
bool has_layout(const Instruction& i) { return i.op == Op::wmma_load || i.op == Op::ldmatrix; }
bool has_constant(const Instruction& i) {
    return std::any_of(i.operands.begin(), i.operands.end(), [](const Operand& o) {
        return o.kind == Kind::immediate;
    });
}

constexpr std::array<NamedEdit, 16> kKinds = {
    {
     {"insert_before", edit_before, anywhere},
     {"insert_after", edit_after, anywhere},
     {"insert_built", edit_built, anywhere},
     {"insert_register", edit_with_register, anywhere},
     {"remove", edit_remove, anywhere},
     {"replace", edit_replace, anywhere},
     {"set_operand", edit_operand, anywhere},
     {"set_constant", edit_constant, has_constant},
     {"set_guard", edit_guard, anywhere},
     {"negate_guard", edit_negate, has_guard},
     {"fix_guard", edit_fix, has_guard},
     {"retarget", edit_target, is_branch},
     {"replace_by_move", edit_move, has_types},
     {"set_modifier", edit_modifier, anywhere},
     {"set_type", edit_type, has_types},
     {"set_comparison", edit_comparison, compares},
     }
};

}  // namespace

size_t below(Random& random, size_t count) { return count == 0 ? 0 : random() % count; }

size_t kinds_of_edits() { return kKinds.size() + 1; }

Tried random_edit(Module& m, Random& random) {
    const size_t k = below(random, kKinds.size() + 1);
    const NamedEdit kind =
        k < kKinds.size() ? kKinds[k] : NamedEdit{"toggle_layout", edit_layout, has_layout};
    Places places;
    for (size_t f = 0; f < m.functions.size(); ++f)
        for (uint32_t i = 0; i < m.functions[f].code.size(); ++i)
            if (kind.may(m.functions[f].code[i])) places.push_back({f, i});
    if (places.empty())
        return {
            std::string(kind.name), {"no such instruction", {}}
        };
    return {std::string(kind.name), kind.make({m, random, places[below(random, places.size())]})};
}

}  // namespace wl::ptx
