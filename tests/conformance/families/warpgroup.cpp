// Products of a warpgroup: a from registers or shared memory, b from shared memory, in every layout that a
// matrix descriptor names.
#include "instrumentation/ptx/table/elements.h"
#include "tests/conformance/families/families.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Type;

constexpr uint32_t kThreads = 128, kRows = 64, kPiece = 16, kDepthBytes = 32, kLines = 8;

// How a matrix lies in shared memory: PTX ISA 9.0, 9.7.15.5.1.
struct Lying {
    uint32_t pieces = 1;   // of 16 bytes side by side: 1, or by the swizzle 2, 4, 8
    bool along_k = true;   // else along m or n
    uint32_t skipped = 0;  // bytes of each line before the matrix
    uint32_t base = 0;     // lines of 128 bytes by which the pattern is shifted
};

uint32_t bits_of(Type t) { return static_cast<uint32_t>(ptx::element_bits(t)); }

struct Laid {
    uint32_t leading = 0, stride = 0, bytes = 0;
};
Laid laid(const Lying& l, uint32_t lines) {
    const uint32_t pitch = l.pieces * kPiece, block = kLines * pitch;
    if (l.pieces == 1) {
        const uint32_t near = kLines * kPiece, far = 2 * near;
        return {near, far, lines / kLines * far};
    }
    if (l.along_k) return {kPiece, block, lines / kLines * block + l.base * 128};
    const uint32_t across = l.pieces * kPiece / 2;  // elements
    return {2 * block, block, (lines + across - 1) / across * 2 * block};
}

std::string text_of(const Lying& l) {
    return fmt::format(
        "{}{}{}{}",
        l.along_k ? "K" : "MN",
        l.pieces == 1 ? std::string() : fmt::format(" swizzle {}", l.pieces * kPiece),
        l.skipped == 0 ? std::string() : fmt::format(" from {}", l.skipped),
        l.base == 0 ? std::string() : fmt::format(" base {}", l.base)
    );
}

enum class Content : uint8_t { exact, random, special };

struct Plan {
    Lying a, b;
    bool a_in_registers = false;
    Content content = Content::random;
    std::string scale = "1";  // scale-d is true
    int sign_a = 1, sign_b = 1;
};

uint32_t columns_of(const Variant& v) {
    for (std::string_view word : v.words)
        if (word.starts_with("m64n")) return static_cast<uint32_t>(std::stoul(std::string(word.substr(4))));
    return 0;
}

Operand element_operand(Type t, Content content) {
    if (t == Type::s32) return {Type::b32};
    if (t == Type::u8 || t == Type::s8 || t == Type::b1) return {Type::b8};
    return {
        t,
        content == Content::exact        ? Flavour::small
            : content == Content::random ? Flavour::finite
                                         : Flavour::plain};
}

std::vector<std::byte> elements(Type t, Content content, size_t bytes, uint64_t seed) {
    std::vector<std::byte> all(bytes);
    Random random{seed};
    const size_t width = std::max(8u, bits_of(t)) / 8;
    for (size_t at = 0; at < bytes; at += width) {
        uint64_t value = draw(element_operand(t, content), random);
        // A product of specials is mostly NaN.
        if (content == Content::special && below(random, 64) != 0)
            value = draw(element_operand(t, Content::random), random);
        for (size_t k = 0; k < width; ++k) all[at + k] = static_cast<std::byte>(value >> (8 * k));
    }
    return all;
}

