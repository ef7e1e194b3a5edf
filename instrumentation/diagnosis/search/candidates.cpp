// Every change is of one instruction, or puts one in behind it; ptx/edit refuses those that no program has.
#include "instrumentation/diagnosis/search/candidates.h"

#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/at_hand.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/special_register.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <span>

namespace wl::diagnosis {

namespace {

using ptx::Compare;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;
using Kind = Operand::Kind;

struct Maker {
    const ptx::Module& module;
    const Extents& extents;
    variables::Variables variables;
    std::vector<Candidate> out = {};
    ptx::Place at = {};
    int32_t location = -1;

    const ptx::Function& function() const { return module.functions[at.function]; }
    const Instruction& instruction() const { return function().code[at.at]; }
    Type type_of(const Operand& reg) const {
        return function().registers[static_cast<size_t>(reg.index)].type;
    }
    std::string text(const Operand& o) const { return operand_text(module, variables, at, o); }

    void add(Candidate c) {
        c.place = at, c.location = location;
        out.push_back(std::move(c));
    }
    void add_operand(const char* rule, int cost, size_t k, const Operand& value, std::string now) {
        add(
            {rule,
             cost,
             {},
             -1,
             text(instruction().operands[k]),
             std::move(now),
             [at = at, k, value](ptx::Module& m) { return ptx::set_operand(m, {at}, k, value); }}
        );
    }
};

// ---- what decides

struct Sign {
    Compare compare;
    const char* text;
};
// Of these each may stand for each; unsigned and unordered forms likewise.
constexpr std::array<std::array<Sign, 6>, 3> kSigns = {
    {{{{Compare::lt, "<"},
       {Compare::le, "<="},
       {Compare::gt, ">"},
       {Compare::ge, ">="},
       {Compare::eq, "=="},
       {Compare::ne, "!="}}},
     {{{Compare::lo, "<"},
       {Compare::ls, "<="},
       {Compare::hi, ">"},
       {Compare::hs, ">="},
       {Compare::eq, "=="},
       {Compare::ne, "!="}}},
     {{{Compare::ltu, "<"},
       {Compare::leu, "<="},
       {Compare::gtu, ">"},
       {Compare::geu, ">="},
       {Compare::equ, "=="},
       {Compare::neu, "!="}}}}
};

void comparisons(Maker& m) {
    const Instruction& i = m.instruction();
    if (i.op != Op::setp && i.op != Op::set) return;
    for (const auto& family : kSigns) {
        const auto is = [&](const Sign& s) { return s.compare == i.modifiers.compare; };
        const auto was = std::find_if(family.begin(), family.end(), is);
        if (was == family.end()) continue;
        for (size_t k = 0; k < family.size(); ++k) {
            if (is(family[k])) continue;
            const bool strictness = static_cast<size_t>(was - family.begin()) / 2 == k / 2;
            m.add(
                {"boundary_off_by_one",
                 strictness ? 1 : 2,
                 {},
                 -1,
                 was->text,
                 family[k].text,
                 [at = m.at, to = family[k].compare](ptx::Module& changed) {
                     return ptx::set_comparison(changed, {at}, to);
                 }}
            );
        }
        return;
    }
}

void guards(Maker& m) {
    const Instruction& i = m.instruction();
    if (i.op != Op::bra || i.guard.reg < 0) return;
    m.add(
        {"wrong_condition",
         2,
         {},
         -1,
         "the condition",
         "none: whatever it says",
         [at = m.at](ptx::Module& changed) { return ptx::fix_guard(changed, {at}, false); }}
    );
    m.add({"wrong_condition", 2, {}, -1, "the condition", "never", [at = m.at](ptx::Module& changed) {
               return ptx::fix_guard(changed, {at}, true);
           }});
}

// ---- numbers

// Numbers that somebody may have meant instead, the next ones first.
std::vector<std::pair<int64_t, int>> other_numbers(int64_t v, const Extents& extents) {
    std::vector<std::pair<int64_t, int>> out = {
        {v + 1, 1},
        {v - 1, 1},
        {2 * v, 2}
    };
    if (v % 2 == 0) out.emplace_back(v / 2, 2);
    if (v != 0) out.emplace_back(0, 2);
    for (const int64_t e : extents) {
        const bool known = std::any_of(out.begin(), out.end(), [e](const auto& o) { return o.first == e; });
        if (!known && e != v) out.emplace_back(e, 2);
    }
    return out;
}

// Sizes of elements are scaled in 64 bits, by the compiler: nobody wrote these numbers.
bool is_written_number(const Instruction& i, Type type) {
    if (i.op == Op::bar || i.op == Op::call || i.op == Op::cvta) return false;
    return ptx::bytes_of(type) == 4 && type != Type::pred;
}

Type scalar_type(const Instruction& i) { return i.types.empty() ? Type::none : i.types.back(); }

void whole_numbers(Maker& m) {
    const Instruction& i = m.instruction();
    if (!is_written_number(i, scalar_type(i))) return;
    const bool decides = i.op == Op::setp || i.op == Op::set;
    for (size_t k = 0; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.kind != Kind::immediate || o.floating) continue;
        for (const auto& [value, cost] : other_numbers(static_cast<int64_t>(o.bits), m.extents)) {
            Operand other = o;
            other.bits = static_cast<uint64_t>(value);
            m.add_operand(
                decides ? "boundary_off_by_one" : "wrong_constant", cost, k, other, fmt::format("{}", value)
            );
        }
    }
}

void real_numbers(Maker& m) {
    const Instruction& i = m.instruction();
    constexpr float kLog2E = 1.4426950408889634f, kInf = std::numeric_limits<float>::infinity();
    for (size_t k = 1; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.kind != Kind::immediate || !o.floating || o.wide) continue;
        const auto v = std::bit_cast<float>(static_cast<uint32_t>(ptx::value_of(o, Type::f32)));
        std::set<uint32_t> tried = {std::bit_cast<uint32_t>(v)};
        for (const float value :
             {0.0f,
              1.0f,
              -1.0f,
              -kInf,
              kInf,
              v * 2,
              v / 2,
              -v,
              1 / v,
              v + 1,
              v - 1,
              v * kLog2E,
              v / kLog2E}) {
            const auto bits = std::bit_cast<uint32_t>(value);
            if (std::isnan(value) || !tried.insert(bits).second) continue;
            Operand other = o;
            other.bits = bits;
            m.add_operand(
                i.op == Op::mov ? "wrong_initial_value" : "wrong_constant",
                2,
                k,
                other,
                number_text(other, Type::f32)
            );
        }
    }
}

