// Other operations, terms that stand once too often, and what is missing behind an assignment.
#include "instrumentation/diagnosis/search/ptx_mutator.h"
#include "instrumentation/ptx/table/destinations.h"

#include <fmt/format.h>
#include <string_view>

namespace wl::diagnosis {

namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;

enum class Typed : uint8_t { same, bits, sign };  // the other's type: the same, .b32, .s32

struct Other {
    Op op;
    bool real;
    std::string_view was, now, mnemonic;  // of the other, up to its type
    Typed typed = Typed::same;
};
constexpr Other kOthers[] = {
    {Op::add,      false, "+",    "-",            "sub."       },
    {Op::add,      true,  "+",    "-",            "sub."       },
    {Op::sub,      false, "-",    "+",            "add."       },
    {Op::sub,      true,  "-",    "+",            "add."       },
    {Op::add,      false, "+",    "*",            "mul.lo."    },
    {Op::add,      true,  "+",    "*",            "mul."       },
    {Op::mul,      false, "*",    "+",            "add."       },
    {Op::mul,      true,  "*",    "+",            "add."       },
    {Op::mul,      false, "*",    "/",            "div."       },
    {Op::mul,      true,  "*",    "/",            "div.rn."    },
    {Op::div,      false, "/",    "*",            "mul.lo."    },
    {Op::div,      true,  "/",    "*",            "mul."       },
    {Op::div,      false, "/",    "%",            "rem."       },
    {Op::rem,      false, "%",    "/",            "div."       },
    {Op::min,      false, "min",  "max",          "max."       },
    {Op::min,      true,  "min",  "max",          "max."       },
    {Op::max,      false, "max",  "min",          "min."       },
    {Op::max,      true,  "max",  "min",          "min."       },
    {Op::shl,      false, "<<",   ">>",           "shr.",        Typed::sign},
    {Op::shr,            false,           ">>", "<<", "shl.",          Typed::bits},
    {Op::and_, false,      "&",     "|",              "or."         },
    {Op::or_,       false,            "|",            "&",  "and."},
    {Op::and_,      false,           "&",          "^",             "xor."                     },
    {Op::xor_,      false,           "^",          "&",  "and."},
};

std::string mnemonic_of(const Other& o, Type type) {
    const std::string bits = std::to_string(8 * ptx::bytes_of(type));
    return std::string(o.mnemonic) +
        (o.typed == Typed::bits       ? "b" + bits
             : o.typed == Typed::sign ? "s" + bits
                                      : std::string(ptx::name_of(type)));
}

std::string_view sign_of(Op op) {
    for (const Other& o : kOthers)
        if (o.op == op) return o.was;
    return {};
}

bool has_order(Op op) {
    return op == Op::sub || op == Op::div || op == Op::rem || op == Op::shl || op == Op::shr;
}

// What may be put in behind `d = ...`.
struct Assignment {
    PtxMutator& m;
    std::string variable;
    std::string d;  // its register
    bool real = false;

    void add(const char* rule, std::string now, std::string text) const {
        m.add(
            {rule,
             3,
             variable + " = ...",
             std::move(now),
             [at = m.at, text = std::move(text)](ptx::Module& changed) {
                 return ptx::insert_after(changed, {at}, text);
             }}
        );
    }
    std::string sum(const std::string& other) const {
        return fmt::format("{0} {1}, {1}, {2};", real ? "add.f32" : "add.s32", d, other);
    }
    std::string product(const std::string& other) const {
        return fmt::format("{0} {1}, {1}, {2};", real ? "mul.f32" : "mul.lo.s32", d, other);
    }
    std::string loaded_product(const Parameter& p) const {
        return fmt::format(
            "{{ .reg .{0} %wl_p; ld.param.{0} %wl_p, [{1}]; {2} }}",
            ptx::name_of(p.type),
            p.ptx_name,
            product("%wl_p")
        );
    }
};

}  // namespace

void add_operations(PtxMutator& m) {
    const Instruction& i = m.instruction();
    if (i.operands.size() != 3 || i.types.empty()) return;
    for (const Other& o : kOthers) {
        if (o.op != i.op || o.real != is_real(scalar_type(i))) continue;
        m.add(
            {"wrong_operation",
             1,
             std::string(o.was),
             std::string(o.now),
             [at = m.at, mnemonic = mnemonic_of(o, scalar_type(i))](ptx::Module& changed) {
                 return ptx::change(changed, {at}, [&](Instruction& draft) -> std::string {
                     draft.mnemonic = mnemonic;
                     return {};
                 });
             }}
        );
    }
}

// `b - a` for `a - b`; `a` or `b` alone.
void add_parts(PtxMutator& m) {
    const Instruction& i = m.instruction();
    const std::string_view sign = sign_of(i.op);
    if (sign.empty() || i.operands.size() != 3 || ptx::bytes_of(scalar_type(i)) > 4) return;
    const std::string a = m.text(i.operands[1]), b = m.text(i.operands[2]);
    const std::string whole = fmt::format("{} {} {}", a, sign, b);
    if (has_order(i.op))
        m.add(
            {"wrong_operand",
             1,
             whole,
             fmt::format("{} {} {}", b, sign, a),
             [at = m.at](ptx::Module& changed) {
                 return ptx::change(changed, {at}, [](Instruction& draft) -> std::string {
                     std::swap(draft.operands[1], draft.operands[2]);
                     return {};
                 });
             }}
        );
    for (const size_t k : {size_t{1}, size_t{2}})
        m.add(
            {i.op == Op::add ? "double_count" : "constant_factor",
             2,
             whole,
             k == 1 ? a : b,
             [at = m.at, k](ptx::Module& changed) { return ptx::replace_by_move(changed, {at}, k); }}
        );
}

void add_insertions(PtxMutator& m) {
    const Instruction& i = m.instruction();
    if (ptx::destination_count(i) != 1 || i.operands.front().kind != Operand::Kind::reg) return;
    const Operand& d = i.operands.front();
    const Type type = m.type_of(d);
    if (type == Type::pred || ptx::bytes_of(type) != 4) return;
    const auto name = [&](int32_t reg) { return m.function().registers[static_cast<size_t>(reg)].name; };
    for (const Assigned& v : assigned_at(m.module, m.variables, m.at, d.index)) {
        const Assignment a{m, v.name, name(d.index), is_real(type)};
        if (v.before >= 0) a.add("partial_reduction", v.name + " += ...", a.sum(name(v.before)));
        for (const Named& n : at_hand(m.module, m.variables, m.at, type)) {
            if (n.reg == d.index || n.reg == v.before) continue;
            a.add("missing_rescale", fmt::format("{} = ... * {}", v.name, n.name), a.product(name(n.reg)));
            if (a.real)
                a.add(
                    "missing_rescale",
                    fmt::format("{} = ... / {}", v.name, n.name),
                    fmt::format("div.rn.f32 {0}, {0}, {1};", a.d, name(n.reg))
                );
            a.add("partial_reduction", fmt::format("{} = ... + {}", v.name, n.name), a.sum(name(n.reg)));
        }
        for (const Parameter& p : number_parameters(m.module, m.variables, m.at.function))
            if (is_real(p.type) == a.real)
                a.add("missing_rescale", fmt::format("{} = ... * {}", v.name, p.name), a.loaded_product(p));
        a.add("boundary_off_by_one", v.name + " = ... + 1", a.sum(a.real ? "0f3F800000" : "1"));
        a.add("boundary_off_by_one", v.name + " = ... - 1", a.sum(a.real ? "0fBF800000" : "-1"));
    }
}

}  // namespace wl::diagnosis
