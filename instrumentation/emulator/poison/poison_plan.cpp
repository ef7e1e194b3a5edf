// Instructions to steps: which registers are read, written, or decide, and the way between them.
#include "instrumentation/emulator/poison/poison_plan.h"

#include "instrumentation/emulator/lower/check.h"
#include "instrumentation/emulator/lower/lowering.h"
#include "instrumentation/emulator/replay/travel.h"
#include "instrumentation/ptx/table/destinations.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Mode;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
using Way = PoisonWay;
using Kind = Operand::Kind;

bool is_pair(Type t) { return t == Type::f16x2 || t == Type::bf16x2 || t == Type::u16x2 || t == Type::s16x2; }
bool is_signed(Type t) { return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64; }
bool is_integer(Type t) {
    return is_signed(t) || t == Type::u8 || t == Type::u16 || t == Type::u32 || t == Type::u64;
}
uint8_t bits_of(Type t) { return t == Type::pred ? 1 : static_cast<uint8_t>(8 * ptx::bytes_of(t)); }

Way way_of_arithmetic(const ptx::Instruction& in) {
    const Type t = in.types.empty() ? Type::none : in.types[0];
    const auto& m = in.modifiers;
    if (is_pair(t)) return Way::halves;
    const bool low = in.op == Op::add || in.op == Op::sub || m.mode == Mode::lo;
    return low && is_integer(t) && !m.sat && !m.cc ? Way::carry : Way::all;
}

Way way_of_conversion(const ptx::Instruction& in) {
    if (in.types.size() != 2) return Way::all;
    if ((in.types[0] == Type::f16x2 || in.types[0] == Type::bf16x2) && in.operands.size() == 3)
        return Way::pack;
    return is_integer(in.types[0]) && is_integer(in.types[1]) && !in.modifiers.sat ? Way::extend : Way::all;
}

Way way_of_values(const ptx::Instruction& in) {
    const auto& m = in.modifiers;
    switch (in.op) {
        case Op::mov: return Way::copy;
        case Op::and_: return Way::bit_and;
        case Op::or_: return Way::bit_or;
        case Op::xor_:
        case Op::not_: return Way::bit_xor;
        case Op::lop3: return m.bool_op == ptx::BoolOp::none ? Way::table : Way::all;
        case Op::shl: return Way::shift_left;
        case Op::shr: return Way::shift_right;
        case Op::shf: return Way::funnel;
        case Op::prmt: return m.mode == Mode::none ? Way::permute : Way::all;
        case Op::selp: return Way::select;
        case Op::bfe: return Way::field;
        case Op::bfi: return Way::insert;
        case Op::cvt: return way_of_conversion(in);
        case Op::setp: return m.bool_op == ptx::BoolOp::none || m.pair ? Way::all : Way::compare;
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::mad:
        case Op::fma:
        case Op::min:
        case Op::max:
        case Op::neg:
        case Op::abs: return way_of_arithmetic(in);
        default: return Way::all;
    }
}

Way way_of_memory(const ptx::Instruction& in) {
    const bool param = in.modifiers.space == Space::param;
    switch (in.op) {
        case Op::ld:
        case Op::ldu: return param ? Way::clean : Way::load;
        case Op::st: return param ? Way::lost : Way::store;
        case Op::atom:
        case Op::red: return Way::atomic;
        case Op::cp_async: return Way::copy_async;
        case Op::ldmatrix: return Way::load_rows;
        case Op::stmatrix: return Way::store_rows;
        case Op::wmma_load: return Way::load_fragment;
        case Op::wmma_store: return Way::store_fragment;
        case Op::sust:
        case Op::sured: return Way::leave;
        default: return Way::none;
    }
}

Way way_of(const ptx::Instruction& in) {
    if (const Way memory = way_of_memory(in); memory != Way::none) return memory;
    switch (in.op) {
        case Op::mark:
        case Op::prefetch:
        case Op::prefetchu: return Way::none;
        case Op::movmatrix: return Way::transpose;
        case Op::wmma_mma:
        case Op::mma:
        case Op::mma_sp: return Way::product;
        case Op::shfl: return Way::shuffle;
        case Op::vote: return in.modifiers.mode == Mode::ballot ? Way::ballot : Way::across;
        case Op::match:
        case Op::redux: return Way::across;
        case Op::bar: return in.modifiers.mode == Mode::red ? Way::reduce : Way::none;
        case Op::call: return Way::lost;
        case Op::activemask:
        case Op::elect:
        case Op::tex:
        case Op::tld4:
        case Op::txq:
        case Op::suld:
        case Op::suq:
        case Op::mbarrier_arrive:
        case Op::mbarrier_arrive_drop:
        case Op::mbarrier_test_wait:
        case Op::mbarrier_try_wait: return Way::clean;
        default: return way_of_values(in);
    }
}

