// SIMD video: selectors of bytes and halves, masks, and what happens to the third operand.
#include "tests/conformance/families/families.h"

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Type;

// One spelling of the operands: selectors behind them, a mask behind d.
struct Selection {
    std::string d, a, b, c;  // ".b0", ".h1", ".b3210"
    bool negate_a = false, negate_c = false, third = true;
};

Selection select(const char* d, const char* a, const char* b) { return Selection{d, a, b, ""}; }

Selection negate(Selection s, bool a, bool c) {
    s.negate_a = a;
    s.negate_c = c;
    return s;
}

std::vector<Selection> scalar_selections(const ptx::Form& form, const Variant& v) {
    std::vector<Selection> all;
    if (form.op == Op::vmad) {
        all = {select("", "", ""), select("", ".h0", ".h1"), select("", ".b1", ".b3")};
        all.push_back(negate(select("", ".h1", ".b2"), true, false));
        all.push_back(negate(select("", ".h0", ".h1"), false, true));
        return all;
    }
    const bool combined = has(v, "add") || has(v, "min") || has(v, "max");
    all = {select("", "", ""), select("", ".b0", ".b3"), select("", ".h1", ".h0"), select("", ".b2", ".h1")};
    for (Selection& s : all) s.third = combined;
    if (!combined)
        for (const char* d : {".b0", ".b2", ".h0", ".h1"}) all.push_back(select(d, ".h0", ".b1"));
    return all;
}

std::vector<Selection> packed_selections(const ptx::Form& form, const Variant& v) {
    const bool sum = has(v, "add");
    if (form.name.ends_with('2')) {
        std::vector<Selection> all = {select("", "", ""), select("", ".h32", ".h01")};
        if (!sum) all.push_back(select(".h1", ".h12", ".h30"));
        if (!sum) all.push_back(select(".h0", ".h10", ".h22"));
        return all;
    }
    std::vector<Selection> all = {select("", "", ""), select("", ".b7531", ".b0246")};
    if (!sum) all.push_back(select(".b20", ".b4123", ".b7654"));
    return all;
}

}  // namespace

std::vector<Case> video_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    if (!is_video(form)) return cases;
    const bool scalar = form.section.starts_with("9.7.18.1.");
    size_t number = 0;
    for (const Variant& v : variants_of(form)) {
        const auto selections = scalar ? scalar_selections(form, v) : packed_selections(form, v);
        // Each combination of types and modifiers shows two selections, its neighbours the others.
        ++number;
        for (size_t i = 0; i < 2; ++i) {
            const Selection& s =
                selections[(2 * number + number / selections.size() + i) % selections.size()];
            Kernel k;
            k.grid.x = 4;
            const auto values = inputs(k, {{Type::b32}, {Type::b32}, {Type::b32}}, seed_of("video"));
            const std::string d = new_register(k, Type::b32);
            std::string text = mnemonic(form, v) + " " + d + s.d + ", " + (s.negate_a ? "-" : "") +
                values[0] + s.a + ", " + values[1] + s.b;
            const bool with_c = s.third || !s.d.empty();
            if (with_c) text += std::string(", ") + (s.negate_c ? "-" : "") + values[2];
            line(k, text);
            output(k, Type::b32, d);
            std::string name =
                mnemonic(form, v) + " d" + s.d + " " + (s.negate_a ? "-" : "") + "a" + s.a + " b" + s.b;
            if (with_c) name += s.negate_c ? " -c" : " c";
            cases.push_back(finish(k, form, name));
        }
    }
    return cases;
}

}  // namespace wl::conformance