// Fills shared variable `name`; a register with the descriptor of the matrix in it.
std::string matrix(
    Kernel& k, const std::string& name, const Lying& l, uint32_t lines, std::vector<std::byte> fill
) {
    const auto size = static_cast<uint32_t>(fill.size());
    k.registers += fmt::format("    .shared .align 1024 .b8 {}[{}];\n", name, size);
    k.registers += fmt::format(
        "    .reg .b64 %{0}g, %{0}s, %{0}x, %{0}d;\n    .reg .b32 %{0}i, %{0}w<4>;\n    .reg .pred %{0}p;\n",
        name
    );
    const std::string from = buffer(k, {Type::b8, std::move(fill), false});
    const auto add = [&](const std::string& text) { line(k, fmt::format(fmt::runtime(text), name)); };
    add("mov.u32 %{0}i, %tid.x");
    add("FILL_{0}:");
    line(k, fmt::format("setp.ge.u32 %{0}p, %{0}i, {1}", name, size / kPiece));
    add("@%{0}p bra FILLED_{0}");
    add("mul.wide.u32 %{0}x, %{0}i, 16");
    line(k, fmt::format("add.u64 %{0}g, {1}, %{0}x", name, from));
    add("ld.global.v4.b32 {{%{0}w0, %{0}w1, %{0}w2, %{0}w3}}, [%{0}g]");
    add("mov.u64 %{0}s, {0}");
    add("add.u64 %{0}s, %{0}s, %{0}x");
    add("st.shared.v4.b32 [%{0}s], {{%{0}w0, %{0}w1, %{0}w2, %{0}w3}}");
    add("add.u32 %{0}i, %{0}i, 128");
    add("bra FILL_{0}");
    add("FILLED_{0}:");
    const Laid at = laid(l, lines);
    const uint64_t mode = l.pieces == 1 ? 0 : l.pieces == 8 ? 1 : l.pieces == 4 ? 2 : 3;
    const uint64_t rest = uint64_t{at.leading / 16} << 16 | uint64_t{at.stride / 16} << 32 |
        uint64_t{l.base} << 49 | mode << 62;
    add("mov.u64 %{0}d, {0}");
    line(k, fmt::format("add.u64 %{0}d, %{0}d, {1}", name, l.skipped + l.base * 128));
    add("shr.u64 %{0}d, %{0}d, 4");
    line(k, fmt::format("or.b64 %{0}d, %{0}d, {1}", name, rest));
    return "%" + name + "d";
}

// `count` registers a thread, one after the other in the buffer.
std::vector<std::string> registers(
    Kernel& k, const std::string& prefix, uint32_t count, std::vector<std::byte> fill
) {
    k.registers += fmt::format("    .reg .b32 %{}<{}>;\n", prefix, count);
    const std::string from = element_address(k, buffer(k, {Type::b8, std::move(fill), false}), 4 * count);
    std::vector<std::string> all;
    for (uint32_t r = 0; r < count; ++r) {
        all.push_back(fmt::format("%{}{}", prefix, r));
        line(k, fmt::format("ld.global.b32 {}, [{}+{}]", all.back(), from, 4 * r));
    }
    return all;
}

Case product_case(const ptx::Form& form, const Variant& v, const Plan& p, const std::string& what) {
    const Type d = v.types[0], a = v.types[1], b = v.types[2];
    const uint32_t n = columns_of(v), count = bits_of(d) == 16 ? n / 4 : n / 2;
    Kernel k;
    k.block.x = kThreads;
    const bool floats = a != Type::u8 && a != Type::s8 && a != Type::b1;
    std::string of_a;
    if (p.a_in_registers)
        of_a = braced(registers(k, "ra", 4, elements(a, p.content, size_t{kThreads} * 16, 201)));
    else
        of_a = matrix(k, "sa", p.a, kRows, elements(a, p.content, laid(p.a, kRows).bytes, 202));
    const std::string of_b = matrix(k, "sb", p.b, n, elements(b, p.content, laid(p.b, n).bytes, 203));
    const auto sums = registers(k, "rd", count, elements(d, p.content, size_t{kThreads} * count * 4, 204));
    k.registers += "    .reg .pred %scale;\n";
    line(k, "setp.ne.u32 %scale, " + p.scale + ", 0");
    line(k, "fence.proxy.async.shared::cta");
    line(k, "bar.sync 0");
    line(k, "wgmma.fence.sync.aligned");
    std::string last = ", %scale";
    if (floats) last += fmt::format(", {}, {}", p.sign_a, p.sign_b);
    if (bits_of(a) == 16 && !p.a_in_registers) last += p.a.along_k ? ", 0" : ", 1";
    if (bits_of(a) == 16) last += p.b.along_k ? ", 0" : ", 1";
    line(k, mnemonic(form, v) + " " + braced(sums) + ", " + of_a + ", " + of_b + last);
    line(k, "wgmma.commit_group.sync.aligned");
    line(k, "wgmma.wait_group.sync.aligned 0");
    const Type shown = d == Type::f16 ? Type::f16x2 : d;
    const std::string to = element_address(k, zeroed(k, shown, size_t{kThreads} * count * 4), 4 * count);
    for (uint32_t r = 0; r < count; ++r)
        line(k, fmt::format("st.global.b32 [{}+{}], {}", to, 4 * r, sums[r]));
    return finish(k, form, mnemonic(form, v) + " " + what);
}