// ---- operands

void other_operands(Maker& m) {
    const Instruction& i = m.instruction();
    if (i.op == Op::mov || i.op == Op::bra || i.op == Op::call || i.op == Op::cvta || i.op == Op::mark)
        return;
    for (size_t k = ptx::destination_count(i); k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.kind != Kind::reg) continue;
        const Type type = m.type_of(o);
        if (type == Type::pred) continue;
        for (const Named& n : at_hand(m.module, m.variables, m.at, type)) {
            if (n.reg == o.index) continue;
            Operand other = o;
            other.index = n.reg;
            const bool pointer = ptx::bytes_of(type) == 8;
            m.add_operand(pointer ? "wrong_operand" : "wrong_index", 2, k, other, n.name);
        }
    }
}

// threadIdx.x for threadIdx.y, blockIdx.y, ...
void special_operands(Maker& m) {
    const Instruction& i = m.instruction();
    for (size_t k = 1; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        constexpr auto kLast = static_cast<int32_t>(ptx::SpecialRegister::nctaid_z);
        if (o.kind != Kind::special || o.index > kLast) continue;
        for (int32_t other = 0; other <= kLast; ++other) {
            const bool same_axis = other % 3 == o.index % 3, same_kind = other / 3 == o.index / 3;
            if (other == o.index || !(same_axis || same_kind)) continue;
            Operand value = o;
            value.index = other;
            m.add_operand("wrong_index", same_kind ? 1 : 2, k, value, m.text(value));
        }
    }
}

// Another array of the same space.
void other_symbols(Maker& m) {
    const Instruction& i = m.instruction();
    for (size_t k = 1; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.kind != Kind::symbol) continue;
        const std::vector<ptx::Variable>& all = o.local ? m.function().variables : m.module.variables;
        for (size_t v = 0; v < all.size(); ++v) {
            const ptx::Variable& was = all[static_cast<size_t>(o.index)];
            if (static_cast<int32_t>(v) == o.index || all[v].space != was.space ||
                was.space == ptx::Space::param)
                continue;
            Operand value = o;
            value.index = static_cast<int32_t>(v);
            m.add_operand("wrong_operand", 2, k, value, m.text(value));
        }
    }
}

