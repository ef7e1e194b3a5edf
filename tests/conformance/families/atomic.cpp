// Atomics: one location a thread for the result of each pair of operands, and one location for many threads.
#include "tests/conformance/families/families.h"

#include <algorithm>

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Space;
using ptx::Type;

std::string space_of(const Variant& v) {
    for (std::string_view word : v.words)
        if (word == "global" || word.starts_with("shared")) return std::string(word);
    return "";
}

// Orders, scopes and hints with the first type and operation only.
bool worthwhile(const Variant& plainest, const Variant& v) {
    if (v.types == plainest.types) return true;
    for (size_t i = 0; i < v.words.size(); ++i) {
        const std::string_view w = v.words[i];
        const bool ordering = w == "relaxed" || w == "acquire" || w == "release" || w == "acq_rel" ||
            w == "cta" || w == "cluster" || w == "gpu" || w == "sys" || w == "L2::cache_hint";
        if (ordering && w != plainest.words[i]) return false;
    }
    return true;
}

std::string policy_of(Kernel& k, const Variant& v) {
    if (!has(v, "L2::cache_hint")) return "";
    const std::string policy = new_register(k, Type::b64);
    line(k, "createpolicy.fractional.L2::evict_last.b64 " + policy + ", 1.0");
    return ", " + policy;
}

// 128 bits as two registers joined.
std::string wide_input(Kernel& k, const std::vector<uint64_t>& values) {
    const std::string half = input(k, Type::b64, values), reg = new_register(k, Type::b128);
    line(k, "mov.b128 " + reg + ", {" + half + ", " + half + "}");
    return reg;
}

struct Memory {
    std::vector<uint64_t> elements;  // before, one vector a thread after the other
    Type type = Type::b32;
    uint32_t bytes = 4;  // a thread
    std::string space;
};

// The thread's own location in the space, holding its elements; generic if the space is empty.
std::string located(Kernel& k, const Memory& m) {
    std::vector<std::byte> bytes = packed(m.type, m.elements);
    if (!m.space.starts_with("shared"))
        return element_address(k, buffer(k, {m.type, std::move(bytes), true}), m.bytes);
    const std::string address = scratch(k, Space::shared, m.bytes);
    copy_in(k, {".shared", address, m.bytes}, bytes);
    return address;
}

std::vector<uint64_t> interleaved(const std::vector<std::vector<uint64_t>>& parts) {
    std::vector<uint64_t> all;
    for (size_t i = 0; i < parts[0].size(); ++i)
        for (const auto& part : parts) all.push_back(part[i]);
    return all;
}

Case own_location(const ptx::Form& form, const Variant& v) {
    Kernel k;
    const bool compares = has(v, "cas"), returns = form.op == Op::atom;
    const uint32_t vector = vector_of(v);
    const Type type = v.types[0];
    k.block.x = 64;
    k.grid.x = 4;
    auto values =
        operand_values({{type}, {type}, {type}}, threads(k), seed_of("atomic " + std::string(name_of(type))));
    if (compares)  // half of the lanes agree with the memory
        for (size_t i = 0; i < values[0].size(); i += 2) values[1][i] = values[0][i];
    std::vector<std::vector<uint64_t>> before;
    for (uint32_t e = 0; e < vector; ++e) {
        before.push_back(values[0]);
        std::rotate(before.back().begin(), before.back().begin() + e, before.back().end());
    }
    const uint32_t bytes = bytes_of(type) * vector;
    if (type == Type::b128) before.push_back(before[0]);  // both halves alike, as in wide_input
    const Type stored = type == Type::b128 ? Type::b64 : type;
    const std::string address = located(k, {interleaved(before), stored, bytes, space_of(v)});
    const auto operand = [&](size_t which) {
        std::vector<std::string> registers;
        for (uint32_t e = 0; e < vector; ++e)
            registers.push_back(
                type == Type::b128 ? wide_input(k, values[which]) : input(k, type, values[which])
            );
        return braced(registers);
    };
    std::vector<std::string> old;
    for (uint32_t e = 0; returns && e < vector; ++e) old.push_back(new_register(k, type));
    std::string operands =
        std::string(returns ? braced(old) + ", " : "") + "[" + address + "], " + operand(1);
    if (compares) operands += ", " + operand(2);
    const std::string policy = policy_of(k, v);
    line(k, mnemonic(form, v) + " " + operands + policy);
    for (const std::string& reg : old) {
        if (type != Type::b128) {
            output(k, type, reg);
            continue;
        }
        const std::string low = new_register(k, Type::b64), high = new_register(k, Type::b64);
        line(k, "mov.b128 {" + low + ", " + high + "}, " + reg);
        output(k, Type::b64, low);
    }
    if (space_of(v).starts_with("shared")) copy_out(k, {".shared", address, bytes}, type);
    return finish(k, form, mnemonic(form, v));
}

// Eight locations for all threads; operands whose combination is the same in any order.
Case contended(const ptx::Form& form, const Variant& v) {
    Kernel k;
    k.block.x = 128;
    k.grid.x = space_of(v).starts_with("shared") ? 1 : 3;
    const Type type = v.types[0];
    const uint32_t bytes = bytes_of(type);
    const bool shared = space_of(v).starts_with("shared");
    const Flavour flavour = has(v, "add") ? Flavour::small : Flavour::plain;
    auto values = operand_values(
        {
            {type, flavour}
    },
        threads(k),
        53
    );
    if (has(v, "inc") || has(v, "dec"))
        for (uint64_t& x : values[0]) x = 17;  // a bound common to all threads
    const std::string operand = input(k, type, values[0]);
    std::string base, own;
    std::vector<uint64_t> before = operand_values(
        {
            {type, flavour}
    },
        128,
        54
    )[0];
    if (shared) {
        own = located(k, {before, type, bytes, "shared"});
        base = new_register(k, Type::b64);
        line(k, "mov.u64 " + base + ", scratch");
        line(k, "bar.sync 0");
    } else {
        base = buffer(k, {type, packed(type, before), true});
    }
    const std::string slot = new_register(k, Type::b32), address = new_register(k, Type::b64);
    line(k, "and.b32 " + slot + ", %thread, 7");
    line(k, "mad.wide.u32 " + address + ", " + slot + ", " + std::to_string(bytes) + ", " + base);
    const std::string old = new_register(k, type);
    line(
        k, mnemonic(form, v) + " " + (form.op == Op::atom ? old + ", " : "") + "[" + address + "], " + operand
    );
    if (shared) {
        line(k, "bar.sync 0");
        copy_out(k, {".shared", own, bytes}, type);
    }
    return finish(k, form, mnemonic(form, v) + " contended");
}

}  // namespace

std::vector<Case> atomic_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    if (form.op != Op::atom && form.op != Op::red) return cases;
    const std::vector<Variant> variants = variants_of(form, 1);
    for (const Variant& v : variants) {
        if (!worthwhile(variants[0], v)) continue;
        cases.push_back(own_location(form, v));
        const bool ordered = has(v, "cas") || has(v, "exch") || has(v, "L2::cache_hint") || vector_of(v) > 1;
        const bool plain =
            std::count_if(v.words.begin(), v.words.end(), [](auto w) { return !w.empty(); }) <= 3;
        if (!ordered && plain) cases.push_back(contended(form, v));
    }
    return cases;
}

}  // namespace wl::conformance
