// Signs, conditions and numbers.
#include "instrumentation/diagnosis/search/ptx_mutator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace wl::diagnosis {

namespace {

using ptx::Compare;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;
using Kind = Operand::Kind;

struct Sign {
    Compare compare;
    const char* text;
};
using Family = std::array<Sign, 6>;
// Of these each may stand for each of its family: neighbours differ in strictness.
constexpr Family kSigned = {
    {{Compare::lt, "<"},
     {Compare::le, "<="},
     {Compare::gt, ">"},
     {Compare::ge, ">="},
     {Compare::eq, "=="},
     {Compare::ne, "!="}}
};
constexpr Family kUnsigned = {
    {{Compare::lo, "<"},
     {Compare::ls, "<="},
     {Compare::hi, ">"},
     {Compare::hs, ">="},
     {Compare::eq, "=="},
     {Compare::ne, "!="}}
};
constexpr Family kUnordered = {
    {{Compare::ltu, "<"},
     {Compare::leu, "<="},
     {Compare::gtu, ">"},
     {Compare::geu, ">="},
     {Compare::equ, "=="},
     {Compare::neu, "!="}}
};

bool decides(const Instruction& i) { return i.op == Op::setp || i.op == Op::set; }

struct Number {
    int64_t value;
    int cost;
};

// Numbers that somebody may have meant instead, the next ones first.
std::vector<Number> other_numbers(int64_t v, const std::vector<int64_t>& in_play) {
    std::vector<Number> out = {
        {v + 1, 1},
        {v - 1, 1},
        {2 * v, 2}
    };
    if (v % 2 == 0) out.push_back({v / 2, 2});
    if (v != 0) out.push_back({0, 2});
    for (const int64_t n : in_play) {
        const bool known = std::any_of(out.begin(), out.end(), [n](const Number& o) { return o.value == n; });
        if (!known && n != v) out.push_back({n, 2});
    }
    return out;
}

}  // namespace

void add_comparisons(PtxMutator& m) {
    const Instruction& i = m.instruction();
    if (!decides(i)) return;
    for (const Family& family : {kSigned, kUnsigned, kUnordered}) {
        const auto is = [&](const Sign& s) { return s.compare == i.modifiers.compare; };
        const auto* const was = std::find_if(family.begin(), family.end(), is);
        if (was == family.end()) continue;
        for (size_t k = 0; k < family.size(); ++k) {
            if (is(family[k])) continue;
            const bool strictness = static_cast<size_t>(was - family.begin()) / 2 == k / 2;
            m.add(
                {"boundary_off_by_one",
                 strictness ? 1 : 2,
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

// A debug build branches past what a condition guards.
void add_conditions(PtxMutator& m) {
    const Instruction& i = m.instruction();
    if (i.op != Op::bra || i.guard.reg < 0) return;
    for (const bool past : {false, true})
        m.add(
            {"wrong_condition",
             2,
             "the condition",
             past ? "false" : "true",
             [at = m.at, past](ptx::Module& changed) { return ptx::fix_guard(changed, {at}, past); }}
        );
}

// Sizes of elements are scaled in 64 bits, by the compiler: nobody wrote those numbers.
void add_whole_numbers(PtxMutator& m) {
    const Instruction& i = m.instruction();
    const Type type = scalar_type(i);
    if (i.op == Op::bar || i.op == Op::call || i.op == Op::cvta || type == Type::pred ||
        ptx::bytes_of(type) != 4)
        return;
    for (size_t k = 0; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.kind != Kind::immediate || o.floating) continue;
        for (const Number& n : other_numbers(static_cast<int64_t>(o.bits), m.in_play.numbers)) {
            Operand other = o;
            other.bits = static_cast<uint64_t>(n.value);
            m.add_operand(
                {decides(i) ? "boundary_off_by_one" : "wrong_constant",
                 n.cost,
                 {},
                 fmt::format("{}", n.value),
                 {}},
                k,
                other
            );
        }
    }
}

void add_real_numbers(PtxMutator& m) {
    const Instruction& i = m.instruction();
    constexpr float kLog2E = 1.4426950408889634F, kInf = std::numeric_limits<float>::infinity();
    for (size_t k = 1; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.kind != Kind::immediate || !o.floating || o.wide) continue;
        const auto v = std::bit_cast<float>(static_cast<uint32_t>(ptx::value_of(o, Type::f32)));
        std::set<uint32_t> tried = {std::bit_cast<uint32_t>(v)};
        for (const float value :
             {0.0F,
              1.0F,
              -1.0F,
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
                {i.op == Op::mov ? "wrong_initial_value" : "wrong_constant",
                 2,
                 {},
                 number_text(other, Type::f32),
                 {}},
                k,
                other
            );
        }
    }
}

}  // namespace wl::diagnosis