// ---- operations

struct Other {
    Op op;
    bool floating;
    const char *was, *now, *mnemonic;  // the mnemonic up to the type
};
constexpr Other kOthers[] = {
    {Op::add,  false, "+",   "-",   "sub."   },
    {Op::add,  true,  "+",   "-",   "sub."   },
    {Op::sub,  false, "-",   "+",   "add."   },
    {Op::sub,  true,  "-",   "+",   "add."   },
    {Op::add,  false, "+",   "*",   "mul.lo."},
    {Op::add,  true,  "+",   "*",   "mul."   },
    {Op::mul,  false, "*",   "+",   "add."   },
    {Op::mul,  true,  "*",   "+",   "add."   },
    {Op::mul,  false, "*",   "/",   "div."   },
    {Op::mul,  true,  "*",   "/",   "div.rn."},
    {Op::div,  false, "/",   "*",   "mul.lo."},
    {Op::div,  true,  "/",   "*",   "mul."   },
    {Op::div,  false, "/",   "%",   "rem."   },
    {Op::rem,  false, "%",   "/",   "div."   },
    {Op::min,  false, "min", "max", "max."   },
    {Op::min,  true,  "min", "max", "max."   },
    {Op::max,  false, "max", "min", "min."   },
    {Op::max,  true,  "max", "min", "min."   },
    {Op::shl,  false, "<<",  ">>",  "shr."   },
    {Op::shr,  false, ">>",  "<<",  "shl."   },
    {Op::and_, false, "&",   "|",   "or."    },
    {Op::or_,  false, "|",   "&",   "and."   },
    {Op::and_, false, "&",   "^",   "xor."   },
    {Op::xor_, false, "^",   "&",   "and."   },
};

bool is_float(Type t) { return t == Type::f32 || t == Type::f64 || t == Type::f16; }

void other_operations(Maker& m) {
    const Instruction& i = m.instruction();
    if (i.operands.size() != 3 || i.types.empty()) return;
    const Type type = i.types.back();
    for (const Other& o : kOthers) {
        if (o.op != i.op || o.floating != is_float(type)) continue;
        const std::string named(ptx::name_of(type));
        const bool bits = o.mnemonic == std::string_view("shl.") || o.mnemonic == std::string_view("or.") ||
            o.mnemonic == std::string_view("and.") || o.mnemonic == std::string_view("xor.");
        const std::string mnemonic = o.mnemonic +
            (bits                                         ? "b" + std::to_string(8 * ptx::bytes_of(type))
                 : o.mnemonic == std::string_view("shr.") ? "s" + std::to_string(8 * ptx::bytes_of(type))
                                                          : named);
        m.add({"wrong_operation", 1, {}, -1, o.was, o.now, [at = m.at, mnemonic](ptx::Module& changed) {
                   return ptx::change(changed, {at}, [&](Instruction& draft) -> std::string {
                       draft.mnemonic = mnemonic;
                       return {};
                   });
               }});
    }
}

const char* sign_of(Op op) {
    for (const Other& o : kOthers)
        if (o.op == op) return o.was;
    return nullptr;
}

// `b - a` for `a - b`; `a` or `b` alone, as where a term stands once too often.
void parts(Maker& m) {
    const Instruction& i = m.instruction();
    const char* const sign = sign_of(i.op);
    if (sign == nullptr || i.operands.size() != 3 || ptx::bytes_of(scalar_type(i)) > 4) return;
    const std::string a = m.text(i.operands[1]), b = m.text(i.operands[2]);
    const std::string whole = fmt::format("{} {} {}", a, sign, b);
    if (i.op == Op::sub || i.op == Op::div || i.op == Op::rem || i.op == Op::shl || i.op == Op::shr)
        m.add(
            {"wrong_operand",
             1,
             {},
             -1,
             whole,
             fmt::format("{} {} {}", b, sign, a),
             [at = m.at](ptx::Module& changed) {
                 return ptx::change(changed, {at}, [](Instruction& draft) -> std::string {
                     std::swap(draft.operands[1], draft.operands[2]);
                     return {};
                 });
             }}
        );
    for (size_t k = 1; k <= 2; ++k)
        m.add(
            {i.op == Op::add ? "double_count" : "constant_factor",
             2,
             {},
             -1,
             whole,
             k == 1 ? a : b,
             [at = m.at, k](ptx::Module& changed) { return ptx::replace_by_move(changed, {at}, k); }}
        );
}

