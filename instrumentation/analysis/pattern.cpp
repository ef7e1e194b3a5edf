// Trying products of axes, of axes counted through, of distances from the diagonal; exact ones first.
#include "instrumentation/analysis/pattern.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>

namespace wl::analysis {

namespace {

using Axes = std::vector<PatternAxis>;  // their sets still to be found

constexpr double kJoined = 1.5;     // axes counted through as one are harder to read
constexpr double kDiagonal = 1.25;  // so are distances from a diagonal
constexpr double kOutside = 0.75;   // and what lies outside a product
constexpr double kMostNumbers = 7;  // of an exact description
constexpr double kMostOfAxis =
    3;  // numbers for one axis: an exact description is then taken, whatever else there is
constexpr double kAmong = 0.75;             // a description that holds others too: once,
constexpr double kForeign = 4;              // and for each share of them
constexpr double kAbout = 1;                // one that leaves some out
constexpr double kDense = 0.5;              // share of a surrounding description that must be marked
constexpr double kMostOfAll = 0.8;          // a surrounding description as large as this says nothing
constexpr double kMost = 0.9;               // of the marked and of the described: about
constexpr int64_t kMostSearched = 1 << 22;  // elements; of more, fewer ways to look are tried
constexpr int64_t kSquares[] = {8, 16, 32, 64, 128};

int64_t product(const std::vector<int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// Where an element lies along an axis of the description.
struct Coordinate {
    int64_t stride = 1, extent = 1;  // of the axes counted through
    int64_t rows = 0, cols = 0;      // of a diagonal
    int64_t square = 0;
    int64_t operator()(int64_t element) const {
        const int64_t index = element / stride % extent;
        if (square == 0) return index;
        return index % cols / square - index / cols / square + (rows - 1) / square;
    }
    int64_t size() const { return square == 0 ? extent : (rows - 1) / square + (cols - 1) / square + 1; }
};

Coordinate coordinate_of(const std::vector<int64_t>& shape, const PatternAxis& axis) {
    Coordinate out;
    for (size_t d = axis.first; d < shape.size(); ++d)
        (d < axis.first + axis.count ? out.extent : out.stride) *= shape[d];
    out.square = axis.diagonal;
    if (axis.diagonal > 0) out.rows = shape[axis.first], out.cols = shape[axis.first + 1];
    return out;
}

std::vector<Coordinate> coordinates_of(const std::vector<int64_t>& shape, const Axes& axes) {
    std::vector<Coordinate> out;
    for (const PatternAxis& a : axes) out.push_back(coordinate_of(shape, a));
    return out;
}

// Ways to look at the shape: each axis for itself, neighbours counted through, the last two by their
// diagonal.
std::vector<Axes> groupings(const std::vector<int64_t>& shape) {
    const size_t rank = shape.size();
    std::vector<Axes> out;
    const bool large = product(shape) > kMostSearched;
    const uint32_t ways = rank <= 5 ? 1U << (rank - 1) : 1;
    for (uint32_t joined = 0; joined < ways; ++joined) {  // bit d: axis d + 1 goes with axis d
        if (large && joined != 0 && joined + 1 != ways) continue;
        Axes axes;
        for (size_t d = 0; d < rank; ++d) {
            if (d > 0 && (joined >> (d - 1) & 1U) != 0)
                ++axes.back().count;
            else
                axes.push_back({d, 1, 0, {}});
        }
        out.push_back(std::move(axes));
    }
    if (rank < 2 || large) return out;
    const int64_t side = std::min(shape[rank - 2], shape[rank - 1]);
    std::vector<int64_t> squares = {1};
    std::copy_if(std::begin(kSquares), std::end(kSquares), std::back_inserter(squares), [&](int64_t s) {
        return s < side;
    });
    if (side < 2) return out;
    for (const int64_t square : squares) {
        Axes axes;
        for (size_t d = 0; d + 2 < rank; ++d) axes.push_back({d, 1, 0, {}});
        axes.push_back({rank - 2, 2, square, {}});
        out.push_back(std::move(axes));
    }
    return out;
}

// Which places of each axis the elements take.
std::vector<std::vector<uint8_t>> projections(
    const std::vector<Coordinate>& at, const std::vector<int64_t>& elements
) {
    std::vector<std::vector<uint8_t>> out;
    for (const Coordinate& c : at) {
        std::vector<uint8_t> members(static_cast<size_t>(c.size()));
        for (const int64_t e : elements) members[static_cast<size_t>(c(e))] = 1;
        out.push_back(std::move(members));
    }
    return out;
}

// How many elements each place of a diagonal has; of other axes one.
int64_t elements_at(const Coordinate& c, const std::vector<uint8_t>& members) {
    if (c.square == 0) return std::count(members.begin(), members.end(), 1);
    const auto sides = [&](int64_t extent, int64_t from) { return std::min(c.square, extent - from); };
    int64_t out = 0;
    for (int64_t row = 0; row < c.rows; row += c.square)
        for (int64_t col = 0; col < c.cols; col += c.square)
            if (members[static_cast<size_t>(c(row * c.cols + col))] != 0)
                out += sides(c.rows, row) * sides(c.cols, col);
    return out;
}

double cost_of(const Axes& axes) {
    double out = 0;
    for (const PatternAxis& a : axes) {
        const bool all = is_all(a.set);
        out += cost(a.set) +
            (all                  ? 0
                 : a.diagonal > 0 ? kDiagonal
                                  : kJoined * static_cast<double>(a.count - 1));
        // Along a diagonal remainders say nothing.
        if (a.diagonal > 0 && a.set.period != 1) out += kMostNumbers;
    }
    return out;
}

struct Found {
    Axes axes;
    Fit fit = Fit::exact;
    bool inverted = false;
    double cost = 0;
};

// The elements as a product over this way of looking at them; none: they are no product, or not shortly told.
std::optional<Found> exact_product(
    const std::vector<int64_t>& shape, Axes axes, const std::vector<int64_t>& elements
) {
    const std::vector<Coordinate> at = coordinates_of(shape, axes);
    const auto members = projections(at, elements);
    int64_t all = 1;
    for (size_t k = 0; k < axes.size(); ++k) all *= elements_at(at[k], members[k]);
    if (all != static_cast<int64_t>(elements.size())) return std::nullopt;
    for (size_t k = 0; k < axes.size(); ++k) {
        const std::optional<AxisPattern> set = describe_axis(members[k]);
        if (!set) return std::nullopt;
        axes[k].set = *set;
    }
    const double numbers = cost_of(axes);
    if (numbers > kMostNumbers) return std::nullopt;
    return Found{std::move(axes), Fit::exact, false, numbers};
}

std::optional<Found> exact(
    const std::vector<int64_t>& shape, const std::vector<int64_t>& marked, const std::vector<int64_t>& others
) {
    std::optional<Found> best;
    for (const Axes& axes : groupings(shape)) {
        std::optional<Found> made = exact_product(shape, axes, marked);
        if (made && (!best || made->cost < best->cost)) best = std::move(made);
    }
    for (const Axes& axes : groupings(shape)) {
        std::optional<Found> made = exact_product(shape, axes, others);
        if (!made) continue;
        made->inverted = true, made->cost += kOutside;
        if (!best || made->cost < best->cost) best = std::move(made);
    }
    return best;
}

int64_t described_by(const std::vector<int64_t>& shape, const Axes& axes) {
    const std::vector<Coordinate> at = coordinates_of(shape, axes);
    int64_t out = 1;
    for (size_t k = 0; k < axes.size(); ++k) {
        std::vector<uint8_t> members(static_cast<size_t>(at[k].size()));
        for (size_t i = 0; i < members.size(); ++i)
            members[i] = contains(axes[k].set, static_cast<int64_t>(i)) ? 1 : 0;
        out *= elements_at(at[k], members);
    }
    return out;
}

bool in_product(const std::vector<Coordinate>& at, const Axes& axes, int64_t element) {
    for (size_t k = 0; k < axes.size(); ++k)
        if (!contains(axes[k].set, at[k](element))) return false;
    return true;
}

// The tightest of the descriptions that hold all marked elements.
std::optional<Found> surrounding(const std::vector<int64_t>& shape, const std::vector<int64_t>& marked) {
    std::optional<Found> best;
    const auto all = static_cast<double>(product(shape)), count = static_cast<double>(marked.size());
    for (Axes axes : groupings(shape)) {
        const auto members = projections(coordinates_of(shape, axes), marked);
        for (size_t k = 0; k < axes.size(); ++k) axes[k].set = enclose_axis(members[k]);
        const auto described = static_cast<double>(described_by(shape, axes));
        if (described * kDense > count || described > kMostOfAll * all) continue;
        const double numbers = cost_of(axes) + kAmong + kForeign * (described / count - 1);
        if (numbers > kMostNumbers || (best && numbers >= best->cost)) continue;
        best = Found{std::move(axes), Fit::among, false, numbers};
    }
    return best;
}

// What most of the marked elements have in common: along each axis the places where there are at least half
// as many as anywhere.
std::optional<Found> core(const std::vector<int64_t>& shape, const std::vector<int64_t>& marked) {
    Axes axes = groupings(shape).front();
    const std::vector<Coordinate> at = coordinates_of(shape, axes);
    for (size_t k = 0; k < axes.size(); ++k) {
        std::vector<int64_t> counts(static_cast<size_t>(at[k].size()));
        for (const int64_t e : marked) ++counts[static_cast<size_t>(at[k](e))];
        const int64_t most = *std::max_element(counts.begin(), counts.end());
        std::vector<uint8_t> members(counts.size());
        std::transform(counts.begin(), counts.end(), members.begin(), [&](int64_t c) {
            return 2 * c >= most ? 1 : 0;
        });
        const std::optional<AxisPattern> set = describe_axis(members);
        if (!set) return std::nullopt;
        axes[k].set = *set;
    }
    const auto described = static_cast<double>(described_by(shape, axes));
    const auto both = static_cast<double>(std::count_if(marked.begin(), marked.end(), [&](int64_t e) {
        return in_product(at, axes, e);
    }));
    const auto count = static_cast<double>(marked.size());
    const double numbers = cost_of(axes) + kAbout;
    if (numbers > kMostNumbers || both < kMost * count || both < kMost * described) return std::nullopt;
    if (described >= static_cast<double>(product(shape)) || both == count) return std::nullopt;
    return Found{std::move(axes), Fit::about, false, numbers};
}

void count_both(Pattern& p, const std::vector<int64_t>& marked) {
    const std::vector<Coordinate> at = coordinates_of(p.extents, p.axes);
    p.described = described_by(p.extents, p.axes);
    p.both =
        std::count_if(marked.begin(), marked.end(), [&](int64_t e) { return in_product(at, p.axes, e); });
    if (p.inverted) p.described = product(p.extents) - p.described, p.both = p.marked - p.both;
}

// Axes of one place are left out while a description is looked for.
void leave_out_single_places(Pattern& p) {
    for (size_t d = 0; d < p.shape.size(); ++d)
        if (p.shape[d] != 1) p.extents.push_back(p.shape[d]), p.named.push_back(d);
    if (p.extents.empty()) p.extents = {1}, p.named = {0};
}

// Is each axis for itself, and shortly told?
bool is_plain(const Found& found) {
    return std::all_of(found.axes.begin(), found.axes.end(), [](const PatternAxis& a) {
        return a.count == 1 && cost(a.set) <= kMostOfAxis;
    });
}

void find(Pattern& p, const std::vector<int64_t>& marked, const std::vector<int64_t>& others) {
    std::optional<Found> best = exact(p.extents, marked, others);
    if (!best || !is_plain(*best))
        for (auto& other : {surrounding(p.extents, marked), core(p.extents, marked)})
            if (other && (!best || other->cost < best->cost)) best = other;
    p.fit = Fit::scattered;
    if (!best) return;
    p.fit = best->fit, p.axes = std::move(best->axes), p.inverted = best->inverted;
    count_both(p, marked);
}

}  // namespace

Pattern describe(const std::vector<int64_t>& shape, const std::vector<uint8_t>& flags) {
    Pattern p;
    p.shape = shape;
    std::vector<int64_t> marked, others;
    for (size_t i = 0; i < flags.size(); ++i)
        (flags[i] != 0 ? marked : others).push_back(static_cast<int64_t>(i));
    p.marked = static_cast<int64_t>(marked.size());
    leave_out_single_places(p);
    if (marked.empty()) return p;
    p.first = marked.front();
    if (!others.empty()) {
        find(p, marked, others);
        return p;
    }
    p.fit = Fit::exact, p.axes = groupings(p.extents).front();
    for (PatternAxis& a : p.axes) a.set = all_of(p.extents[a.first]);
    count_both(p, marked);
    return p;
}

bool contains(const Pattern& p, int64_t element) {
    if (p.axes.empty()) return false;
    return in_product(coordinates_of(p.extents, p.axes), p.axes, element) != p.inverted;
}

}  // namespace wl::analysis
