// What instructions do for the order of the accesses around them: fences, atomics, volatile accesses; which
// loads poll, as a loop runs until they find something else, and which an exchange confirms.
#include "instrumentation/emulator/lower/order_sites.h"

#include "instrumentation/emulator/lower/lowering.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <vector>

namespace wl::emulator {
namespace {

using ptx::Control;
using ptx::Memory;
using ptx::Operand;
using ptx::Space;
using Kind = Operand::Kind;

// visit(register) for every one that the operand names.
template <class Visit>
void each_register(const Operand& o, Visit visit) {
    const bool base = o.kind == Kind::address && o.base_kind == Kind::reg;
    if ((o.kind == Kind::reg || base) && o.index >= 0) visit(static_cast<size_t>(o.index));
    for (const Operand& e : o.elements) each_register(e, visit);
}

bool is_jump(const ptx::Instruction& in) { return traits_of(in).control == Control::jump; }

// d = a, one register each.
bool moves(const ptx::Instruction& in) {
    return traits_of(in).flow == ptx::Flow::copy && in.operands.size() == 2;
}

bool is_load(const ptx::Instruction& in) {
    const ptx::Traits& t = traits_of(in);
    return t.memory == Memory::load && t.extent == ptx::Extent::typed;
}

// Instructions [begin, end] that end with a branch back to the first, around instruction k.
struct Loop {
    size_t begin = 0, end = 0;
};
Loop loop_around(const ptx::Function& f, size_t k) {
    for (size_t at = k + 1; at < f.code.size(); ++at) {
        if (!is_jump(f.code[at])) continue;
        const auto target = static_cast<size_t>(f.code[at].operands[0].index);
        if (target <= k) return {target, at};
    }
    return {};
}

// Values that come from one load, by register.
struct Values {
    std::vector<char> from_load;

