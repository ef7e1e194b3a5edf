// Recursive descent over the characters.
#include "instrumentation/layouts/parse.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/layouts/linear.h"

#include <array>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace wl::layouts {
namespace {

constexpr int64_t kMostNumber = int64_t{1} << 31;
constexpr int64_t kMostElements = 1 << 24;
constexpr int kMostDepth = 64;

struct Reader {
    std::string_view text;
    size_t at = 0;
    int depth = 0;

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(fmt::format("layout '{}': {} at character {}", text, what, at + 1));
    }
    void skip() {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    }
    bool takes(char c) {
        skip();
        if (at >= text.size() || text[at] != c) return false;
        ++at;
        return true;
    }
    void expect(char c) {
        if (!takes(c)) fail(fmt::format("'{}' is missing", c));
    }
    int64_t number() {
        skip();
        const bool negative = takes('-');
        const size_t begin = at;
        int64_t value = 0;
        for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at) {
            value = value * 10 + (text[at] - '0');
            if (value > kMostNumber) fail("the number is too large");
        }
        if (at == begin) fail("a number is missing");
        return negative ? -value : value;
    }
    std::string word() {
        skip();
        const size_t begin = at;
        while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0) ++at;
        return std::string(text.substr(begin, at - begin));
    }
};

// A tree of numbers; as a Layout whose leaves have only a shape.
Layout tuple(Reader& r) {
    if (++r.depth > kMostDepth) r.fail("parentheses are nested too deep");
    Layout out;
    if (r.takes('(')) {
        do out.modes.push_back(tuple(r));
        while (r.takes(','));
        r.expect(')');
    } else {
        out.shape = r.number();
    }
    --r.depth;
    return out;
}

void set_compact(Layout& l, int64_t& next) {
    if (l.is_leaf()) {
        l.stride = l.shape == 1 ? 0 : next;
        next *= l.shape;
    }
    for (Layout& mode : l.modes) set_compact(mode, next);
}

void set_strides(Layout& l, const Layout& strides, const Reader& r) {
    if (l.modes.size() != strides.modes.size()) r.fail("shape and stride are not nested alike");
    if (l.is_leaf()) l.stride = strides.shape;
    for (size_t i = 0; i < l.modes.size(); ++i) set_strides(l.modes[i], strides.modes[i], r);
}

void check_shape(const Layout& l, const Reader& r) {
    if (l.is_leaf() && l.shape < 1) r.fail("an extent is less than 1");
    for (const Layout& mode : l.modes) check_shape(mode, r);
    if (size(l) > kMostElements) r.fail("the layout has more than 2^24 elements");
}

Layout shape_and_stride(Reader& r) {
    Layout l = tuple(r);
    if (r.takes(':')) {
        set_strides(l, tuple(r), r);
    } else {
        int64_t next = 1;
        set_compact(l, next);
    }
    check_shape(l, r);
    return l;
}

Swizzled expression(Reader& r);

const Layout& plain(const Swizzled& l, const Reader& r) {
    if (l.swizzle) r.fail("a swizzle may only stand before the whole");
    return l.layout;
}

Layout by_rows(Reader& r, bool column) {
    const int64_t rows = r.number();
    r.expect(',');
    const int64_t columns = r.number();
    const int64_t ld = r.takes(',') ? r.number() : column ? rows : columns;
    const Layout row{rows, column ? 1 : ld, {}}, col{columns, column ? ld : 1, {}};
    Layout all{
        1, 0, {row, col}
    };
    check_shape(all, r);
    return all;
}

Layout two(Reader& r, Layout (*operation)(const Layout&, const Layout&)) {
    const Layout a = plain(expression(r), r);
    r.expect(',');
    return operation(a, plain(expression(r), r));
}

Swizzle swizzle(Reader& r) {
    r.expect('<');
    const auto bits = static_cast<int>(r.number());
    r.expect(',');
    const auto base = static_cast<int>(r.number());
    r.expect(',');
    const auto shift = static_cast<int>(r.number());
    r.expect('>');
    if (bits < 0 || base < 0 || std::abs(shift) < bits || bits + base + std::abs(shift) > 40)
        r.fail("a swizzle needs 0 <= bits <= |shift| and a base of at least 0");
    return {bits, base, shift};
}

Layout function(Reader& r, const std::string& name) {
    static const std::array<std::string, 9> kKnown = {
        "Swizzle", "row", "col", "coalesce", "flatten", "complement", "compose", "divide", "product"};
    r.expect('(');
    Layout out;
    if (name == "row" || name == "col") {
        out = by_rows(r, name == "col");
    } else if (name == "coalesce" || name == "flatten") {
        const Layout of = plain(expression(r), r);
        out = name == "coalesce" ? coalesce(of) : flatten(of);
    } else if (name == "complement") {
        const Layout of = plain(expression(r), r);
        r.expect(',');
        out = complement(of, r.number());
    } else if (name == "compose" || name == "divide" || name == "product") {
        out = two(r, name == "compose" ? compose : name == "divide" ? divide : product);
    } else {
        const std::string near = nearest_word(name, kKnown);
        r.fail(fmt::format(
            "'{}' is no operation; {}",
            name,
            near.empty() ? "there are " + join(kKnown, ", ") : "did you mean " + near + "?"
        ));
    }
    r.expect(')');
    return out;
}

Swizzled term(Reader& r) {
    r.skip();
    const std::string name = r.word();
    if (name.empty()) return {{}, shape_and_stride(r)};
    if (name == "Swizzle" || name == "Sw") {
        const Swizzle s = swizzle(r);
        if (r.word() != "o") r.fail("'o' and a layout are missing after the swizzle");
        Swizzled inner = expression(r);
        if (inner.swizzle) r.fail("two swizzles in a row are not supported");
        return {s, std::move(inner.layout)};
    }
    return {{}, function(r, name)};
}

Swizzled expression(Reader& r) {
    if (++r.depth > kMostDepth) r.fail("operations are nested too deep");
    Swizzled left = term(r);
    const size_t before = r.at;
    if (r.word() == "o")
        left.layout = compose(left.layout, plain(expression(r), r));
    else
        r.at = before;
    --r.depth;
    return left;
}

}  // namespace

int64_t cosize(const Swizzled& l) {
    if (l.linear.empty()) return cosize(l.layout);
    int64_t bits = 0;
    for (const int64_t basis : l.linear) bits |= basis;
    return bits + 1;
}

int64_t offset(const Swizzled& l, int64_t index) {
    if (!l.linear.empty()) return linear_offset(l.linear, index);
    const int64_t at = offset(l.layout, index);
    return l.swizzle ? apply(*l.swizzle, at) : at;
}

int64_t offset(const Swizzled& l, int64_t i, int64_t j) {
    if (!l.linear.empty()) return linear_offset(l.linear, i + j * size(l.layout.modes.front()));
    const int64_t at = offset(l.layout, i, j);
    return l.swizzle ? apply(*l.swizzle, at) : at;
}

std::string text_of(const Swizzled& l) {
    if (!l.linear.empty()) return linear_text(l);
    return (l.swizzle ? text_of(*l.swizzle) + " o " : "") + text_of(l.layout);
}

Swizzled parse(std::string_view text) {
    if (is_linear(text)) return parse_linear(text);
    Reader r{text};
    Swizzled l = expression(r);
    r.skip();
    if (r.at != text.size()) r.fail("there is more than a layout");
    return l;
}

}  // namespace wl::layouts
