// Branches, calls, the stack, and the end of threads.
#include "tests/conformance/families/families.h"

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Type;

std::string callee(const std::string& name, const std::string& body) {
    return ".func (.param .b32 r) " + std::string(kEntry) + "_" + name +
        "(.param .b32 a)\n{\n    .reg .b32 %x, %y, %z;\n    .reg .pred %p;\n" +
        "    ld.param.b32 %x, [a];\n" + body + "}\n";
}

std::string triple() {
    return callee("triple", "    mul.lo.u32 %x, %x, 3;\n    st.param.b32 [r], %x;\n    ret;\n");
}
std::string square() {
    return callee("square", "    mul.lo.u32 %x, %x, %x;\n    st.param.b32 [r], %x;\n    ret;\n");
}

// Fibonacci by recursion: two calls a frame, different depths in different lanes.
std::string fibonacci() {
    const std::string name = std::string(kEntry) + "_fibonacci";
    const auto call = [&name](const std::string& argument, const std::string& result) {
        return "    {\n    .param .b32 argument, result;\n    st.param.b32 [argument], " + argument +
            ";\n    call.uni (result), " + name + ", (argument);\n    ld.param.b32 " + result +
            ", [result];\n    }\n";
    };
    return callee(
        "fibonacci",
        "    setp.lt.u32 %p, %x, 2;\n    @%p bra LEAF;\n    sub.u32 %y, %x, 1;\n" + call("%y", "%z") +
            "    sub.u32 %y, %x, 2;\n" + call("%y", "%y") +
            "    add.u32 %x, %y, %z;\nLEAF:\n    st.param.b32 [r], %x;\n    ret;\n"
    );
}

void call(Kernel& k, const std::string& statement, const std::string& argument, const std::string& result) {
    k.code += "    {\n    .param .b32 argument, result;\n    st.param.b32 [argument], " + argument +
        ";\n    " + statement + ";\n    ld.param.b32 " + result + ", [result];\n    }\n";
}

std::vector<Case> call_cases(const ptx::Form& form, const Variant& v) {
    std::vector<Case> cases;
    const std::string words = mnemonic(form, v), name(kEntry);
    const auto begin = [](Kernel& k, std::string& a, std::string& d) {
        a = input(
            k,
            Type::b32,
            operand_values(
                {
                    {Type::b32, Flavour::lane}
        },
                threads(k),
                91
            )[0]
        );
        d = new_register(k, Type::b32);
    };
    std::string a, d;
    Kernel direct;
    direct.module = triple();
    begin(direct, a, d);
    call(direct, words + " (result), " + name + "_triple, (argument)", a, d);
    output(direct, Type::b32, d);
    cases.push_back(finish(direct, form, words + " direct"));

    Kernel recursive;
    recursive.module = fibonacci();
    recursive.block.x = 32;
    begin(recursive, a, d);
    line(recursive, "and.b32 " + a + ", " + a + ", 7");
    call(recursive, words + " (result), " + name + "_fibonacci, (argument)", a, d);
    output(recursive, Type::b32, d);
    cases.push_back(finish(recursive, form, words + " recursive"));

    // The lanes of a warp take different targets, so the call must not claim to be uniform.
    const std::string select = has(v, "uni") ? "%group" : "%thread";
    for (const bool prototype : {true, false}) {
        Kernel k;
        k.grid.x = 2;
        k.module = triple() + square();
        begin(k, a, d);
        const std::string odd = new_register(k, Type::b32), p = new_register(k, Type::pred);
        const std::string first = new_register(k, Type::b64), second = new_register(k, Type::b64),
                          target = new_register(k, Type::b64);
        line(k, "and.b32 " + odd + ", " + select + ", 1");
        line(k, "setp.eq.u32 " + p + ", " + odd + ", 0");
        line(k, "mov.u64 " + first + ", " + name + "_triple");
        line(k, "mov.u64 " + second + ", " + name + "_square");
        line(k, "selp.u64 " + target + ", " + first + ", " + second + ", " + p);
        k.code += prototype ? "    LIST: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                            : "    LIST: .calltargets " + name + "_triple, " + name + "_square;\n";
        call(k, words + " (result), " + target + ", (argument), LIST", a, d);
        output(k, Type::b32, d);
        cases.push_back(finish(k, form, words + (prototype ? " by prototype" : " by targets")));
    }
    return cases;
}

