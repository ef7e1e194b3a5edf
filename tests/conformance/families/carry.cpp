// Extended precision: the condition code is set from an input, and read out after the instruction.
#include "tests/conformance/families/families.h"

namespace wl::conformance {

std::vector<Case> carry_cases(const ptx::Form& form) {
    using ptx::Op;
    using ptx::Type;
    std::vector<Case> cases;
    const bool reads = form.op == Op::addc || form.op == Op::subc || form.op == Op::madc;
    if (!reads && !form.modifiers.ends_with("cc")) return cases;
    const bool borrow = form.op == Op::sub || form.op == Op::subc;
    const bool product = form.op == Op::mad || form.op == Op::madc;
    for (const Variant& v : variants_of(form)) {
        Kernel k;
        k.grid.x = product ? 8 : 6;
        const Type type = v.types[0];
        std::vector<Operand> operands(product ? 3 : 2, Operand{type});
        operands.push_back({Type::u32, Flavour::predicate});
        const auto values =
            inputs(k, operands, seed_of("carry " + std::string(name_of(type)) + (product ? "3" : "2")));
        const std::string scratch = new_register(k, Type::b32), result = new_register(k, type),
                          out = new_register(k, Type::b32);
        if (borrow)
            line(k, "sub.cc.u32 " + scratch + ", 0, " + values.back());
        else
            line(k, "add.cc.u32 " + scratch + ", " + values.back() + ", 0xffffffff");
        std::string text = mnemonic(form, v) + " " + result;
        for (size_t i = 0; i + 1 < values.size(); ++i) text += ", " + values[i];
        line(k, text);
        if (has(v, "cc")) line(k, std::string(borrow ? "subc" : "addc") + ".u32 " + out + ", 0, 0");
        output(k, type, result);
        if (has(v, "cc")) output(k, Type::u32, out);
        cases.push_back(finish(k, form, mnemonic(form, v)));
    }
    return cases;
}

}  // namespace wl::conformance
