// Matrix products of a warp: fragments from memory, register by register; the result's too.
#include "instrumentation/ptx/table/elements.h"
#include "tests/conformance/families/families.h"

#include <algorithm>
#include <cstdlib>

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Type;

struct Shape {
    uint32_t m = 0, n = 0, k = 0;
};

Shape shape_of(const Variant& v) {
    for (std::string_view word : v.words) {
        if (word.size() < 6 || word[0] != 'm' || word[1] < '0' || word[1] > '9') continue;
        const std::string text(word);
        const size_t n = text.find('n'), k = text.find('k');
        return {
            static_cast<uint32_t>(std::stoul(text.substr(1))),
            static_cast<uint32_t>(std::stoul(text.substr(n + 1))),
            static_cast<uint32_t>(std::stoul(text.substr(k + 1)))};
    }
    return {};
}

uint32_t bits_of(Type t) { return static_cast<uint32_t>(ptx::element_bits(t)); }

// What fills the elements of a, b and c.
enum class Content : uint8_t { exact, random, special };

struct Fragment {
    Type element = Type::f16;
    uint32_t registers = 1;
};

Operand element_operand(Type t, Content content) {
    const bool integer =
        t == Type::u8 || t == Type::s8 || t == Type::s32 || t == Type::u4 || t == Type::s4 || t == Type::b1;
    if (integer) return {t == Type::s32 ? Type::b32 : Type::b8};
    const Flavour flavour = content == Content::exact ? Flavour::small
        : content == Content::random                  ? Flavour::finite
                                                      : Flavour::plain;
    return {t, flavour};
}

// A register's bits: as many elements as fit, the lowest first.
uint64_t draw_register(Type t, Content content, Random& random) {
    const uint32_t width = bits_of(t) == 64 ? 64 : 32, bits = std::max(8u, bits_of(t));
    uint64_t all = 0;
    for (uint32_t at = 0; at < width; at += bits) {
        uint64_t value = draw(element_operand(t, content), random);
        // A product of specials is mostly NaN: three of four elements are ordinary.
        if (content == Content::special && below(random, 16) != 0)
            value = draw(element_operand(t, Content::random), random);
        all |= (bits == 64 ? value : value & ((uint64_t{1} << bits) - 1)) << at;
    }
    return all;
}

std::string load_fragment(Kernel& k, const Fragment& f, Content content, uint64_t seed) {
    std::vector<std::string> registers;
    Random random{seed};
    const Type width = bits_of(f.element) == 64 ? Type::b64 : Type::b32;
    for (uint32_t r = 0; r < f.registers; ++r) {
        std::vector<uint64_t> values(threads(k));
        for (uint64_t& value : values) value = draw_register(f.element, content, random);
        registers.push_back(input(k, width, values));
    }
    return registers.size() == 1 ? "{" + registers[0] + "}" : braced(registers);
}

Fragment fragment(Type element, uint32_t elements_a_lane) {
    const uint32_t per_register = bits_of(element) == 64 ? 1 : 32 / bits_of(element);
    return {element, std::max(1u, elements_a_lane / per_register)};
}

// Legal pairs of indices among four (or one of two for tf32), as in PTX ISA 9.7.14.6.1.
uint64_t metadata(Type element, Random& random) {
    static constexpr uint64_t kPairs[6] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    static constexpr uint64_t kOne[2] = {0x4, 0xe};
    uint64_t bits = 0;
    for (int group = 0; group < 8; ++group)
        bits |= (element == Type::tf32 ? kOne[below(random, 2)] : kPairs[below(random, 6)]) << (4 * group);
    return bits;
}

// Selectors of mma.sp: a row's metadata, 2 bits an element kept (4 for tf32; for 4-bit integers 2 for each
// pair of them), lies in one lane, two lanes or all four of each quad.
uint32_t selectors_of(const Variant& v) {
    const uint32_t k = shape_of(v).k, width = bits_of(v.types[1]);
    const uint32_t bits_a_row = width == 32 ? 2 * k : width == 4 ? k / 2 : k;
    return bits_a_row <= 16 ? 4 : bits_a_row <= 32 ? 2 : 1;
}

struct Product {
    Fragment a, b, c, d;
    std::string metadata;  // operands e and f
};

Product product_of(const ptx::Form& form, const Variant& v) {
    const Shape s = shape_of(v);
    const bool sparse = form.op == Op::mma_sp;
    // m8n8k4 over f16 is four products, one for each quad pair.
    const uint32_t copies = s.m == 8 && s.k == 4 && v.types[1] == Type::f16 ? 4 : 1;
    const uint32_t a = s.m * s.k / 32 * copies / (sparse ? 2 : 1), b = s.n * s.k / 32 * copies,
                   c = s.m * s.n / 32 * copies;
    return {
        fragment(v.types[1], a),
        fragment(v.types[2], b),
        fragment(v.types[3], c),
        fragment(v.types[0], c),
        ""};
}

