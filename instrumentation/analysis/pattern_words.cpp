// A pattern in words.
#include "instrumentation/analysis/pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wl::analysis {

namespace {

int64_t elements(const std::vector<int64_t>& shape) {
    int64_t out = 1;
    for (const int64_t extent : shape) out *= extent;
    return out;
}

// Of a set of distances from the diagonal; `zero`: the place of the diagonal itself.
std::string diagonal_words(
    const AxisPattern& p, int64_t square, int64_t zero, const AxisName& row, const AxisName& column
) {
    std::string what =
        square == 1 ? "the diagonal" : fmt::format("the diagonal squares of {} x {}", square, square);
    const std::string unit = square == 1 ? "" : fmt::format(" in squares of {} x {}", square, square);
    if (p.inverted) {
        AxisPattern inside = p;
        inside.inverted = false;
        if (p.first == zero && p.last == zero) return "everything off " + what;
        return "all but " + diagonal_words(inside, square, zero, row, column);
    }
    const int64_t low = p.first - zero, high = p.last - zero;
    const bool up = p.last == p.extent - 1, down = p.first == 0;
    if (low == 0 && high == 0) return what;
    if (up && (low == 0 || low == 1))
        return fmt::format(
            "{} {} ({} {} {})",
            low == 0 ? "on and above" : "above",
            what,
            column.one,
            low == 0 ? ">=" : ">",
            row.one
        );
    if (down && (high == 0 || high == -1))
        return fmt::format(
            "{} {} ({} {} {})",
            high == 0 ? "on and below" : "below",
            what,
            column.one,
            high == 0 ? "<=" : "<",
            row.one
        );
    const std::string range = up ? fmt::format("at least {}", low)
        : down                   ? fmt::format("at most {}", high)
        : low == high            ? std::to_string(low)
                                 : fmt::format("{} to {}", low, high);
    return fmt::format("the elements whose {} - {} is {}{}", column.one, row.one, range, unit);
}

std::string joined_words(const PatternAxis& a, const Pattern& p, const std::vector<AxisName>& names) {
    const std::string out = words(a.set, {"element", "elements"});
    if (a.count == p.extents.size()) return out + " in row-major order";
    std::string through;
    for (size_t d = a.first; d < a.first + a.count; ++d)
        through += (through.empty() ? "" : " and ") + names[d].several;
    return fmt::format("{} ({} counted through)", out, through);
}

std::string axis_words(const PatternAxis& a, const Pattern& p, const std::vector<AxisName>& names) {
    if (a.diagonal > 0)
        return diagonal_words(
            a.set, a.diagonal, (p.extents[a.first] - 1) / a.diagonal, names[a.first], names[a.first + 1]
        );
    return a.count > 1 ? joined_words(a, p, names) : words(a.set, names[a.first]);
}

// "columns 512 and up in every row", innermost first.
std::string product_words(const Pattern& p, const std::vector<AxisName>& names) {
    std::string out;
    for (size_t k = p.axes.size(); k-- > 0;) {
        if (!is_all(p.axes[k].set)) out += (out.empty() ? "" : " in ") + axis_words(p.axes[k], p, names);
    }
    if (out.empty()) return "every element";
    const PatternAxis& inner = p.axes.back();
    const bool columns_only =
        inner.count == 1 && inner.first + 1 == p.extents.size() && p.axes.size() > 1 && !is_all(inner.set);
    const PatternAxis* rows = columns_only ? &p.axes[p.axes.size() - 2] : nullptr;
    if (rows != nullptr && rows->count == 1 && is_all(rows->set)) {
        bool rest = true;
        for (size_t k = 0; k + 1 < p.axes.size(); ++k) rest = rest && is_all(p.axes[k].set);
        if (rest) out += " in every " + names[rows->first].one;
    }
    return out;
}

std::string described_words(const Pattern& p, const std::vector<AxisName>& names) {
    const std::string out = product_words(p, names);
    return p.inverted ? "everything but " + out : out;
}

std::string element_text(const Pattern& p, int64_t element) {
    std::vector<int64_t> at(p.shape.size());
    for (size_t d = p.shape.size(); d-- > 0;) at[d] = element % p.shape[d], element /= p.shape[d];
    return fmt::format("[{}]", fmt::join(at, ", "));
}

}  // namespace

std::vector<AxisName> default_names(size_t rank) {
    std::vector<AxisName> out;
    for (size_t d = 0; d < rank; ++d) {
        if (rank == 1)
            out.push_back({"element", "elements"});
        else if (d + 1 == rank)
            out.push_back({"column", "columns"});
        else if (d + 2 == rank)
            out.push_back({"row", "rows"});
        else
            out.push_back({fmt::format("axis-{} index", d), fmt::format("axis-{} indices", d)});
    }
    return out;
}

std::string words(const Pattern& p, const std::vector<AxisName>& all_names) {
    std::vector<AxisName> names;  // of the axes that have more than one place
    for (const size_t d : p.named)
        names.push_back(d < all_names.size() ? all_names[d] : AxisName{"element", "elements"});
    switch (p.fit) {
        case Fit::none: return "no element";
        case Fit::exact: return described_words(p, names);
        case Fit::among:
            return fmt::format(
                "among {} ({} of these {} elements)", described_words(p, names), p.marked, p.described
            );
        case Fit::about:
            return fmt::format(
                "about {} ({} of these {} elements, and {} elsewhere)",
                described_words(p, names),
                p.both,
                p.described,
                p.marked - p.both
            );
        case Fit::scattered: break;
    }
    const int64_t all = elements(p.shape);
    if (2 * p.marked > all) return fmt::format("all but {} scattered elements", all - p.marked);
    return fmt::format(
        "{} of {} elements, scattered; the first is {}", p.marked, all, element_text(p, p.first)
    );
}

}  // namespace wl::analysis
