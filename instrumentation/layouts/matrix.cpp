// The short form becomes a layout of two modes.
#include "instrumentation/layouts/matrix.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace wl::layouts {
namespace {

constexpr int64_t kMostElements = 1 << 20;  // shared memory has at most 228 KiB

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::string_view until(std::string_view& text, char c) {
    const size_t at = std::min(text.find(c), text.size());
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw Error(fmt::format(
        "'{}' is no matrix: {}; write 'f16 64x64:ld=72', 'f16 64x64:ld=72:col', 'f16 64x64:swizzle=3,3,3', "
        "or a type and "
        "a layout as in 'f16 Swizzle<3,3,3> o (64,64):(64,1)'",
        text,
        why
    ));
}

std::optional<int64_t> number(std::string_view text) {
    int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = problem == std::errc{} && end == text.data() + text.size();
    return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

// "3,3,3"
std::optional<Swizzle> swizzle_from(std::string_view text) {
    const auto bits = number(until(text, ',')), base = number(until(text, ',')), shift = number(text);
    if (!bits || !base || !shift || *shift < *bits || *bits + *base + *shift > 40) return std::nullopt;
    return Swizzle{static_cast<int>(*bits), static_cast<int>(*base), static_cast<int>(*shift)};
}

// "64x64:ld=72:col"; nothing: another notation.
std::optional<Matrix> short_form(std::string_view whole, std::string_view text, DType dtype) {
    std::string_view extents = until(text, ':');
    const auto rows = number(until(extents, 'x')), columns = number(extents);
    if (!rows || !columns || *rows == 0 || *columns == 0) return std::nullopt;
    std::optional<int64_t> ld;
    std::optional<Swizzle> swizzle;
    bool column = false;
    while (!text.empty()) {
        std::string_view part = until(text, ':');
        const std::string_view key = until(part, '=');
        if (key == "ld")
            ld = number(part);
        else if (key == "swizzle")
            swizzle = swizzle_from(part);
        else if (key == "col" || key == "row")
            column = key == "col";
        else
            refuse(whole, fmt::format("'{}' is not known", key));
        if ((key == "ld" && !ld) || (key == "swizzle" && !swizzle))
            refuse(whole, fmt::format("{} has no value that can be read", key));
    }
    const int64_t width = column ? *rows : *columns;
    if (ld && *ld < width) refuse(whole, fmt::format("a line has {} elements, and ld is {}", width, *ld));
    Matrix m = plain_matrix(dtype, *rows, *columns, ld.value_or(width), column);
    m.layout.swizzle = swizzle;
    if (swizzle) m.ld = 0;
    return m;
}

}  // namespace

Matrix plain_matrix(DType dtype, int64_t rows, int64_t columns, int64_t ld, bool column) {
    Matrix m;
    m.dtype = dtype, m.rows = rows, m.columns = columns, m.ld = ld, m.column = column;
    m.layout.layout.modes = {
        {rows,    column ? 1 : ld, {}},
        {columns, column ? ld : 1, {}}
    };
    return m;
}

Matrix parse_matrix(std::string_view whole) {
    std::string_view text = trimmed(whole);
    std::optional<int64_t> begin;
    if (text.starts_with('@')) {
        begin = number(until(text, ' ').substr(1));
        if (!begin || *begin > 1 << 18) refuse(whole, "after @ there is no byte of shared memory");
        text = trimmed(text);
    }
    const std::string type(until(text, ' '));
    const std::optional<DType> dtype = dtype_from_name(type);
    if (!dtype) refuse(whole, fmt::format("'{}' is no element type", type));
    text = trimmed(text);
    std::optional<Matrix> m = short_form(whole, text, *dtype);
    if (!m) {
        m.emplace();
        m->dtype = *dtype;
        m->layout = parse(text);
        if (m->layout.layout.modes.size() != 2)
            refuse(whole, "its layout has not two modes, rows and columns");
        m->rows = size(m->layout.layout.modes[0]), m->columns = size(m->layout.layout.modes[1]);
    }
    if (m->rows * m->columns > kMostElements || cosize(m->layout) > kMostElements)
        refuse(whole, "it is larger than any shared memory");
    m->begin = static_cast<uint32_t>(begin.value_or(0));
    m->places = begin.has_value();
    return *m;
}

std::string text_of(const Matrix& m) {
    const std::string shape = fmt::format("{} x {} {}", m.rows, m.columns, name_of(m.dtype));
    if (m.ld == 0) return fmt::format("{}, {}", shape, text_of(m.layout));
    return fmt::format("{}, {} {} apart", shape, m.column ? "columns" : "rows", m.ld);
}

uint32_t end_of(const Matrix& m) { return m.begin + static_cast<uint32_t>(cosize(m.layout) * bytes_of(m)); }

std::vector<int32_t> elements_of(const Matrix& m) {
    std::vector<int32_t> out(static_cast<size_t>(cosize(m.layout)), -1);
    for (int64_t i = 0; i < m.rows; ++i)
        for (int64_t j = 0; j < m.columns; ++j) {
            const auto at = static_cast<size_t>(offset(m.layout, i, j));
            if (at >= out.size()) out.resize(at + 1, -1);  // a swizzle may reach beyond
            out[at] = static_cast<int32_t>(i * m.columns + j);
        }
    return out;
}

}  // namespace wl::layouts
