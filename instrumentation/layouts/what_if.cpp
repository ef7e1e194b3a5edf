// Every byte of an access is moved with its element; it is possible while they stay together and aligned.
#include "instrumentation/layouts/what_if.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace wl::layouts {
namespace {

// Of a plain matrix by its lines, of any other by its offsets.
int64_t moved_element(const Matrix& m, const Change& change, int64_t at) {
    if (change.pad != 0 && m.ld > 0) return at / m.ld * (m.ld + change.pad) + at % m.ld;
    return change.swizzle ? apply(*change.swizzle, at) : at;
}

uint64_t moved_byte(const Matrix& m, const Change& change, uint64_t at) {
    const auto size = static_cast<uint64_t>(bytes_of(m));
    const uint64_t inside = at - m.begin;
    const auto element = static_cast<uint64_t>(moved_element(m, change, static_cast<int64_t>(inside / size)));
    return m.begin + element * size + inside % size;
}

}  // namespace

Change parse_change(std::string_view text) {
    const auto fail = [&] {
        throw Error(fmt::format(
            "--what-if {}: write pad=N (elements more from line to line) or swizzle=BITS,BASE,SHIFT", text
        ));
    };
    Change c;
    const size_t equals = std::min(text.find('='), text.size());
    const std::string_view key = text.substr(0, equals);
    const std::string rest(text.substr(std::min(equals + 1, text.size())));
    if (key == "pad") {
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), c.pad);
        if (problem != std::errc{} || end != rest.data() + rest.size() || c.pad < 0 || c.pad > 1024) fail();
    } else if (key == "swizzle") {
        try {
            c.swizzle = parse("Swizzle<" + rest + "> o 1:0").swizzle;
        } catch (const Error&) { fail(); }
    } else {
        fail();
    }
    return c;
}

std::string text_of(const Change& change) {
    return change.swizzle ? text_of(*change.swizzle) : fmt::format("pad {}", change.pad);
}

Changed changed(const LaneAccesses& request, const Matrix& m, const Change& change) {
    Changed out{request, {}, ""};
    if (change.pad != 0 && m.ld == 0)
        out.problem = "a padding needs lines that lie one leading dimension apart";
    const uint64_t end = end_of(m);
    for (uint32_t rest = out.problem.empty() ? request.mask : 0; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        const uint64_t at = request.at[lane];
        if (at < m.begin || at >= end) continue;
        const uint64_t to = moved_byte(m, change, at);
        for (uint64_t byte = 1; byte < request.bytes && at + byte < end; ++byte)
            if (moved_byte(m, change, at + byte) != to + byte)
                out.problem = fmt::format("the {} bytes of lane {} would lie apart", request.bytes, lane);
        if (out.problem.empty() && to % request.bytes != 0)
            out.problem = fmt::format("the {} bytes of lane {} would not be aligned", request.bytes, lane);
        out.accesses.at[lane] = to;
    }
    out.cost = bank_cost(out.accesses);
    return out;
}

std::string advice(const Matrix& m, const Change& change) {
    if (!change.swizzle)
        return fmt::format(
            "{} {} apart in place of {}", m.column ? "columns" : "rows", m.ld + change.pad, m.ld
        );
    const Swizzle& s = *change.swizzle;
    const int64_t ones = (int64_t{1} << s.bits) - 1;
    const int line = std::countr_zero(static_cast<uint64_t>(std::max<int64_t>(m.ld, 1)));
    const bool by_line = m.ld == int64_t{1} << line && s.base + s.shift >= line;
    if (!by_line)
        return fmt::format("the element at offset x goes to x ^ (x >> {} & {})", s.shift, ones << s.base);
    const int down = s.base + s.shift - line;
    const std::string row = down == 0 ? "i" : fmt::format("i >> {}", down);
    return fmt::format(
        "element (i, j) goes to {}, j ^ ({} & {}) << {}", m.column ? "column i" : "row i", row, ones, s.base
    );
}

}  // namespace wl::layouts
