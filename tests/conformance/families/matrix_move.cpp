// ldmatrix, stmatrix and movmatrix: 8x8 matrices between shared memory and the registers of a warp.
#include "tests/conformance/families/families.h"

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Type;

uint32_t matrices_of(const Variant& v) { return has(v, "x4") ? 4 : has(v, "x2") ? 2 : 1; }

// Rows of 8x8 matrices at scattered addresses: row r of matrix q lies at row (r * 5 + q * 3) mod 32 of shared
// memory.
Case ldmatrix_case(const ptx::Form& form, const Variant& v, bool store) {
    Kernel k;
    k.block.x = 32;
    const std::string own = scratch(k, ptx::Space::shared, 16);
    copy_in(k, {".shared", own, 16}, random_bytes(512, 107));
    const std::string row = new_register(k, Type::b32), base = new_register(k, Type::b64);
    std::string address = new_register(k, Type::b64);
    line(k, "mul.lo.u32 " + row + ", %thread, 5");
    line(k, "and.b32 " + row + ", " + row + ", 31");
    line(k, "mov.u64 " + base + ", scratch");
    line(k, "mad.wide.u32 " + address + ", " + row + ", 16, " + base);
    if (!has(v, "shared") && !has(v, "shared::cta")) {
        const std::string generic = new_register(k, Type::b64);
        line(k, "cvta.shared.u64 " + generic + ", " + address);
        address = generic;
    }
    std::vector<std::string> registers;
    Random random{108};
    for (uint32_t i = 0; i < matrices_of(v); ++i) {
        std::vector<uint64_t> values(32);
        for (uint64_t& value : values) value = next(random);
        registers.push_back(store ? input(k, Type::b32, values) : new_register(k, Type::b32));
    }
    const std::string list = registers.size() == 1 ? "{" + registers[0] + "}" : braced(registers);
    line(k, "bar.sync 0");
    line(k, mnemonic(form, v) + " " + (store ? "[" + address + "], " + list : list + ", [" + address + "]"));
    line(k, "bar.sync 0");
    if (store)
        copy_out(k, {".shared", own, 16}, Type::b16);
    else
        for (const std::string& reg : registers) output(k, Type::b32, reg);
    return finish(k, form, mnemonic(form, v));
}

}  // namespace

std::vector<Case> matrix_move_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    if (form.op != Op::ldmatrix && form.op != Op::stmatrix && form.op != Op::movmatrix) return cases;
    for (const Variant& v : variants_of(form)) {
        if (v.types.empty() || v.types[0] != Type::b16) continue;
        if (form.op != Op::movmatrix) {
            cases.push_back(ldmatrix_case(form, v, form.op == Op::stmatrix));
            continue;
        }
        Kernel k;
        k.block.x = 32;
        const std::string a = inputs(k, {{Type::b32}}, 109)[0], d = new_register(k, Type::b32);
        line(k, mnemonic(form, v) + " " + d + ", " + a);
        output(k, Type::b32, d);
        cases.push_back(finish(k, form, mnemonic(form, v)));
    }
    return cases;
}

}  // namespace wl::conformance
