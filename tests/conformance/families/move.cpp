// mov in all its meanings, and addresses between spaces.
#include "tests/conformance/families/families.h"

#include <array>

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Type;

Case plain_move(const ptx::Form& form, Type type) {
    Kernel k;
    const std::string words = "mov." + std::string(name_of(type));
    const Operand operand = type == Type::pred ? Operand{type, Flavour::predicate} : Operand{type};
    const std::string a = inputs(k, {operand}, 81)[0], d = new_register(k, type);
    line(k, words + " " + d + ", " + a);
    output(k, type, d);
    return finish(k, form, words);
}

struct Packing {
    Type whole, part;
    uint32_t count;
};
constexpr std::array<Packing, 7> kPackings = {
    {
     {Type::b16, Type::b8, 2},
     {Type::b32, Type::b16, 2},
     {Type::b32, Type::b8, 4},
     {Type::b64, Type::b32, 2},
     {Type::b64, Type::b16, 4},
     {Type::b128, Type::b64, 2},
     {Type::b128, Type::b32, 4},
     }
};

// Registers of exactly the part's width: mov takes no wider ones.
std::string narrow_register(Kernel& k, Type type) {
    if (type != Type::b8) return new_register(k, type);
    const std::string name = "%w" + std::to_string(k.fresh++);
    k.registers += "    .reg .b8 " + name + ";\n";
    return name;
}

std::vector<Case> packing_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    for (const Packing& p : kPackings) {
        const std::string words = "mov." + std::string(name_of(p.whole));
        const std::string label = std::to_string(p.count) + " x " + std::string(name_of(p.part));
        Kernel k;
        std::vector<std::string> in, out;
        Random random{83};
        for (uint32_t i = 0; i < p.count; ++i) {
            std::vector<uint64_t> values;
            for (uint32_t t = 0; t < threads(k); ++t) values.push_back(next(random));
            const std::string wide = input(k, p.part, values);
            in.push_back(wide);
            if (p.part == Type::b8) {
                in.back() = narrow_register(k, p.part);
                line(k, "cvt.u8.u32 " + in.back() + ", " + wide);
            }
        }
        const std::string whole = new_register(k, p.whole);
        line(k, words + " " + whole + ", " + braced(in));
        for (uint32_t i = 0; i < p.count; ++i) out.push_back(narrow_register(k, p.part));
        line(k, words + " " + braced(out) + ", " + whole);
        for (uint32_t i = p.count; i-- > 0;) {  // backwards: order is told
            std::string part = out[i];
            if (p.part == Type::b8) {
                part = new_register(k, Type::b32);
                line(k, "cvt.u32.u8 " + part + ", " + out[i]);
            }
            output(k, p.part, part);
        }
        if (p.whole != Type::b128) output(k, p.whole, whole);
        cases.push_back(finish(k, form, words + " " + label));
    }
    Kernel k;
    const std::string whole = inputs(k, {{Type::b64}}, 84)[0], high = new_register(k, Type::b32);
    line(k, "mov.b64 {_, " + high + "}, " + whole);
    output(k, Type::b32, high);
    cases.push_back(finish(k, form, "mov.b64 with a sink"));
    return cases;
}

// Both ways round at once: d = {b, a, ...} with the registers of a and b.
std::vector<Case> vector_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    for (const Variant& v : variants_of(form)) {
        Kernel k;
        const size_t count = v.words.front() == "v2" ? 2 : 4;
        const std::vector<Operand> operands(count, Operand{v.types[0]});
        std::vector<std::string> a = inputs(k, operands, 87), turned(a.rbegin(), a.rend());
        line(k, mnemonic(form, v) + " " + braced(a) + ", " + braced(turned));
        for (const std::string& element : a) output(k, v.types[0], element);
        cases.push_back(finish(k, form, mnemonic(form, v)));
    }
    return cases;
}