const char* word_of(Content content) {
    return content == Content::exact ? " small integers"
        : content == Content::random ? " random"
                                     : " specials";
}

void emit_product(Kernel& k, const std::string& words, const Product& p, Content content) {
    const std::string a = load_fragment(k, p.a, content, 101), b = load_fragment(k, p.b, content, 102),
                      c = load_fragment(k, p.c, content, 103);
    std::vector<std::string> d;
    const Type width = bits_of(p.d.element) == 64 ? Type::b64 : Type::b32;
    for (uint32_t r = 0; r < p.d.registers; ++r) d.push_back(new_register(k, width));
    line(
        k,
        words + " " + (d.size() == 1 ? "{" + d[0] + "}" : braced(d)) + ", " + a + ", " + b + ", " + c +
            p.metadata
    );
    const Type shown = p.d.element == Type::f16 ? Type::f16x2 : p.d.element;
    for (const std::string& reg : d) output(k, shown, reg);
}

std::vector<Content> contents_of(Type a, Type d) {
    if (d == Type::s32 || a == Type::b1) return {Content::random};
    return {Content::exact, Content::random, Content::special};
}

Case product_case(const ptx::Form& form, const Variant& v, Content content, const std::string& selector) {
    Kernel k;
    k.block.x = 32;
    k.grid.x = content == Content::exact ? 2 : 6;
    Product p = product_of(form, v);
    if (!selector.empty()) {
        Random random{104};
        std::vector<uint64_t> bits(threads(k));
        for (uint64_t& value : bits) value = metadata(v.types[1], random);
        p.metadata = ", " + input(k, Type::b32, bits) + ", " + selector;
    }
    emit_product(k, mnemonic(form, v), p, content);
    return finish(k, form, mnemonic(form, v) + (selector.empty() ? "" : " f=" + selector) + word_of(content));
}

// wmma: elements a lane holds of each fragment (PTX ISA 9.7.14.4.1). f16 a and b are held twice.
uint32_t wmma_registers(const Shape& s, Type element, char which) {
    if (which == 'c') return fragment(element, s.m * s.n / 32).registers;
    const uint32_t elements = (which == 'a' ? s.m : s.n) * s.k / 32;
    if (element == Type::f16) return 8;
    return fragment(element, elements).registers;
}

struct Access {
    char which = 'a';
    Shape shape;
    bool column = false;
    std::string space;
};

uint32_t rows_of(const Access& a) { return a.which == 'b' ? a.shape.k : a.shape.m; }
uint32_t columns_of(const Access& a) { return a.which == 'a' ? a.shape.k : a.shape.n; }

// A matrix whose rows (or columns) are longer than it is wide, in elements.
uint32_t stride_of(const Access& a, Type element) {
    const uint32_t line = a.column ? rows_of(a) : columns_of(a);
    const uint32_t whole =
        std::max(1u, 256 / bits_of(element));  // a stride is a multiple of 16 bytes, the base aligned to 32
    return (line + whole - 1) / whole * whole + whole;
}

size_t bytes_of_matrix(const Access& a, Type element) {
    const uint32_t lines = a.column ? columns_of(a) : rows_of(a);
    return size_t{lines} * stride_of(a, element) * bits_of(element) / 8;
}

Access access_of(const ptx::Form&, const Variant& v) {
    Access a;
    a.which = has(v, "a") ? 'a' : has(v, "b") ? 'b' : 'c';
    a.shape = shape_of(v);
    a.column = has(v, "col");
    for (std::string_view w : v.words)
        if (w == "global" || w.starts_with("shared")) a.space = std::string(w);
    return a;
}

// Copies a whole matrix between global memory and the shared variable "matrix", by one warp.
void copy_matrix(Kernel& k, const std::string& global, size_t bytes, bool in) {
    k.registers += "    .reg .b64 %cs, %cg, %ce;\n    .reg .b32 %cw;\n    .reg .pred %cp;\n";
    const std::string tag = in ? "IN" : "OUT";
    line(k, "mad.lo.u64 %cg, %index, 4, " + global);
    line(k, "mov.u64 %cs, matrix");
    line(k, "mad.lo.u64 %cs, %index, 4, %cs");
    line(k, "add.u64 %ce, " + global + ", " + std::to_string(bytes));
    line(k, tag + ":");
    line(k, std::string("ld.") + (in ? "global" : "shared") + ".b32 %cw, [" + (in ? "%cg" : "%cs") + "]");
    line(k, std::string("st.") + (in ? "shared" : "global") + ".b32 [" + (in ? "%cs" : "%cg") + "], %cw");
    line(k, "add.u64 %cg, %cg, 128");
    line(k, "add.u64 %cs, %cs, 128");
    line(k, "setp.lt.u64 %cp, %cg, %ce");
    line(k, "@%cp bra " + tag);
    line(k, "bar.sync 0");
}