// A loop of a different length in each lane, or, uniform, in each block.
Case branch_case(const ptx::Form& form, const Variant& v) {
    Kernel k;
    k.grid.x = 3;
    const std::string n = new_register(k, Type::b32), sum = new_register(k, Type::b32),
                      p = new_register(k, Type::pred);
    line(k, "and.b32 " + n + ", " + (has(v, "uni") ? "%group" : "%thread") + ", 15");
    line(k, "mov.u32 " + sum + ", %thread");
    line(k, "LOOP:");
    line(k, "setp.eq.u32 " + p + ", " + n + ", 0");
    line(k, "@" + p + " " + mnemonic(form, v) + " DONE");
    line(k, "mad.lo.u32 " + sum + ", " + sum + ", 5, " + n);
    line(k, "sub.u32 " + n + ", " + n + ", 1");
    line(k, mnemonic(form, v) + " LOOP");
    line(k, "DONE:");
    output(k, Type::b32, sum);
    return finish(k, form, mnemonic(form, v));
}

Case table_case(const ptx::Form& form, const Variant& v) {
    Kernel k;
    k.grid.x = 4;
    const std::string n = new_register(k, Type::b32), d = new_register(k, Type::b32);
    line(k, "and.b32 " + n + ", " + (has(v, "uni") ? "%group" : "%thread") + ", 3");
    line(k, "mov.u32 " + d + ", 1000");
    k.code += "    TABLE: .branchtargets L0, L1, L2, L1;\n";
    line(k, mnemonic(form, v) + " " + n + ", TABLE");
    line(k, "L0:");
    line(k, "add.u32 " + d + ", " + d + ", 1");
    line(k, "L1:");
    line(k, "add.u32 " + d + ", " + d + ", 20");
    line(k, "L2:");
    line(k, "mad.lo.u32 " + d + ", %thread, 3, " + d);
    output(k, Type::b32, d);
    return finish(k, form, mnemonic(form, v));
}

// Half of the lanes end early; the barrier that the others wait at must not wait for them when a warp is
// gone.
Case end_case(const ptx::Form& form, const Variant& v) {
    Kernel k;
    k.block.x = 128;
    const std::string first = zeroed(k, Type::b32, 512), p = new_register(k, Type::pred);
    const std::string address = element_address(k, first, 4);
    line(k, "st.global.u32 [" + address + "], 7");
    line(k, "setp.lt.u32 " + p + ", %thread, " + (has(v, "uni") ? "64" : "40"));
    line(k, "@" + p + " " + mnemonic(form, v));
    line(k, "st.global.u32 [" + address + "], %thread");
    return finish(k, form, mnemonic(form, v));
}

std::vector<Case> stack_cases(const ptx::Form& form) {
    Kernel k;
    k.block.x = 32;
    k.registers += "    .reg .u64 %saved, %block, %l;\n    .reg .b32 %i, %x;\n    .reg .pred %p;\n";
    const std::string size = inputs(
        k,
        {
            {Type::b32, Flavour::lane}
    },
        93
    )[0];
    line(k, "stacksave.u64 %saved");
    line(k, "mad.lo.u32 %i, " + size + ", 4, 16");
    line(k, "cvt.u64.u32 %l, %i");
    line(k, "alloca.u64 %block, %l, 16");
    line(k, "st.local.u32 [%block], " + size);
    line(k, "st.local.u32 [%block+12], %thread");
    line(k, "ld.local.u32 %x, [%block]");
    line(k, "ld.local.u32 %i, [%block+12]");
    line(k, "mad.lo.u32 %x, %i, 100, %x");
    line(k, "stackrestore.u64 %saved");
    output(k, Type::b32, "%x");
    return {finish(k, form, std::string(form.name) + ".u64")};
}

Case nothing_happens(const ptx::Form& form, const std::string& statement) {
    Kernel k;
    line(k, statement);
    output(k, Type::b32, "%thread");
    return finish(k, form, statement);
}

}  // namespace

std::vector<Case> control_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    for (const Variant& v : variants_of(form)) {
        switch (form.op) {
            case Op::bra: cases.push_back(branch_case(form, v)); break;
            case Op::brx_idx: cases.push_back(table_case(form, v)); break;
            case Op::call:
                for (Case& c : call_cases(form, v)) cases.push_back(std::move(c));
                break;
            case Op::ret:
            case Op::exit: cases.push_back(end_case(form, v)); break;
            case Op::nanosleep: cases.push_back(nothing_happens(form, mnemonic(form, v) + " 20")); break;
            case Op::pmevent: cases.push_back(nothing_happens(form, mnemonic(form, v) + " 3")); break;
            default: break;
        }
    }
    if (form.op == Op::stacksave || form.op == Op::stackrestore || form.op == Op::alloca)
        return stack_cases(form);
    return cases;
}

}  // namespace wl::conformance