bool guard_decides(const ptx::Instruction& in) {
    return ptx::destination_count(in) == 0 || in.op == Op::call || in.op == Op::atom || in.op == Op::bar;
}

// Which operands decide something whatever becomes of the result; -1: those that are no address do not.
struct Decides {
    int from = -1, count = 0;
    PoisonEffect effect = PoisonEffect::branch;
};
Decides deciding_operands(const ptx::Instruction& in) {
    const int first = static_cast<int>(ptx::destination_count(in));
    switch (in.op) {
        case Op::brx_idx: return {0, 1, PoisonEffect::branch};
        case Op::bar: return {first, 2, PoisonEffect::barrier};
        case Op::bar_warp_sync: return {0, 1, PoisonEffect::barrier};
        case Op::shfl: return {first + 1, 3, PoisonEffect::lane};
        case Op::vote:
        case Op::match:
        case Op::redux: return {first + 1, 1, PoisonEffect::lane};
        case Op::call: return {1, 1, PoisonEffect::call};
        case Op::wmma_load:
        case Op::wmma_store: return {2, 1, PoisonEffect::address};
        case Op::cp_async: return {2, 2, PoisonEffect::address};
        default: return {};
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
    void add_source(const Operand& o) {
        if (o.kind == Kind::address) return add_decider(o, PoisonEffect::address);
        if (o.kind == Kind::reg) {
            each_cell(o.index, [&](PoisonCell c) { step.sources.push_back({c, o.negated, 0}); });
        } else if (o.kind == Kind::immediate) {
            const Type t = step.in->types.empty() ? Type::b32 : step.in->types[0];
            step.sources.push_back({{}, o.negated, o.floating ? ptx::value_of(o, t) : o.bits});
        } else if (o.kind == Kind::special || o.kind == Kind::symbol) {
            step.sources.emplace_back();
            if (step.way >= Way::bit_and && step.way <= Way::compare) step.way = Way::all;
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
        const bool loads = (in.op == Op::ld || in.op == Op::ldu) && !in.types.empty();
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
    if (in.op != Op::st || in.operands.size() < 2 || in.types.empty()) return false;
    const auto is_copy = [&](const Operand& o) {
        return o.kind != Kind::reg || loaded[static_cast<size_t>(o.index)] == ptx::bytes_of(in.types.back());
    };
    const Operand& data = in.operands[1];
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
    if (s.way == Way::none && in.op == Op::mark) return s;
    const Type t = in.types.empty() ? Type::b32 : in.types[0];
    s.width = bits_of(t);
    s.source_width = in.types.empty() ? s.width : bits_of(in.types.back());
    s.is_signed = is_signed(in.op == Op::cvt ? in.types.back() : t);
    if (in.guard.reg >= 0) {
        s.guard = p.cell(in.guard.reg);
        s.guard_negated = in.guard.negated;
        s.guard_decides = guard_decides(in);
    }
    const size_t written = in.op == Op::sured ? 0 : ptx::destination_count(in);
    const Decides decides = deciding_operands(in);
    for (size_t k = 0; k < in.operands.size(); ++k) {
        const auto at = static_cast<int>(k);
        const bool by_itself = at >= decides.from && at < decides.from + decides.count;
        if (k < written && in.operands[k].kind != Kind::address)
            p.add_result(in.operands[k]);
        else if (by_itself && (in.op != Op::bar || !p.is_predicate(in.operands[k])))
            p.add_decider(in.operands[k], decides.effect);
        else if (s.way != Way::none || in.operands[k].kind == Kind::address)
            p.add_source(in.operands[k]);
    }
    if (s.way == Way::none && (in.op == Op::prefetch || in.op == Op::prefetchu)) s.deciders.clear();
    if (in.op == Op::not_) s.sources.resize(1);
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
    note_stores(program, plan);
    return plan;
}

}  // namespace wl::emulator