Case wmma_load_case(const ptx::Form& form, const Variant& v) {
    Kernel k;
    k.block.x = 32;
    const Access a = access_of(form, v);
    const Type element = v.types[0];
    const size_t bytes = (bytes_of_matrix(a, element) + 127) / 128 * 128;
    std::string address = buffer(k, {Type::b8, random_bytes(bytes, 105), false});
    if (a.space.starts_with("shared")) {
        k.registers += "    .shared .align 128 .b8 matrix[" + std::to_string(bytes) + "];\n";
        copy_matrix(k, address, bytes, true);
        address = new_register(k, Type::b64);
        line(k, "mov.u64 " + address + ", matrix");
    }
    std::vector<std::string> registers;
    const Type width = bits_of(element) == 64 ? Type::b64 : Type::b32;
    for (uint32_t r = 0; r < wmma_registers(a.shape, element, a.which); ++r)
        registers.push_back(new_register(k, width));
    line(
        k,
        mnemonic(form, v) + " " + (registers.size() == 1 ? "{" + registers[0] + "}" : braced(registers)) +
            ", [" + address + "], " + std::to_string(stride_of(a, element))
    );
    for (const std::string& reg : registers) output(k, width, reg);
    return finish(k, form, mnemonic(form, v));
}

Case wmma_store_case(const ptx::Form& form, const Variant& v) {
    Kernel k;
    k.block.x = 32;
    Access a = access_of(form, v);
    a.which = 'c';
    const Type element = v.types[0];
    const size_t bytes = (bytes_of_matrix(a, element) + 127) / 128 * 128;
    const std::string fragment_registers =
        load_fragment(k, {element, wmma_registers(a.shape, element, 'c')}, Content::random, 106);
    const std::string global = zeroed(k, element, bytes);
    std::string address = global;
    if (a.space.starts_with("shared")) {
        k.registers += "    .shared .align 128 .b8 matrix[" + std::to_string(bytes) + "];\n";
        copy_matrix(k, buffer(k, {Type::b8, std::vector<std::byte>(bytes), false}), bytes, true);
        address = new_register(k, Type::b64);
        line(k, "mov.u64 " + address + ", matrix");
    }
    line(
        k,
        mnemonic(form, v) + " [" + address + "], " + fragment_registers + ", " +
            std::to_string(stride_of(a, element))
    );
    if (a.space.starts_with("shared")) {
        line(k, "bar.sync 0");
        k.code += "    {\n";
        std::string saved;
        std::swap(saved, k.registers);
        copy_matrix(k, global, bytes, false);
        k.registers = saved;
        k.code += "    }\n";
    }
    return finish(k, form, mnemonic(form, v));
}

Case wmma_product_case(const ptx::Form& form, const Variant& v, Content content) {
    Kernel k;
    k.block.x = 32;
    k.grid.x = content == Content::exact ? 2 : 6;
    const Shape s = shape_of(v);
    const bool halves = v.types.size() == 2;  // the types of d and c; a and b are f16
    const Type a = halves ? Type::f16 : v.types[1], b = halves ? Type::f16 : v.types[2];
    const Type d = v.types[0], c = v.types.back();
    const Product p{
        {a, wmma_registers(s, a, 'a')},
        {b, wmma_registers(s, b, 'b')},
        {c, wmma_registers(s, c, 'c')},
        {d, wmma_registers(s, d, 'c')},
        ""
    };
    emit_product(k, mnemonic(form, v), p, content);
    return finish(k, form, mnemonic(form, v) + word_of(content));
}

}  // namespace

std::vector<Case> mma_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    if (form.op != Op::mma && form.op != Op::mma_sp) return cases;
    const bool scaled = form.operands.find("scale_a") != std::string_view::npos ||
        form.modifiers.find("kind::") != std::string_view::npos;
    for (const Variant& v : variants_of(form)) {
        if (scaled) continue;
        for (const Content content : contents_of(v.types[1], v.types[0])) {
            if (form.op == Op::mma)
                cases.push_back(product_case(form, v, content, ""));
            else
                for (uint32_t f = 0; f < (content == Content::random ? selectors_of(v) : 1); ++f)
                    cases.push_back(product_case(form, v, content, std::to_string(f)));
        }
    }
    return cases;
}

std::vector<Case> wmma_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    for (const Variant& v : variants_of(form, 256)) {
        if (form.op == Op::wmma_load) cases.push_back(wmma_load_case(form, v));
        if (form.op == Op::wmma_store) cases.push_back(wmma_store_case(form, v));
        if (form.op == Op::wmma_mma)
            for (const Content content :
                 contents_of(v.types.size() == 2 ? Type::f16 : v.types[1], v.types[0]))
                cases.push_back(wmma_product_case(form, v, content));
    }
    return cases;
}

}  // namespace wl::conformance
