// Bases are read as they stand; those of memory are inverted over GF(2).
#include "instrumentation/layouts/linear.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace wl::layouts {
namespace {

constexpr size_t kMostBits = 24;

struct Coordinate {
    int64_t row = 0, column = 0;
};
// What one kind of bits stands for: "offset", "register", "lane", "warp", "block".
struct Input {
    std::string name;
    std::vector<Coordinate> bases;
};

struct LinearReader {
    std::string_view text;
    size_t at = 0;

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(fmt::format("layout '{}': {} at character {}", text, what, at + 1));
    }
    bool takes(char c) {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
        if (at >= text.size() || text[at] != c) return false;
        ++at;
        return true;
    }
    void expect(char c) {
        if (!takes(c)) fail(fmt::format("'{}' is missing", c));
    }
    std::string word() {
        takes(' ');
        const size_t begin = at;
        while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0) ++at;
        if (at == begin) fail("a name such as offset, register, lane or warp is missing");
        return std::string(text.substr(begin, at - begin));
    }
    int64_t number() {
        takes(' ');
        int64_t value = 0;
        const auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), value);
        if (problem != std::errc{} || value < 0) fail("a number is missing");
        if (value > int64_t{1} << kMostBits) fail("the number is too large");
        at = static_cast<size_t>(end - text.data());
        return value;
    }
    // [1, 0], or [5] of a tensor of one extent.
    Coordinate coordinate() {
        expect('[');
        std::vector<int64_t> numbers;
        do numbers.push_back(number());
        while (takes(','));
        expect(']');
        if (numbers.size() > 2) fail("only tensors of one and two extents can be read");
        return numbers.size() == 2 ? Coordinate{numbers[0], numbers[1]} : Coordinate{0, numbers[0]};
    }
    Input input() {
        Input in{word(), {}};
        expect('=');
        expect('[');
        if (takes(']')) return in;
        do in.bases.push_back(coordinate());
        while (takes(','));
        expect(']');
        return in;
    }
};

std::vector<Input> inputs_of(LinearReader& r) {
    r.at = r.text.find('{');
    if (r.at == std::string_view::npos) {
        r.at = r.text.size();
        r.fail("'{' is missing");
    }
    r.expect('{');
    std::vector<Input> all;
    size_t bits = 0;
    do {
        all.push_back(r.input());
        bits += all.back().bases.size();
    } while (r.takes(','));
    r.expect('}');
    if (bits > kMostBits) r.fail("the layout has more than 2^24 elements");
    std::erase_if(all, [](const Input& in) { return in.name == "block" && in.bases.empty(); });
    return all;
}

int bits_of(const std::vector<Input>& all, int64_t Coordinate::*member) {
    int64_t any = 0;
    for (const Input& in : all)
        for (const Coordinate& c : in.bases) any |= c.*member;
    return std::bit_width(static_cast<uint64_t>(any));
}

Layout shape(const std::vector<int64_t>& extents) {
    Layout l;
    for (const int64_t extent : extents) l.modes.push_back({extent, extent == 1 ? 0 : 1, {}});
    return l;
}

// From (row, column) to the offset: bit k of `rows` and `columns` bits is the XOR of offset bits whose
// coordinates leave that bit alone.
Swizzled of_memory(const Input& offset, int rows, int columns, const LinearReader& r) {
    const auto bits = static_cast<size_t>(rows + columns);
    if (offset.bases.size() != bits) r.fail("the layout of memory is not one to one");
    std::vector<std::pair<int64_t, int64_t>> equations;  // coordinate bits, offset bits
    for (size_t k = 0; k < bits; ++k)
        equations.emplace_back(offset.bases[k].row | offset.bases[k].column << rows, int64_t{1} << k);
    for (size_t k = 0; k < bits; ++k) {
        const auto pivot =
            std::find_if(equations.begin() + static_cast<int64_t>(k), equations.end(), [k](const auto& e) {
                return (e.first >> k & 1) != 0;
            });
        if (pivot == equations.end()) r.fail("the layout of memory is not one to one");
        std::swap(equations[k], *pivot);
        for (size_t other = 0; other < bits; ++other)
            if (other != k && (equations[other].first >> k & 1) != 0) {
                equations[other].first ^= equations[k].first;
                equations[other].second ^= equations[k].second;
            }
    }
    Swizzled l{{}, shape({int64_t{1} << rows, int64_t{1} << columns})};
    for (const auto& [coordinate, at] : equations) l.linear.push_back(at);
    return l;
}

}  // namespace

bool is_linear(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    for (const std::string_view prefix : {"#ttg.", "#triton_gpu."})
        if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    return text.starts_with("linear<") || text.starts_with("shared_linear<") || text.starts_with("linear{") ||
        text.starts_with("shared_linear{");
}

Swizzled parse_linear(std::string_view text) {
    LinearReader r{text};
    const std::vector<Input> all = inputs_of(r);
    const int rows = bits_of(all, &Coordinate::row), columns = bits_of(all, &Coordinate::column);
    if (all.size() == 1 && all.front().name == "offset") return of_memory(all.front(), rows, columns, r);
    Swizzled l;
    std::vector<int64_t> extents;
    for (const Input& in : all) {
        if (in.name == "offset") r.fail("offset stands alone: the layout of memory has no other bits");
        extents.push_back(int64_t{1} << in.bases.size());
        for (const Coordinate& c : in.bases) l.linear.push_back(c.row << columns | c.column);
    }
    if (l.linear.empty()) r.fail("the layout has no bases");
    l.layout = shape(extents);
    return l;
}

int64_t linear_offset(const std::vector<int64_t>& bases, int64_t index) {
    int64_t at = 0;
    for (size_t k = 0; k < bases.size(); ++k)
        if ((index >> k & 1) != 0) at ^= bases[k];
    return at;
}

std::string linear_text(const Swizzled& l) {
    std::string extents, bases;
    size_t k = 0;
    for (const Layout& mode : l.layout.modes) {
        extents += fmt::format("{}{}", extents.empty() ? "" : ",", mode.shape);
        bases += bases.empty() ? "" : " |";
        const auto end = k + static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(mode.shape)));
        for (; k < end; ++k) bases += fmt::format(" {}", l.linear[k]);
    }
    return fmt::format("linear ({}):{}", extents, bases);
}

}  // namespace wl::layouts