void add_layouts(const ptx::Form& form, const Variant& v, std::vector<Case>& all) {
    std::vector<Lying> ways;
    for (const uint32_t pieces : {1u, 2u, 4u, 8u}) {
        ways.push_back({pieces, true});
        if (pieces > 2) ways.push_back({pieces, true, kDepthBytes});
        if (pieces == 8) ways.push_back({pieces, true, 0, 3});
        if (pieces == 8) ways.push_back({pieces, true, kDepthBytes, 6});
        if (bits_of(v.types[1]) == 16) ways.push_back({pieces, false});
    }
    for (const Lying& way : ways) {
        if (v.types[1] != Type::f16 && way.pieces != 8) continue;
        Plan p;
        p.a = way;
        all.push_back(product_case(form, v, p, "a " + text_of(way)));
        p.a = {};
        p.b = way;
        all.push_back(product_case(form, v, p, "b " + text_of(way)));
    }
}

void add_contents(const ptx::Form& form, const Variant& v, std::vector<Case>& all) {
    const bool floats = v.types[0] != Type::s32;
    for (const Content content : {Content::exact, Content::random, Content::special}) {
        if (!floats && content != Content::random) continue;
        Plan p;
        p.content = content;
        const std::string words = content == Content::exact ? " small integers"
            : content == Content::random                    ? " random"
                                                            : " specials";
        all.push_back(product_case(form, v, p, "shared" + words));
        p.a_in_registers = true;
        all.push_back(product_case(form, v, p, "registers" + words));
    }
    Plan p;
    p.scale = "0";
    all.push_back(product_case(form, v, p, "without d"));
    if (!floats) return;
    p.scale = "1", p.sign_a = -1;
    all.push_back(product_case(form, v, p, "-a"));
    p.sign_b = -1;
    all.push_back(product_case(form, v, p, "-a -b"));
}

}  // namespace

std::vector<Case> warpgroup_cases(const ptx::Form& form) {
    std::vector<Case> all;
    if (form.op != Op::wgmma || form.types.empty() || form.types == "*") return all;
    for (const Variant& v : variants_of(form)) {
        // Every shape is the same blocks of eight columns, and a layout depends on the size of an element
        // alone.
        const uint32_t n = columns_of(v);
        const bool plain = v.types[0] != Type::f16 && v.types[1] == v.types[2] && v.types[1] != Type::e5m2 &&
            v.types[1] != Type::u8 && !has(v, "satfinite");
        if (n == 8 || (n == 24 && plain)) add_contents(form, v, all);
        if (n == 64 && plain && v.types[1] != Type::bf16) add_layouts(form, v, all);
        if (n == 256 && plain && v.types[1] == Type::f16) all.push_back(product_case(form, v, {}, "shared"));
    }
    return all;
}

}  // namespace wl::conformance