std::vector<Case> immediate_cases(const ptx::Form& form) {
    struct Immediate {
        Type type;
        const char* text;
    };
    std::vector<Case> cases;
    Kernel k;
    k.block.x = 1;
    for (const Immediate& i : std::initializer_list<Immediate>{
             {Type::f32, "0f3FC00001"        },
             {Type::f32, "1.1"               },
             {Type::f32, "-1e-3"             },
             {Type::f64, "0d400921FB54442D18"},
             {Type::f64, "0.1"               },
             {Type::u32, "4294967295"        },
             {Type::s32, "-2147483648"       },
             {Type::b32, "0xdeadbeef"        },
             {Type::u64, "0xfedcba9876543210"},
             {Type::s64, "-1"                },
             {Type::u16, "65535"             },
             {Type::s16, "-5"                },
             {Type::b32, "0b1011"            },
             {Type::u32, "0755"              },
             {Type::u32, "7*6+(1<<4)"        }
    }) {
        const std::string d = new_register(k, i.type);
        line(k, "mov." + std::string(name_of(i.type)) + " " + d + ", " + i.text);
        output(k, i.type, d);
    }
    cases.push_back(finish(k, form, "mov immediates"));
    return cases;
}

// The linear index of a thread of a three-dimensional launch replaces %index.
void index_in_three_dimensions(Kernel& k) {
    k.registers += "    .reg .b32 %lin, %e, %f;\n";
    line(k, "mov.u32 %lin, %ctaid.z");
    for (const char* step :
         {"%nctaid.y",
          "%ctaid.y",
          "%nctaid.x",
          "%ctaid.x",
          "%ntid.z",
          "%tid.z",
          "%ntid.y",
          "%tid.y",
          "%ntid.x",
          "%tid.x"}) {
        const bool extent = step[1] == 'n';
        line(k, std::string("mov.u32 ") + (extent ? "%e, " : "%f, ") + step);
        if (!extent) line(k, "mad.lo.u32 %lin, %lin, %e, %f");
    }
    line(k, "cvt.u64.u32 %index, %lin");
}

Case special_case(const ptx::Form& form, const std::string& name, Type type) {
    Kernel k;
    k.grid = {2, 3, 2};
    k.block = {5, 3, 4};
    index_in_three_dimensions(k);
    const std::string d = new_register(k, type);
    line(k, "mov." + std::string(name_of(type)) + " " + d + ", %" + name);
    output(k, type, d);
    return finish(k, form, "mov %" + name);
}

// What is the same on every machine: positions, extents and masks.
std::vector<Case> special_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    for (const char* name :
         {"tid.x",
          "tid.y",
          "tid.z",
          "ntid.x",
          "ntid.y",
          "ntid.z",
          "ctaid.x",
          "ctaid.y",
          "ctaid.z",
          "nctaid.x",
          "nctaid.y",
          "nctaid.z",
          "laneid",
          "lanemask_eq",
          "lanemask_le",
          "lanemask_lt",
          "lanemask_ge",
          "lanemask_gt",
          "dynamic_smem_size",
          "clusterid.x",
          "clusterid.y",
          "clusterid.z",
          "nclusterid.x",
          "nclusterid.y",
          "nclusterid.z",
          "cluster_ctaid.x",
          "cluster_nctaid.x",
          "cluster_ctarank",
          "cluster_nctarank"})
        cases.push_back(special_case(form, name, Type::u32));
    Kernel k;
    const std::string d = new_register(k, Type::pred);
    line(k, "mov.pred " + d + ", %is_explicit_cluster");
    output(k, Type::pred, d);
    cases.push_back(finish(k, form, "mov %is_explicit_cluster"));
    return cases;
}

// The address of a variable of each space, its offset too, seen through a load.
std::vector<Case> address_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    Kernel k;
    const std::string name(kEntry);
    k.module = ".global .align 8 .b32 " + name + "_table[4] = {11, 22, 33, 44};\n.global .align 8 .u64 " +
        name + "_pointer = generic(" + name + "_table)+8;\n.const .align 4 .b32 " + name +
        "_constant = 55;\n";
    const std::string a = new_register(k, Type::b64), v = new_register(k, Type::b32);
    const auto show = [&](const std::string& load) {
        line(k, load);
        output(k, Type::b32, v);
    };
    line(k, "mov.u64 " + a + ", " + name + "_table");
    show("ld.global.u32 " + v + ", [" + a + "+4]");
    line(k, "mov.u64 " + a + ", " + name + "_table+12");
    show("ld.global.u32 " + v + ", [" + a + "]");
    show("ld.global.u32 " + v + ", [" + name + "_table+8]");
    line(k, "ld.global.u64 " + a + ", [" + name + "_pointer]");
    show("ld.u32 " + v + ", [" + a + "]");
    line(k, "mov.u64 " + a + ", " + name + "_constant");
    show("ld.const.u32 " + v + ", [" + a + "]");
    cases.push_back(finish(k, form, "mov addresses of variables"));
    return cases;
}

