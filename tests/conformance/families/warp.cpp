// Collectives of a warp: whole warps, and halves of a warp that run apart.
#include "tests/conformance/families/families.h"

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Type;

// The instruction with every mask operand written as MASK.
struct Collective {
    std::string text;
    std::vector<std::pair<Type, std::string>> results;
};

// Both halves of the warp execute the instruction in different branches, each with its own mask.
void emit_halves(Kernel& k, const std::string& text) {
    const std::string lane = new_register(k, Type::b32), low = new_register(k, Type::pred);
    const auto with = [&text](const std::string& mask) {
        std::string s = text;
        s.replace(s.find("MASK"), 4, mask);
        return s;
    };
    line(k, "mov.u32 " + lane + ", %laneid");
    line(k, "setp.lt.u32 " + low + ", " + lane + ", 16");
    line(k, "@" + low + " bra LOW");
    line(k, with("0xffff0000"));
    line(k, "bra JOINED");
    line(k, "LOW:");
    line(k, with("0x0000ffff"));
    line(k, "JOINED:");
}

// Per warp: all true, all false, one true, one false, then random.
std::vector<uint64_t> predicates(uint32_t count) {
    Random random{7};
    std::vector<uint64_t> values(count);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t warp = i / 32, lane = i % 32;
        values[i] = warp == 0 ? 1
            : warp == 1       ? 0
            : warp == 2       ? lane == 19
            : warp == 3       ? lane != 3
                              : below(random, 2);
    }
    return values;
}

// Few different values in a warp; the first warps hold one value, or all but one lane do.
std::vector<uint64_t> repetitive(uint32_t count, Type type) {
    Random random{11};
    const std::vector<uint64_t> choices = edges({type});
    std::vector<uint64_t> values(count);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t warp = i / 32, lane = i % 32;
        values[i] = warp == 0 ? choices[5]
            : warp == 1       ? choices[lane == 17]
                              : choices[below(random, warp == 2 ? 2 : 5)];
    }
    return values;
}

Collective shuffle(
    Kernel& k, const Variant& v, const std::string& words, const std::string& clamp, bool pair
) {
    const uint32_t n = threads(k);
    const auto values = operand_values({{Type::b32}}, n, 21);
    const std::string a = input(k, Type::b32, values[0]);
    Random random{22};
    std::vector<uint64_t> lanes(n);
    // up, down and bfly take the same distance in a warp as kernels do, idx any lane.
    for (uint32_t i = 0; i < n; ++i) {
        static constexpr uint64_t kDistances[8] = {1, 2, 4, 8, 16, 0, 31, 5};
        lanes[i] =
            has(v, "idx") || i / 32 >= 8 ? below(random, i / 32 >= 14 ? 256 : 32) : kDistances[i / 32 % 8];
    }
    const std::string b = input(k, Type::b32, lanes), d = new_register(k, Type::b32),
                      p = new_register(k, Type::pred);
    Collective c{
        words + " " + d + (pair ? "|" + p : "") + ", " + a + ", " + b + ", " + clamp + ", MASK",
        {{Type::b32, d}}};
    if (pair) c.results.emplace_back(Type::pred, p);
    return c;
}

Collective collective(Kernel& k, const ptx::Form& form, const Variant& v, bool pair) {
    const std::string words = mnemonic(form, v);
    const uint32_t n = threads(k);
    switch (form.op) {
        case Op::vote: {
            const Type type = v.types[0];
            const std::string a = input(k, Type::pred, predicates(n)), d = new_register(k, type);
            return {words + " " + d + ", " + (pair ? "!" : "") + a + ", MASK", {{type, d}}};
        }
        case Op::match: {
            const std::string a = input(k, v.types[0], repetitive(n, v.types[0]));
            const std::string d = new_register(k, Type::b32), p = new_register(k, Type::pred);
            Collective c{words + " " + d + (pair ? "|" + p : "") + ", " + a + ", MASK", {{Type::b32, d}}};
            if (pair) c.results.emplace_back(Type::pred, p);
            return c;
        }
        case Op::redux: {
            const std::string a = input(k, v.types[0], operand_values({{v.types[0]}}, n, 23)[0]),
                              d = new_register(k, v.types[0]);
            return {words + " " + d + ", " + a + ", MASK", {{v.types[0], d}}};
        }
        default: {  // elect
            const std::string d = new_register(k, Type::b32), p = new_register(k, Type::pred);
            return {
                words + " " + d + "|" + p + ", MASK", {{Type::b32, d}, {Type::pred, p}}
            };
        }
    }
}

Case warp_case(const ptx::Form& form, const Variant& v, bool halves, bool pair, const std::string& clamp) {
    Kernel k;
    k.block.x = 128;
    k.grid.x = form.op == Op::shfl ? 4 : 2;
    const std::string words = mnemonic(form, v);
    Collective c = form.op == Op::shfl ? shuffle(k, v, words, clamp, pair) : collective(k, form, v, pair);
    if (halves) {
        emit_halves(k, c.text);
    } else {
        c.text.replace(c.text.find("MASK"), 4, "0xffffffff");
        line(k, c.text);
    }
    for (const auto& [type, reg] : c.results) output(k, type, reg);
    std::string name = words;
    if (!clamp.empty()) name += " c=" + clamp;
    if (pair) name += form.op == Op::vote ? " !a" : " |p";
    if (halves) name += " halves";
    return finish(k, form, name);
}

std::vector<Case> activemask_cases(const ptx::Form& form, const Variant& v) {
    Kernel k;
    const std::string lane = new_register(k, Type::b32), few = new_register(k, Type::pred);
    const std::string all = new_register(k, Type::b32), some = new_register(k, Type::b32);
    line(k, mnemonic(form, v) + " " + all);
    line(k, "mov.u32 " + lane + ", %laneid");
    line(k, "mov.u32 " + some + ", 0");
    line(k, "setp.lt.u32 " + few + ", " + lane + ", 5");
    line(k, "@!" + few + " bra JOINED");
    line(k, mnemonic(form, v) + " " + some);
    line(k, "JOINED:");
    output(k, Type::b32, all);
    output(k, Type::b32, some);
    return {finish(k, form, mnemonic(form, v))};
}

}  // namespace

std::vector<Case> warp_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    const bool served = form.op == Op::shfl || form.op == Op::vote || form.op == Op::match ||
        form.op == Op::redux || form.op == Op::elect;
    if (form.op == Op::activemask) return activemask_cases(form, variants_of(form)[0]);
    if (!served) return cases;
    for (const Variant& v : variants_of(form)) {
        if (form.op == Op::shfl) {
            // Whole warps, segments of 8 and 16 lanes (bits 8-12), and a clamp short of the segment's end.
            const bool up = has(v, "up");
            for (const char* clamp :
                 {up ? "0" : "0x1f", up ? "0x1800" : "0x181f", up ? "0x1002" : "0x1005", "0x0a0b"})
                for (const bool pair : {false, true}) cases.push_back(warp_case(form, v, false, pair, clamp));
            // A butterfly would read lanes of the other half, which the ISA leaves open.
            if (!has(v, "bfly")) cases.push_back(warp_case(form, v, true, true, up ? "0x1800" : "0x181f"));
            continue;
        }
        const bool second = form.op == Op::vote || (form.op == Op::match && has(v, "all"));
        for (const bool halves : {false, true})
            for (const bool pair : {false, true})
                if (!pair || second) cases.push_back(warp_case(form, v, halves, pair, ""));
    }
    return cases;
}

}  // namespace wl::conformance