    void follow(const ptx::Instruction& in) {
        const size_t written = ptx::destination_count(in);
        bool any = in.guard.reg >= 0 && from_load[static_cast<size_t>(in.guard.reg)] != 0;
        for (size_t o = written; o < in.operands.size(); ++o)
            each_register(in.operands[o], [&](size_t reg) { any = any || from_load[reg] != 0; });
        if (!any) return;
        for (size_t o = 0; o < written; ++o)
            each_register(in.operands[o], [&](size_t reg) { from_load[reg] = 1; });
    }
};

// Does the loop around the load store nothing, and end by what the load finds?
bool decides_its_loop(const ptx::Function& f, size_t load) {
    const Loop loop = loop_around(f, load);
    if (loop.end == 0) return false;
    Values values{std::vector<char>(f.registers.size(), 0)};
    each_register(f.code[load].operands[0], [&](size_t reg) { values.from_load[reg] = 1; });
    bool ends = false;
    for (size_t turn = 0, at = load + 1; turn < loop.end - loop.begin; ++turn, ++at) {
        if (at > loop.end) at = loop.begin;
        const ptx::Instruction& in = f.code[at];
        const bool stores = traits_of(in).memory == Memory::store;
        if (stores && in.modifiers.space != Space::local && in.modifiers.space != Space::param) return false;
        const bool guarded = in.guard.reg >= 0 && values.from_load[static_cast<size_t>(in.guard.reg)] != 0;
        ends = ends || (is_jump(in) && guarded);
        values.follow(in);
    }
    return ends;
}

// Compilers take the first round of a loop out of it: another load of the same line may be the one inside.
bool polls(const ptx::Function& f, size_t load) {
    if (decides_its_loop(f, load)) return true;
    for (size_t k = 0; k < f.code.size(); ++k) {
        const ptx::Instruction& in = f.code[k];
        const bool copy = k != load && is_load(in) && in.modifiers.is_volatile && in.location >= 0 &&
            in.location == f.code[load].location;
        if (copy && decides_its_loop(f, k)) return true;
    }
    return false;
}

bool is_exchange(const ptx::Instruction& in) {
    const ptx::Traits& t = traits_of(in);
    return t.memory == Memory::update && t.data != ptx::kNoRole && in.modifiers.atom_op == ptx::AtomOp::cas;
}

// What an address operand is made from: a register, or the variable whose address was moved into it.
struct Base {
    Kind kind = Kind::none;
    int32_t index = -1;
    bool local = false;
    int64_t offset = 0;
    bool operator==(const Base&) const = default;
};
Base base_of(const ptx::Function& f, const Operand& address) {
    Base base{address.base_kind, address.index, address.local, address.offset};
    const ptx::Instruction* definition = nullptr;
    for (const ptx::Instruction& in : f.code) {
        if (base.kind != Kind::reg || ptx::destination_count(in) == 0) continue;
        const Operand& d = in.operands[0];
        if (d.kind != Kind::reg || d.index != base.index) continue;
        if (definition != nullptr || !moves(in)) return base;
        definition = &in;
    }
    if (definition == nullptr || definition->operands[1].kind != Kind::symbol) return base;
    const Operand& symbol = definition->operands[1];
    return {Kind::symbol, symbol.index, symbol.local, symbol.offset + base.offset};
}

}  // namespace

void add_confirmed_loads(Lowering& l) {
    const auto& code = l.function.code;
    if (std::none_of(code.begin(), code.end(), is_exchange)) return;
    // Registers whose value an exchange compares with what it finds, and those that they were moved from.
    std::vector<char> compared(l.function.registers.size(), 0);
    const auto compare = [&compared](const Operand& o) {
        const bool news = o.kind == Kind::reg && compared[static_cast<size_t>(o.index)] == 0;
        if (news) compared[static_cast<size_t>(o.index)] = 1;
        return news;
    };
    for (const ptx::Instruction& in : code)
        if (is_exchange(in)) compare(in.operands[2]);
    for (bool changed = true; changed;) {
        changed = false;
        for (const ptx::Instruction& in : code) {
            const bool from = moves(in) && in.operands[0].kind == Kind::reg;
            if (from && compared[static_cast<size_t>(in.operands[0].index)] != 0)
                changed = compare(in.operands[1]) || changed;
        }
    }
    for (size_t k = 0; k < code.size(); ++k) {
        const ptx::Instruction& in = code[k];
        const bool guess = is_load(in) && in.operands[0].kind == Kind::reg &&
            compared[static_cast<size_t>(in.operands[0].index)] != 0 && !in.modifiers.is_volatile &&
            in.modifiers.semantics.empty();
        const bool confirmed =
            guess && std::any_of(code.begin(), code.end(), [&](const auto& other) {
                return is_exchange(other) &&
                    base_of(l.function, other.operands[1]) == base_of(l.function, in.operands[1]);
            });
        if (!confirmed) continue;
        OrderSite s;
        s.instruction = l.self.begin + k;
        s.strong = s.ordered = true;
        l.program.order_sites.push_back(s);
    }
}

void add_order_site(Lowering& l) {
    const auto& m = l.in->modifiers;
    const ptx::Traits& t = traits_of(*l.in);
    const bool access = t.memory == Memory::load || t.memory == Memory::store;
    OrderSite s;
    s.instruction = l.program.code[0].size();
    s.fence = t.fence && m.semantics != "acquire";
    s.writes = t.memory == Memory::store;
    s.update = t.memory == Memory::update;
    s.ordered = s.update || (access && !m.semantics.empty() && m.semantics != "weak");
    s.strong = s.ordered || (access && (m.is_volatile || m.mmio));
    s.releases = m.semantics == "release" || m.semantics == "acq_rel";
    s.block_only = m.scope == "cta";
    if (!s.fence && !s.strong) return;
    if (t.memory == Memory::load && !s.ordered)
        s.polls = polls(l.function, static_cast<size_t>(l.in - l.function.code.data()));
    const bool of_blocks = m.space == Space::none || m.space == Space::generic || m.space == Space::global;
    l.program.orders_blocks = l.program.orders_blocks || (of_blocks && !(s.fence && s.block_only));
    l.program.order_sites.push_back(s);
}

}  // namespace wl::emulator
