// What instructions do for the order of the accesses around them: fences, atomics, volatile accesses; which
// loads poll, as a loop runs until they find something else, and which an exchange confirms.
#include "instrumentation/emulator/lower/order_sites.h"

#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/ptx/table/operand_registers.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace wl::emulator {
namespace {

using ptx::Control;
using ptx::Memory;
using ptx::Operand;
using ptx::Space;
using Kind = Operand::Kind;

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

// By register: the one instruction that writes it; nullptr: none or several do.
std::vector<const ptx::Instruction*> definitions_of(const ptx::Function& f) {
    std::vector<const ptx::Instruction*> out(f.registers.size(), nullptr);
    std::vector<char> seen(f.registers.size(), 0);
    for (const ptx::Instruction& in : f.code)
        for (size_t o = 0; o < ptx::destination_count(in); ++o)
            each_register(in.operands[o], [&](size_t reg) {
                const bool only = seen[reg] == 0 && in.guard.reg < 0 && in.operands[o].kind == Kind::reg;
                out[reg] = only ? &in : nullptr, seen[reg] = 1;
            });
    return out;
}

// What an address is made from, behind moves and changes between generic and global addresses, which are
// equal.
Operand origin_of(const std::vector<const ptx::Instruction*>& definitions, Operand o) {
    for (;;) {
        if (o.kind == Kind::address) o.kind = std::exchange(o.base_kind, Kind::none);
        const ptx::Instruction* by =
            o.kind == Kind::reg ? definitions[static_cast<size_t>(o.index)] : nullptr;
        const bool global = by != nullptr && by->op == ptx::Op::cvta && by->modifiers.space == Space::global;
        if (by == nullptr || (!moves(*by) && !global) || by->operands[1].kind == Kind::vector) return o;
        const int64_t offset = o.offset;
        o = by->operands[1];
        o.offset += offset;
    }
}

// The same bits wherever the program has both: one origin, or one operation on equal operands, which
// compilers write twice where they do not see that a call leaves a register alone.
bool are_equal(
    const std::vector<const ptx::Instruction*>& definitions, const Operand& a, const Operand& b, int depth
) {
    const Operand x = origin_of(definitions, a), y = origin_of(definitions, b);
    if (x == y) return true;
    if (x.kind != Kind::reg || y.kind != Kind::reg || x.offset != y.offset || depth == 0) return false;
    const ptx::Instruction *by = definitions[static_cast<size_t>(x.index)],
                           *other = definitions[static_cast<size_t>(y.index)];
    if (by == nullptr || other == nullptr || by->mnemonic != other->mnemonic) return false;
    const ptx::Traits& t = traits_of(*by);
    const bool computes =
        t.memory == Memory::none && t.waits == ptx::Waits::nothing && t.control == Control::none;
    if (!computes || by->operands.size() != other->operands.size() || ptx::destination_count(*by) != 1)
        return false;
    for (size_t o = 1; o < by->operands.size(); ++o)
        if (!are_equal(definitions, by->operands[o], other->operands[o], depth - 1)) return false;
    return true;
}

bool is_read(const Lowering& l, const Operand& d) {
    bool read = false;
    each_register(d, [&](size_t reg) { read = read || l.read[reg] != 0; });
    return read;
}

// Whether updates of one place come to the same in any order, but for the rounding of sums.
bool comes_to_the_same(const Lowering& l) {
    using ptx::AtomOp;
    const ptx::Instruction& in = *l.in;
    const AtomOp op = in.modifiers.atom_op;
    const bool any_order = op == AtomOp::add || op == AtomOp::min || op == AtomOp::max ||
        op == AtomOp::and_ || op == AtomOp::or_ || op == AtomOp::xor_;
    for (size_t o = 0; o < ptx::destination_count(in); ++o)
        if (is_read(l, in.operands[o])) return false;
    return any_order;
}

bool adds_floats(const ptx::Instruction& in) {
    using enum ptx::Type;
    const ptx::Type t = in.types.empty() ? none : in.types[0];
    return t == f16 || t == f16x2 || t == bf16 || t == bf16x2 || t == f32 || t == f64;
}

void add_contest(Lowering& l, const OrderSite& s) {
    execution::Contest& c = l.program.contest;
    const ptx::Instruction& in = *l.in;
    const ptx::AtomOp op = in.modifiers.atom_op;
    c.sums = c.sums || (s.update && op == ptx::AtomOp::add && adds_floats(in));
    c.sections = c.sections || s.fence || (s.ordered && !s.update) || op == ptx::AtomOp::cas ||
        op == ptx::AtomOp::exch;
    if (s.strong && !(s.update && comes_to_the_same(l))) c.sites.push_back(l.out.site);
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
    constexpr int kDepth = 6;
    const auto definitions = definitions_of(l.function);
    for (size_t k = 0; k < code.size(); ++k) {
        const ptx::Instruction& in = code[k];
        const bool guess = is_load(in) && in.operands[0].kind == Kind::reg &&
            compared[static_cast<size_t>(in.operands[0].index)] != 0 && !in.modifiers.is_volatile &&
            in.modifiers.semantics.empty();
        const bool confirmed = guess && std::any_of(code.begin(), code.end(), [&](const auto& other) {
                                   return is_exchange(other) &&
                                       are_equal(definitions, other.operands[1], in.operands[1], kDepth);
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
    add_contest(l, s);
    if (t.memory == Memory::load && !s.ordered)
        s.polls = polls(l.function, static_cast<size_t>(l.in - l.function.code.data()));
    const bool of_blocks = m.space == Space::none || m.space == Space::generic || m.space == Space::global;
    l.program.orders_blocks = l.program.orders_blocks || (of_blocks && !(s.fence && s.block_only));
    l.program.order_sites.push_back(s);
}

}  // namespace wl::emulator
