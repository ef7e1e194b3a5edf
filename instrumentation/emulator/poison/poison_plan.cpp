// Instructions to steps: which registers are read, written, or decide, and the way between them.
#include "instrumentation/emulator/poison/poison_plan.h"

#include "instrumentation/emulator/lower/check.h"
#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/emulator/replay/travel.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Extent;
using ptx::Memory;
using ptx::Mode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
using ptx::Waits;
using Way = PoisonWay;
using Kind = Operand::Kind;

bool is_pair(Type t) { return t == Type::f16x2 || t == Type::bf16x2 || t == Type::u16x2 || t == Type::s16x2; }
bool is_signed(Type t) { return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64; }
uint8_t bits_of(Type t) { return t == Type::pred ? 1 : static_cast<uint8_t>(8 * ptx::bytes_of(t)); }

// The row's flow, as far as modifiers and types do not change it.
Way way_of(const ptx::Instruction& in) {
    const Way way = traits_of(in).flow;
    const auto& m = in.modifiers;
    const bool pair = !in.types.empty() && is_pair(in.types[0]);
    const bool param = m.space == Space::param;
    switch (way) {
        case Way::load: return param ? Way::clean : way;
        case Way::store: return param ? Way::lost : way;
        case Way::carry:
            if (pair) return Way::halves;
            return m.sat || m.cc || (m.mode != Mode::none && m.mode != Mode::lo) ? Way::all : way;
        case Way::halves: return pair ? way : Way::all;
        case Way::permute: return m.mode == Mode::none ? way : Way::all;
        case Way::extend: return m.sat ? Way::all : way;
        case Way::compare: return m.pair ? Way::all : way;
        default: return way;
    }
}

// It does something besides writing registers.
bool guard_decides(const ptx::Instruction& in) {
    const ptx::Traits& t = traits_of(in);
    return ptx::destination_count(in) == 0 || t.control == ptx::Control::call || writes(t.memory) ||
        t.memory == Memory::mbarrier || t.waits == Waits::block;
}

// What an operand decides that the row says decides by itself.
PoisonEffect effect_of(const ptx::Traits& t, int8_t role) {
    if (role == t.size || role == t.stride || role == t.fill) return PoisonEffect::address;
    if (t.control != ptx::Control::none)
        return t.control == ptx::Control::call ? PoisonEffect::call : PoisonEffect::branch;
    return t.waits == Waits::block || t.flow == Way::none ? PoisonEffect::barrier : PoisonEffect::lane;
}

// Ways that need to know the values of the sources.
bool looks_at_values(Way way) {
    switch (way) {
        case Way::bit_and:
        case Way::bit_or:
        case Way::bit_xor:
        case Way::table:
        case Way::shift_left:
        case Way::shift_right:
        case Way::funnel:
        case Way::permute:
        case Way::select:
        case Way::carry:
        case Way::halves:
        case Way::pack:
        case Way::extend:
        case Way::field:
        case Way::insert:
        case Way::compare: return true;
        default: return false;
    }
}

struct Planner {
    const ptx::Function& function;
    const std::vector<uint32_t>& slots;
    PoisonStep step;

    PoisonCell cell(int32_t reg) const {
        const auto r = static_cast<size_t>(reg);
        return {slots[r], bits_of(function.registers[r].type)};
    }
    bool is_predicate(const Operand& o) const { return o.kind == Kind::reg && cell(o.index).bits == 1; }
    // A 16-byte register is two planes of 8-byte cells.
    template <class Add>
    void each_cell(int32_t reg, Add add) const {
        PoisonCell c = cell(reg);
        if (c.bits != 128) return add(c);
        c.bits = 64;
        add(c);
        c.slot += kPlane;
        add(c);
    }
    void add_result(const Operand& o) {
        if (o.kind == Kind::reg) each_cell(o.index, [&](PoisonCell c) { step.results.push_back(c); });
        if (o.kind == Kind::sink) step.results.emplace_back();
        for (const Operand& e : o.elements) add_result(e);
    }
    void add_decider(const Operand& o, PoisonEffect effect) {
        const bool base = o.kind == Kind::address && o.base_kind == Kind::reg;
        if (o.kind == Kind::reg || base)
            each_cell(o.index, [&](PoisonCell c) { step.deciders.push_back({c, effect}); });
        for (const Operand& e : o.elements) add_decider(e, effect);
    }
    PoisonSource source_of(const Operand& o) const {
        if (o.kind == Kind::reg) return {cell(o.index), o.negated, 0};
        const Type t = step.in->types.empty() ? Type::b32 : step.in->types[0];
        return {{}, o.negated, o.floating ? ptx::value_of(o, t) : o.bits};
    }
    void add_source(const Operand& o) {
        if (o.kind == Kind::address) return add_decider(o, PoisonEffect::address);
        if (o.kind == Kind::reg) {
            each_cell(o.index, [&](PoisonCell c) { step.sources.push_back({c, o.negated, 0}); });
        } else if (o.kind == Kind::immediate) {
            step.sources.push_back(source_of(o));
        } else if (o.kind == Kind::special || o.kind == Kind::symbol) {
            step.sources.emplace_back();
            if (looks_at_values(step.way)) step.way = Way::all;
        }
        for (const Operand& e : o.elements) add_source(e);
    }
};