// One variable in each space; `address` has the generic address of the thread's word in the space.
std::string generic_word(Kernel& k, const std::string& space) {
    const std::string base = new_register(k, Type::b64), generic = new_register(k, Type::b64);
    const std::string name(kEntry);
    if (space == "global")
        return element_address(k, buffer(k, {Type::b32, random_bytes(size_t{threads(k)} * 4, 85), false}), 4);
    if (space == "const") {
        k.module += ".const .align 4 .b32 " + name + "_word = 99;\n";
        line(k, "mov.u64 " + base + ", " + name + "_word");
    } else if (space == "param") {
        k.value = random_bytes(16, 86);
        line(k, "mov.b64 " + base + ", q");
    } else {
        const bool shared = space == "shared";
        k.registers +=
            std::string("    .") + space + " .align 4 .b32 " + (shared ? "s_word" : "l_word") + ";\n";
        line(k, "mov.u64 " + base + ", " + (shared ? "s_word" : "l_word"));
        line(k, "st." + space + ".u32 [" + base + "], 1234");
    }
    line(k, "cvta." + space + ".u64 " + generic + ", " + base);
    return generic;
}

std::string space_word(const Variant& v) {
    std::string_view s;
    for (std::string_view w : v.words)
        if (!w.empty() && w != "to") s = w;
    return std::string(s.substr(0, s.find(':')));
}

Case convert_address(const ptx::Form& form, const Variant& v) {
    Kernel k;
    k.block.x = 32;
    const std::string space = space_word(v), generic = generic_word(k, space);
    const std::string own = new_register(k, Type::b64), back = new_register(k, Type::b64),
                      value = new_register(k, Type::b32);
    const bool to = has(v, "to");
    const std::string words = mnemonic(form, v);
    line(k, (to ? words : "cvta.to." + space + ".u64") + " " + own + ", " + generic);
    line(k, (to ? "cvta." + space + ".u64" : words) + " " + back + ", " + own);
    line(k, "ld.u32 " + value + ", [" + back + "]");
    output(k, Type::b32, value);
    if (space != "param") {
        line(k, "ld." + space + ".u32 " + value + ", [" + own + "]");
        output(k, Type::b32, value);
    }
    return finish(k, form, words);
}

Case which_space(const ptx::Form& form, const Variant& v) {
    Kernel k;
    k.block.x = 32;
    const std::string p = new_register(k, Type::pred);
    for (const char* space : {"global", "shared", "local", "const", "param"}) {
        const std::string generic = generic_word(k, space);
        line(k, mnemonic(form, v) + " " + p + ", " + generic);
        output(k, Type::pred, p);
    }
    return finish(k, form, mnemonic(form, v));
}

}  // namespace

std::vector<Case> move_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    const auto append = [&cases](std::vector<Case> more) {
        for (Case& c : more) cases.push_back(std::move(c));
    };
    const bool vectors = form.op == Op::mov && !form.modifiers.empty();
    if (vectors) append(vector_cases(form));
    if (form.op == Op::mov && !vectors) {
        for (const Variant& v : variants_of(form))
            if (v.types[0] != Type::b128) cases.push_back(plain_move(form, v.types[0]));
        append(packing_cases(form));
        append(immediate_cases(form));
        append(special_cases(form));
        append(address_cases(form));
    }
    for (const Variant& v : variants_of(form)) {
        if (form.op == Op::cvta && v.types[0] == Type::u64) cases.push_back(convert_address(form, v));
        if (form.op == Op::isspacep) cases.push_back(which_space(form, v));
    }
    return cases;
}

}  // namespace wl::conformance