// ---- what is missing

ptx::Edit put_behind(ptx::Module& m, const ptx::Place& at, const std::string& text) {
    return ptx::insert_after(m, {at}, text);
}

void insertions(Maker& m) {
    const Instruction& i = m.instruction();
    if (ptx::destination_count(i) != 1 || i.operands.front().kind != Kind::reg || i.op == Op::ld) return;
    const Operand& d = i.operands.front();
    const Type type = m.type_of(d);
    if (type == Type::pred || ptx::bytes_of(type) != 4) return;
    const auto name = [&](int32_t reg) { return m.function().registers[static_cast<size_t>(reg)].name; };
    const bool real = is_float(type);
    const std::string add = real ? "add.f32" : "add.s32", mul = real ? "mul.f32" : "mul.lo.s32";
    for (const Assigned& v : assigned_at(m.module, m.variables, m.at, d.index)) {
        const auto insert = [&](const char* rule, std::string now, std::string text) {
            m.add(
                {rule,
                 3,
                 {},
                 -1,
                 v.name + " = ...",
                 std::move(now),
                 [at = m.at, text](ptx::Module& changed) { return put_behind(changed, at, text); }}
            );
        };
        if (v.before >= 0 && v.before != d.index)
            insert(
                "partial_reduction",
                v.name + " += ...",
                fmt::format("{} {}, {}, {};", add, name(d.index), name(d.index), name(v.before))
            );
        for (const Named& n : at_hand(m.module, m.variables, m.at, type)) {
            if (n.reg == d.index) continue;
            insert(
                "missing_rescale",
                fmt::format("{} = ... * {}", v.name, n.name),
                fmt::format("{} {}, {}, {};", mul, name(d.index), name(d.index), name(n.reg))
            );
            if (real)
                insert(
                    "missing_rescale",
                    fmt::format("{} = ... / {}", v.name, n.name),
                    fmt::format("div.rn.f32 {}, {}, {};", name(d.index), name(d.index), name(n.reg))
                );
            insert(
                "partial_reduction",
                fmt::format("{} = ... + {}", v.name, n.name),
                fmt::format("{} {}, {}, {};", add, name(d.index), name(d.index), name(n.reg))
            );
        }
        for (const int step : {1, -1})
            insert(
                "boundary_off_by_one",
                fmt::format("{} = ... {} 1", v.name, step > 0 ? '+' : '-'),
                real ? fmt::format("add.f32 {0}, {0}, {1};", name(d.index), step > 0 ? "0f3F800000" : "0fBF800000")
                     : fmt::format("add.s32 {0}, {0}, {1};", name(d.index), step)
            );
    }
}

void all_of(Maker& m) {
    comparisons(m);
    guards(m);
    whole_numbers(m);
    real_numbers(m);
    special_operands(m);
    other_symbols(m);
    other_operations(m);
    parts(m);
    other_operands(m);
    insertions(m);
}

}  // namespace

std::vector<Candidate> candidates(
    const ptx::Module& module, const std::vector<size_t>& functions, const Extents& extents
) {
    Maker m{module, extents, variables::read(module)};
    for (const size_t f : functions)
        for (uint32_t at = 0; at < module.functions[f].code.size(); ++at) {
            const Instruction& i = module.functions[f].code[at];
            m.location = user_location(module, i.location);
            if (m.location < 0 || i.op == Op::mark || i.op == Op::unsupported) continue;
            const ptx::Location& l = module.locations[static_cast<size_t>(m.location)];
            if (l.line == 0 || is_toolkit_header(module.files[static_cast<size_t>(l.file)])) continue;
            m.at = {f, at};
            all_of(m);
        }
    std::stable_sort(m.out.begin(), m.out.end(), [](const Candidate& a, const Candidate& b) {
        return a.cost < b.cost;
    });
    return std::move(m.out);
}

}  // namespace wl::diagnosis