// By register: the bytes of the element that each of its loads brings; 0: something else writes it too, or
// loads of several sizes do.
std::vector<uint32_t> loaded_bytes(const ptx::Function& f) {
    constexpr uint32_t kUnseen = ~0u;
    std::vector<uint32_t> bytes(f.registers.size(), kUnseen);
    for (const ptx::Instruction& in : f.code) {
        const ptx::Traits& t = traits_of(in);
        const bool loads = t.memory == Memory::load && t.extent == Extent::typed;
        const uint32_t here = loads ? ptx::bytes_of(in.types.back()) : 0;
        const auto note = [&](const Operand& o) {
            if (o.kind != Kind::reg) return;
            uint32_t& known = bytes[static_cast<size_t>(o.index)];
            known = known == kUnseen || known == here ? here : 0;
        };
        for (size_t k = 0; k < ptx::destination_count(in); ++k) {
            note(in.operands[k]);
            for (const Operand& e : in.operands[k].elements) note(e);
        }
    }
    return bytes;
}

bool stores_copies(const ptx::Instruction& in, const std::vector<uint32_t>& loaded) {
    const ptx::Traits& t = traits_of(in);
    if (t.memory != Memory::store || t.extent != Extent::typed) return false;
    const auto is_copy = [&](const Operand& o) {
        return o.kind != Kind::reg || loaded[static_cast<size_t>(o.index)] == ptx::bytes_of(in.types.back());
    };
    const Operand& data = *operand_in(in, t.data);
    return is_copy(data) && std::all_of(data.elements.begin(), data.elements.end(), is_copy);
}

PoisonStep plan_step(
    const PoisonFunction& f, const ptx::Instruction& in, const std::vector<uint32_t>& loaded
) {
    Planner p{*f.source, f.slots, {}};
    PoisonStep& s = p.step;
    s.in = &in;
    s.way = way_of(in);
    s.copies = stores_copies(in, loaded);
    if (in.op == ptx::Op::mark) return s;
    const ptx::Traits& traits = traits_of(in);
    const Type t = in.types.empty() ? Type::b32 : in.types[0];
    s.width = bits_of(t);
    s.source_width = in.types.empty() ? s.width : bits_of(in.types.back());
    s.is_signed = is_signed(s.way == Way::extend ? in.types.back() : t);
    if (in.guard.reg >= 0) {
        s.guard = p.cell(in.guard.reg);
        s.guard_negated = in.guard.negated;
        s.guard_decides = guard_decides(in);
    }
    const size_t written = ptx::destination_count(in);
    for (size_t k = 0; k < in.operands.size(); ++k) {
        const Operand& o = in.operands[k];
        const int8_t role = ptx::role_of(in, k);
        const bool by_itself = role != ptx::kNoRole && (traits.steers >> role & 1) != 0;
        if (k < written && o.kind != Kind::address)
            p.add_result(o);
        else if (by_itself && (traits.waits != Waits::block || !p.is_predicate(o)))
            p.add_decider(o, effect_of(traits, role));
        else if (s.way != Way::none || o.kind == Kind::address)
            p.add_source(o);
    }
    if (traits.memory == Memory::hint) s.deciders.clear();
    if (const Operand* size = operand_in(in, traits.size)) s.size = p.source_of(*size);
    if (const Operand* fill = operand_in(in, traits.fill)) s.fill = p.source_of(*fill);
    if (s.way == Way::table && s.sources.size() == 4) s.table = static_cast<uint8_t>(s.sources[3].value);
    if (s.way == Way::copy && s.width == 128) s.way = Way::all;
    for (const PoisonSource& source : s.sources) s.source_cells.push_back(source.cell);
    return s;
}

}  // namespace

namespace {

// Which stores go into which variable of shared memory.
void note_stores(const Program& program, PoisonPlan& plan) {
    plan.widest_store.resize(program.shared_variables.size(), 0);
    for (size_t k = 0; k < plan.steps.size(); ++k) {
        const PoisonStep& s = plan.steps[k];
        const uint32_t site = program.code[kPlain][k].site;
        const bool known = s.way == Way::store && site < program.shared_extents.size();
        if (!known || program.shared_extents[site] < 0) continue;
        uint32_t& widest = plan.widest_store[static_cast<size_t>(program.shared_extents[site])];
        widest = std::max<uint32_t>(widest, s.source_width / 8);
    }
}

}  // namespace

PoisonPlan plan_poison(const ptx::Module& module, const Program& program) {
    PoisonPlan plan;
    plan.steps.resize(program.code[kPlain].size());
    const std::vector<int> of_module = module_functions(program, module);
    for (size_t k = 0; k < program.functions.size(); ++k) {
        PoisonFunction& f = plan.functions.emplace_back();
        if (!program.functions[k].is_defined) continue;
        f.source = &module.functions[static_cast<size_t>(of_module[k])];
        RegisterFile unused;
        f.slots = assign_registers(*f.source, unused);
        const std::vector<uint32_t> loaded = loaded_bytes(*f.source);
        for (size_t at = 0; at < f.source->code.size(); ++at)
            plan.steps[program.functions[k].begin + at] = plan_step(f, f.source->code[at], loaded);
    }
    for (const MemorySpan& span : program.memory_spans)
        plan.steps[span.instruction].sites = &program.memory_sites[span.first];
    note_stores(program, plan);
    return plan;
}

}  // namespace wl::emulator
