// Changing instructions where they are: drafts are decoded and checked, then all take their places.
#include "instrumentation/ptx/edit/check.h"
#include "instrumentation/ptx/edit/edit.h"
#include "instrumentation/ptx/parse/parse_snippet.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/write.h"

#include <algorithm>
#include <utility>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

std::string misplaced(const Module& m, const Place& p) {
    const bool there = p.function < m.functions.size() && p.at < m.functions[p.function].code.size();
    return there ? "" : "no instruction of the module";
}

// Every label may be spoken of in text: a place without a name gets one. Empty: it had one.
std::string name_place(const Module& m, Function& f, int32_t place) {
    const bool named =
        std::any_of(f.labels.begin(), f.labels.end(), [place](const auto& l) { return l.second == place; });
    if (named) return {};
    return f.labels.emplace(fresh_name(m, f, "$wl_" + std::to_string(place)), place).first->first;
}

// A move's type for a register: the one that the instruction had, where a move has it too.
Type moved_type(Type had, Type given) {
    if (given == Type::pred) return Type::pred;
    const bool plain = had == Type::f32 || had == Type::f64 || (had >= Type::u16 && had <= Type::u64) ||
        (had >= Type::s16 && had <= Type::s64);
    if (plain && bytes_of(had) == bytes_of(given)) return had;
    switch (bytes_of(given)) {
        case 2: return Type::b16;
        case 4: return Type::b32;
        case 8: return Type::b64;
        default: return Type::b128;
    }
}

}  // namespace

Edit change(Module& m, const Places& places, const Change& change) {
    Decoder decoder{dialect_of(m.version, m.target), {}};
    std::vector<Instruction> drafts;
    for (const Place& p : places) {
        if (std::string why = misplaced(m, p); !why.empty()) return {std::move(why), {}};
        const Function& f = m.functions[p.function];
        Instruction& draft = drafts.emplace_back(f.code[p.at]);
        std::string why = change(draft);
        draft.location = f.code[p.at].location, draft.mark = f.code[p.at].mark;
        if (why.empty()) why = settle(decoder, m, f, draft);
        const bool unknown =
            why.empty() && draft.form->operands == "*" && !(draft.operands == f.code[p.at].operands);
        if (unknown) why = draft.mnemonic + ": the table does not know its operands";
        if (!why.empty()) return {std::move(why), {}};
    }
    for (size_t k = 0; k < places.size(); ++k)
        Writer::of(m.functions[places[k].function])[places[k].at] = std::move(drafts[k]);
    return {{}, places};
}

Edit set_operand(Module& m, const Places& places, size_t operand, const Operand& value) {
    return change(m, places, [&](Instruction& i) -> std::string {
        if (operand >= i.operands.size()) return i.mnemonic + " has no such operand";
        i.operands[operand] = value;
        return {};
    });
}

Edit set_constant(Module& m, const Places& places, size_t operand, uint64_t bits) {
    return change(m, places, [&](Instruction& i) -> std::string {
        const bool constant = operand < i.operands.size() && i.operands[operand].kind == Kind::immediate;
        if (!constant) return i.mnemonic + " has no constant there";
        i.operands[operand].bits = bits;
        return {};
    });
}

Edit set_guard(Module& m, const Places& places, Guard guard) {
    return change(m, places, [&](Instruction& i) -> std::string {
        i.guard = guard;
        return {};
    });
}

Edit negate_guard(Module& m, const Places& places) {
    return change(m, places, [](Instruction& i) -> std::string {
        if (i.guard.reg < 0) return i.mnemonic + " has no guard";
        i.guard.negated = !i.guard.negated;
        return {};
    });
}

Edit fix_guard(Module& m, const Places& places, bool value) {
    return value ? set_guard(m, places, {}) : remove(m, places);
}

Edit retarget(Module& m, const Places& places, uint32_t target) {
    for (const Place& p : places) {
        if (std::string why = misplaced(m, p); !why.empty()) return {std::move(why), {}};
        const Function& f = m.functions[p.function];
        if (f.code[p.at].op != Op::bra) return {f.code[p.at].mnemonic + " is no branch to a label", {}};
        if (target > f.code.size()) return {"no instruction of the function", {}};
    }
    std::vector<std::pair<size_t, std::string>> names;
    for (const Place& p : places)
        names.emplace_back(p.function, name_place(m, m.functions[p.function], static_cast<int32_t>(target)));
    Edit edit = change(m, places, [target](Instruction& i) -> std::string {
        i.operands.front().index = static_cast<int32_t>(target);
        return {};
    });
    for (const auto& [function, name] : names)
        if (!edit) m.functions[function].labels.erase(name);
    return edit;
}

Edit replace_by_move(Module& m, const Places& places, size_t operand) {
    std::vector<Type> types;  // of the destinations
    for (const Place& p : places) {
        if (std::string why = misplaced(m, p); !why.empty()) return {std::move(why), {}};
        const Function& f = m.functions[p.function];
        const Instruction& i = f.code[p.at];
        const bool one =
            destination_count(i) == 1 && i.operands.front().kind == Kind::reg && i.op != Op::call;
        if (!one || operand >= i.operands.size()) return {i.mnemonic + " is no d = f(a, b)", {}};
        const Type given = f.registers[static_cast<size_t>(i.operands.front().index)].type;
        types.push_back(moved_type(i.types.empty() ? Type::none : i.types.front(), given));
    }
    auto type = types.begin();
    return change(m, places, [&](Instruction& i) -> std::string {
        i.mnemonic = "mov." + std::string(name_of(*type++));
        i.operands = {i.operands.front(), i.operands[operand]};
        i.modifiers.pair = false;
        return {};
    });
}

}  // namespace wl::ptx
