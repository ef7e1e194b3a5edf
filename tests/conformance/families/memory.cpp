// Loads and stores in every space, and what only touches caches.
#include "tests/conformance/families/families.h"

#include <algorithm>

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Space;
using ptx::Type;

std::string space_of(const Variant& v) {
    for (std::string_view word : v.words)
        if (word == "global" || word == "local" || word == "const" || word.starts_with("shared") ||
            word.starts_with("param"))
            return std::string(word);
    return "";
}

bool is_vector(std::string_view word) { return word == "v2" || word == "v4" || word == "v8"; }

// Every type in every space and vector width; cache words, orders and scopes with one type only.
bool worthwhile(const Variant& plainest, const Variant& v) {
    if (v.types.empty() || v.types[0] == Type::b32) return true;
    const std::string space = space_of(v);
    for (size_t i = 0; i < v.words.size(); ++i)
        if (v.words[i] != plainest.words[i] && v.words[i] != space && !is_vector(v.words[i])) return false;
    return true;
}

std::string policy_of(Kernel& k, const Variant& v) {
    if (!has(v, "L2::cache_hint")) return "";
    const std::string policy = new_register(k, Type::b64);
    line(k, "createpolicy.fractional.L2::evict_last.b64 " + policy + ", 1.0");
    return ", " + policy;
}

// Where the case's memory lies, in words of a mnemonic and of this file.
struct Place {
    std::string space;  // of the mnemonic
    std::string home;   // where the bytes are: "global", "shared", "local", "const", "param"
    bool generic = false;
};

std::vector<Place> places_of(const Variant& v) {
    const std::string space = space_of(v);
    if (space.empty())
        return {
            {"", "global", true},
            {"", "shared", true},
            {"", "local",  true}
        };
    if (space.starts_with("shared"))
        return {
            {space, "shared", false}
        };
    if (space.starts_with("param"))
        return {
            {space, "param", false}
        };
    return {
        {space, space, false}
    };
}

// The address of the thread's `bytes`, holding random bytes, in the place's own space; generic if asked.
std::string placed(Kernel& k, const Place& place, uint32_t bytes, bool filled) {
    const std::vector<std::byte> from = random_bytes(size_t{threads(k)} * bytes, 31 + bytes);
    if (place.home == "global") {
        const std::string base =
            buffer(k, {Type::b8, filled ? from : std::vector<std::byte>(from.size()), !filled});
        return element_address(k, base, bytes);
    }
    if (place.home == "const") {
        std::string list;
        for (const std::byte b : from)
            list += (list.empty() ? "" : ", ") + std::to_string(std::to_integer<int>(b));
        k.module += ".const .align 16 .b8 " + std::string(kEntry) + "_constants[" +
            std::to_string(from.size()) + "] = {" + list + "};\n";
        const std::string base = new_register(k, Type::b64);
        line(k, "mov.u64 " + base + ", " + std::string(kEntry) + "_constants");
        return element_address(k, base, bytes);
    }
    const std::string address = scratch(k, place.home == "shared" ? Space::shared : Space::local, bytes);
    if (filled) copy_in(k, {"." + place.home, address, bytes}, from);
    if (!place.generic) return address;
    const std::string generic = new_register(k, Type::b64);
    line(k, "cvta." + place.home + ".u64 " + generic + ", " + address);
    return generic;
}

// Registers of a load or store: 8- and 16-bit elements in 32 bits, whose upper half the ISA defines on a
// load.
Type register_type(Type element) {
    const uint32_t bytes = bytes_of(element);
    return bytes == 16 ? Type::b128 : bytes == 8 ? Type::b64 : Type::b32;
}

std::string element_registers(Kernel& k, Type element, uint32_t count, std::vector<std::string>& registers) {
    for (uint32_t i = 0; i < count; ++i) registers.push_back(new_register(k, register_type(element)));
    return braced(registers);
}

void output_wide(Kernel& k, Type type, const std::string& reg) {
    if (type != Type::b128) return output(k, type, reg);
    const std::string low = new_register(k, Type::b64), high = new_register(k, Type::b64);
    line(k, "mov.b128 {" + low + ", " + high + "}, " + reg);
    output(k, Type::b64, low);
    output(k, Type::b64, high);
}

std::string input_wide(Kernel& k, Type type, uint64_t seed) {
    Random random{seed};
    const auto values = [&] {
        std::vector<uint64_t> all(threads(k));
        for (uint64_t& v : all) v = next(random);
        return all;
    };
    if (type != Type::b128) return input(k, type, values());
    const std::string low = input(k, Type::b64, values()), high = input(k, Type::b64, values()),
                      reg = new_register(k, Type::b128);
    line(k, "mov.b128 " + reg + ", {" + low + ", " + high + "}");
    return reg;
}

Case load_case(const ptx::Form& form, const Variant& v, const Place& place) {
    Kernel k;
    const uint32_t vector = vector_of(v), bytes = std::max(1u, bytes_of(v.types[0])) * vector;
    std::string address;
    if (place.home == "param") {
        k.value = random_bytes(64, 37);
        address = "q+32";
    } else {
        address = placed(k, place, bytes, true);
    }
    if (form.op == Op::ldu) {  // one address for all lanes
        address = new_register(k, Type::b64);
        line(k, "ld.param.u64 " + address + ", [p0]");
    }
    std::vector<std::string> registers;
    const std::string list = element_registers(k, v.types[0], vector, registers);
    const std::string policy = policy_of(k, v);
    line(k, mnemonic(form, v) + " " + list + ", [" + address + "]" + policy);
    for (const std::string& reg : registers) output_wide(k, register_type(v.types[0]), reg);
    return finish(k, form, mnemonic(form, v) + (place.generic ? " generic " + place.home : ""));
}

Case store_case(const ptx::Form& form, const Variant& v, const Place& place) {
    Kernel k;
    const uint32_t vector = vector_of(v), bytes = std::max(1u, bytes_of(v.types[0])) * vector;
    const std::string address = placed(k, place, bytes, false);
    std::vector<std::string> registers;
    for (uint32_t i = 0; i < vector; ++i)
        registers.push_back(input_wide(k, register_type(v.types[0]), 41 + i));
    const std::string policy = policy_of(k, v);
    line(k, mnemonic(form, v) + " [" + address + "], " + braced(registers) + policy);
    if (place.home != "global")
        copy_out(k, {place.generic ? "" : "." + place.home, address, bytes}, Type::b8);
    return finish(k, form, mnemonic(form, v) + (place.generic ? " generic " + place.home : ""));
}

// Cache control moves nothing: what is in memory afterwards must be what was before.
std::vector<Case> cache_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    for (const Variant& v : variants_of(form)) {
        if (has(v, "tensormap")) continue;
        Kernel k;
        const Place place = places_of(v)[0];
        const std::string address = placed(k, place, 128, true);
        line(
            k,
            mnemonic(form, v) + " [" + address + "]" +
                (form.op == Op::applypriority || form.op == Op::discard ? ", 128" : "")
        );
        if (form.op == Op::discard) {
            line(k, "st.global.u32 [" + address + "], %thread");
            copy_out(k, {".global", address, 4}, Type::b32);
        } else {
            copy_out(k, {place.generic ? "" : "." + place.home, address, 4}, Type::b8);
        }
        cases.push_back(finish(k, form, mnemonic(form, v)));
    }
    return cases;
}

// The policy itself. An address is only computed with, so that any number will do.
Case policy_value(const ptx::Form& form, const Variant& v) {
    Kernel k;
    Random random{67};
    const auto values = [&](uint64_t limit) {
        std::vector<uint64_t> all(threads(k));
        for (size_t i = 0; i < all.size(); ++i) all[i] = below(random, limit >> i % 16);
        return all;
    };
    std::string operands = new_register(k, Type::b64);
    const std::string policy = operands;
    if (form.name == "createpolicy.fractional") {
        std::vector<uint64_t> shares;
        for (uint32_t i = 0; i < threads(k); ++i) shares.push_back(encode(Type::f32, (i + 1.0) / threads(k)));
        operands += ", " + input(k, Type::b32, shares);
    } else if (form.name == "createpolicy.range") {
        operands += ", [" + input(k, Type::b64, values(uint64_t{1} << 44)) + "], ";
        operands += input(k, Type::b32, values(1u << 28)) + ", " + input(k, Type::b32, values(1u << 31));
    } else {
        operands += ", " + input(k, Type::b64, values(uint64_t{1} << 63));
    }
    line(k, mnemonic(form, v) + " " + operands);
    output(k, Type::b64, policy);
    return finish(k, form, mnemonic(form, v) + " value");
}

// The accesses that use a policy must work, too.
std::vector<Case> policy_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    for (const Variant& v : variants_of(form)) {
        cases.push_back(policy_value(form, v));
        Kernel k;
        const std::string address = placed(k, {"global", "global", false}, 4, true);
        const std::string policy = new_register(k, Type::b64), value = new_register(k, Type::b32);
        std::string operands = policy;
        if (form.operands.find("fraction") != std::string_view::npos)
            operands += ", 0.5";
        else if (form.operands.find("primary") != std::string_view::npos)
            operands += ", [" + address + "], 1024, 2048";
        else
            continue;
        line(k, mnemonic(form, v) + " " + operands);
        line(k, "ld.global.L2::cache_hint.b32 " + value + ", [" + address + "], " + policy);
        output(k, Type::b32, value);
        cases.push_back(finish(k, form, mnemonic(form, v)));
    }
    return cases;
}

}  // namespace

std::vector<Case> memory_cases(const ptx::Form& form) {
    if (form.op == Op::prefetch || form.op == Op::prefetchu || form.op == Op::discard ||
        form.op == Op::applypriority)
        return cache_cases(form);
    if (form.op == Op::createpolicy) return policy_cases(form);
    std::vector<Case> cases;
    if (form.op != Op::ld && form.op != Op::ldu && form.op != Op::st) return cases;
    const std::vector<Variant> variants = variants_of(form, 1);
    for (const Variant& v : variants) {
        if (!worthwhile(variants[0], v)) continue;
        for (const Place& place : places_of(v)) {
            if (form.op == Op::st) {
                if (place.home != "param") cases.push_back(store_case(form, v, place));
            } else if (place.home != "param" || form.op == Op::ld) {
                cases.push_back(load_case(form, v, place));
            }
        }
    }
    return cases;
}

}  // namespace wl::conformance
