// Finding the product that a reference tile is, and the one that was computed instead.
#include "instrumentation/diagnosis/rules/product_fit.h"

#include "instrumentation/analysis/bounds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

constexpr int64_t kMaxTerms = int64_t{1} << 25;  // multiplications of one product
constexpr double kSame = 1e-5;  // of the sum of absolute terms: two references computed in FP64, or a float32
                                // one of the user
constexpr int kBlocks[] = {16, 8};  // sides of the blocks that wmma and ldmatrix load

// A product where it was compared: its values, the sums of absolute terms, and what was got there.
struct Product {
    Matrix<double> value, absolute;
};

double element(const ProductOperand& o, const Rearrangement* how, int row, int col) {
    if (o.transposed) std::swap(row, col);
    if (how != nullptr) std::tie(row, col) = how->source(row, col);
    return o.stored(row, col);
}

int rows_of(const ProductOperand& o) { return o.transposed ? o.stored.cols : o.stored.rows; }
int cols_of(const ProductOperand& o) { return o.transposed ? o.stored.rows : o.stored.cols; }

struct Changes {
    const Rearrangement *left = nullptr, *right = nullptr;
};

// The first `rows` rows of the product.
Product multiply(const ProductOperand& a, const ProductOperand& b, Changes changes, int rows) {
    const int terms = cols_of(a), cols = cols_of(b);
    Product out{make_matrix<double>(rows, cols), make_matrix<double>(rows, cols)};
    for (int k = 0; k < terms; ++k) {
        for (int c = 0; c < cols; ++c) {
            const double right = element(b, changes.right, k, c);
            if (right == 0) continue;
            for (int r = 0; r < rows; ++r) {
                const double term = element(a, changes.left, r, k) * right;
                out.value(r, c) += term;
                out.absolute(r, c) += std::fabs(term);
            }
        }
    }
    return out;
}

// factor x product = the reference in its first rows; 0: it is not.
double factor_of(const analysis::TileData& tile, const Product& p) {
    double both = 0, own = 0;
    for (size_t i = 0; i < p.value.data.size(); ++i) {
        const double r = tile.reference.data[i];
        if (!std::isfinite(r)) continue;
        both += r * p.value.data[i], own += p.value.data[i] * p.value.data[i];
    }
    if (own == 0) return 0;
    const double factor = both / own;
    for (size_t i = 0; i < p.value.data.size(); ++i) {
        const double r = tile.reference.data[i];
        if (!std::isnan(r) &&
            !(std::fabs(r - factor * p.value.data[i]) <= kSame * std::fabs(factor) * p.absolute.data[i]))
            return 0;
    }
    return factor;
}

// ---- matrices at hand

// Where the tile lies in its reference tensor: coordinates before the last two, and of element (0, 0).
struct Place {
    std::vector<int64_t> outer;
    int64_t row = 0, col = 0;
};

std::optional<Place> place_of(const Symptoms& s, const capture::Tile& tile, const capture::Probe& probe) {
    const manifest::Problem& problem = s.experiment.problem;
    std::vector<int64_t> at;
    if (tile.block == capture::kWholeLaunch) {
        const auto output =
            std::find_if(s.capture.outputs.begin(), s.capture.outputs.end(), [&](const capture::Output& o) {
                return o.name == probe.name;
            });
        if (output == s.capture.outputs.end() || output->shape.size() != 2) return std::nullopt;
        at = {0, 0};
    } else {
        const auto rule = problem.kernel.tiles.find(probe.name);
        if (rule == problem.kernel.tiles.end() || rule->second.row_axis || rule->second.col_axis)
            return std::nullopt;
        const Dim3 block = from_linear(static_cast<uint64_t>(tile.block), manifest::launch_of(problem).grid);
        at = manifest::window_origin(problem, rule->second, block, tile.warp, tile.iteration);
    }
    if (at.size() < 2 || tile.rows < 2 || tile.cols < 2) return std::nullopt;
    return Place{
        {at.begin(), at.end() - 2},
        at[at.size() - 2], at.back()
    };
}

// Rows and columns of an array's last two dimensions; a negative extent: all.
struct Part {
    int64_t row = 0, rows = -1, col = 0, cols = -1;
};

// Which of the array's matrices lies at the tile's outer coordinates; -1: it has none there.
int64_t matrix_of(const Tensor& t, const std::vector<int64_t>& outer) {
    const size_t lead = t.shape.size() - 2;
    if (lead > outer.size()) return -1;
    int64_t matrix = 0;
    for (size_t d = 0; d < lead; ++d) {
        const int64_t at = outer[outer.size() - lead + d];
        if (at < 0 || at >= t.shape[d]) return -1;
        matrix = matrix * t.shape[d] + at;
    }
    return matrix;
}

// The array's part at the tile's outer coordinates, 0 where it leaves the array; rows 0: it has no such part.
Matrix<double> part_of(const Tensor& t, const std::vector<int64_t>& outer, Part part) {
    const size_t lead = t.shape.size() - 2;
    const int64_t matrix = matrix_of(t, outer);
    if (matrix < 0) return {};
    const int64_t rows = t.shape[lead], cols = t.shape[lead + 1];
    if (part.rows < 0) part.rows = rows;
    if (part.cols < 0) part.cols = cols;
    if (part.rows * part.cols > kMaxTerms) return {};
    auto out = make_matrix<double>(static_cast<int>(part.rows), static_cast<int>(part.cols));
    for (int r = 0; r < out.rows; ++r) {
        for (int c = 0; c < out.cols; ++c) {
            const int64_t row = part.row + r, col = part.col + c;
            if (row >= 0 && row < rows && col >= 0 && col < cols)
                out(r, c) = at(t, (matrix * rows + row) * cols + col);
        }
    }
    return out;
}

bool is_matrix_input(const manifest::BoundArgument& a) {
    return a.array && !a.output && a.data.shape.size() >= 2 && is_float(a.data.dtype);
}

std::vector<ProductOperand> input_operands(const Symptoms& s, const Place& at, Part rows, Part cols) {
    std::vector<ProductOperand> out;
    const std::vector<manifest::BoundArgument>& args = s.experiment.problem.args;
    for (size_t i = 0; i < args.size(); ++i) {
        if (!is_matrix_input(args[i])) continue;
        for (const bool by_column : {false, true}) {
            const Part part = by_column ? cols : rows;
            Matrix<double> stored = part_of(args[i].data, at.outer, part);
            if (stored.rows == 0) continue;
            const int64_t matrix = matrix_of(args[i].data, at.outer);
            out.push_back(
                {args[i].name, std::move(stored), by_column, static_cast<int>(i), matrix, part.row, part.col}
            );
        }
    }
    return out;
}

// Left operands have the tile's rows: rows or columns of an input, or an earlier tile of this iteration.
std::vector<ProductOperand> left_operands(const Symptoms& s, const capture::Tile& tile, const Place& at) {
    std::vector<ProductOperand> out =
        input_operands(s, at, {.row = at.row, .rows = tile.rows}, {.col = at.row, .cols = tile.rows});
    for (const capture::Tile& t : s.capture.tiles) {
        if (t.block != tile.block || t.iteration != tile.iteration || t.warp != tile.warp ||
            t.rows != tile.rows || t.time >= tile.time || t.reference == capture::kNoBlob)
            continue;
        const std::string& name = s.capture.probes[static_cast<size_t>(t.probe)].name;
        out.push_back({name, analysis::load_tile(s.capture, t).reference, false, -1});
    }
    return out;
}

// Right operands have its columns; where the left one is a tile, also the input's rows of this iteration.
std::vector<ProductOperand> right_operands(
    const Symptoms& s, const capture::Tile& tile, const Place& at, const ProductOperand& left
) {
    const Part columns{.col = at.col, .cols = tile.cols};
    if (left.argument < 0) {
        const int64_t terms = cols_of(left);
        const Part rows{.row = tile.iteration * terms, .rows = terms, .col = at.col, .cols = tile.cols};
        std::vector<ProductOperand> out = input_operands(s, at, rows, columns);
        for (ProductOperand& o : out) o.transposed = false;
        return out;
    }
    std::vector<ProductOperand> out = input_operands(s, at, {.row = at.col, .rows = tile.cols}, columns);
    for (ProductOperand& o : out) o.transposed = !o.transposed;
    return out;
}

// ---- what else could have been computed

std::vector<Rearrangement> rearrangements(const Matrix<double>& stored) {
    std::vector<Rearrangement> out;
    if (stored.rows == stored.cols) out.push_back({"", true, [](int r, int c) { return std::pair{c, r}; }});
    for (const int b : kBlocks) {
        if (stored.rows % b != 0 || stored.cols % b != 0 || (stored.rows == b && stored.cols == b)) continue;
        out.push_back(
            {fmt::format("with each {} x {} block of it transposed", b, b),
             false,
             [b](int r, int c) {
                 return std::pair{r / b * b + c % b, c / b * b + r % b};
             }}
        );
        if (stored.rows != stored.cols) continue;
        out.push_back(
            {fmt::format("with its {} x {} blocks in transposed places", b, b),
             false,
             [b](int r, int c) {
                 return std::pair{c / b * b + r % b, r / b * b + c % b};
             }}
        );
    }
    return out;
}

std::string operand_text(const ProductOperand& o, const Rearrangement* how) {
    const bool transposed = o.transposed != (how != nullptr && how->plain);
    return o.name + (transposed ? "^T" : "");
}

std::string product_text(const ProductOperand& a, const ProductOperand& b, Changes changes) {
    std::string out = operand_text(a, changes.left) + " " + operand_text(b, changes.right);
    for (const auto& [o, how] : {
             std::pair{&a, changes.left },
             {&b, changes.right}
    }) {
        if (how != nullptr && !how->plain) out += fmt::format(", {} taken {}", o->name, how->text);
    }
    return out;
}

double operand_roundoff(const Symptoms& s, const ProductOperand& o) {
    if (o.argument < 0) return 0;
    return unit_roundoff(s.experiment.problem.args[static_cast<size_t>(o.argument)].data.dtype);
}

// Does factor x a x b give what was got, but for rounding: of the sum, of the store, and one more of each
// operand to its own format (a scaled Q, a P narrowed for the tensor cores)?
bool fits(
    const Symptoms& s,
    const analysis::TileData& tile,
    const ProductOperand& a,
    const ProductOperand& b,
    Changes changes,
    ProductFit& fit
) {
    const Product p = multiply(a, b, changes, tile.rows);
    const double relative =
        (cols_of(a) + 4) * analysis::kU32 + 2 * std::max(operand_roundoff(s, a), operand_roundoff(s, b));
    fit.residual = fit.tolerance = fit.difference = 0, fit.elements = 0;
    for (size_t i = 0; i < p.value.data.size(); ++i) {
        const double value = fit.factor * p.value.data[i], got = tile.got.data[i];
        if (std::isnan(tile.reference.data[i])) continue;
        const double tolerance = relative * std::fabs(fit.factor) * p.absolute.data[i] +
            analysis::store_bound(tile.dtype, std::fabs(value));
        if (!(std::fabs(got - value) <= tolerance)) return false;
        fit.residual = std::max(fit.residual, std::fabs(got - value));
        fit.tolerance = std::max(fit.tolerance, tolerance);
        fit.difference = std::max(fit.difference, std::fabs(got - tile.reference.data[i]));
        ++fit.elements;
    }
    // A hypothesis that rounding could confuse with the reference says nothing.
    return fit.elements > 0 && fit.difference > 8 * fit.tolerance;
}

bool find_rearranged(const Symptoms& s, ProductFit& fit) {
    for (const bool left : {false, true}) {
        const ProductOperand& o = left ? fit.left : fit.right;
        for (const Rearrangement& how : rearrangements(o.stored)) {
            const Changes changes{left ? &how : nullptr, left ? nullptr : &how};
            if (!fits(s, s.bad_tile, fit.left, fit.right, changes, fit)) continue;
            fit.left_differs = left, fit.changed = how, fit.used = o.name;
            fit.got = product_text(fit.left, fit.right, changes);
            return true;
        }
    }
    return false;
}

bool find_other_operand(
    const Symptoms& s,
    const std::vector<ProductOperand>& lefts,
    const std::vector<ProductOperand>& rights,
    ProductFit& fit
) {
    for (const bool left : {false, true}) {
        const ProductOperand& right_one = left ? fit.left : fit.right;
        for (const ProductOperand& o : left ? lefts : rights) {
            if (o.name == right_one.name || o.transposed != right_one.transposed ||
                o.stored.rows != right_one.stored.rows || o.stored.cols != right_one.stored.cols)
                continue;
            const ProductOperand &a = left ? o : fit.left, &b = left ? fit.right : o;
            if (!fits(s, s.bad_tile, a, b, {}, fit)) continue;
            fit.left_differs = left, fit.used = o.name, fit.got = product_text(a, b, {});
            return true;
        }
    }
    return false;
}

}  // namespace

namespace {

// The first product that the reference is and that `accepts` takes.
template <class Accepts>
std::optional<ProductFit> find_product(const Symptoms& s, const Accepts& accepts) {
    if (s.first_bad < 0 || s.bad_tile.reference.data.empty()) return std::nullopt;
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const auto at = place_of(s, tile, s.capture.probes[static_cast<size_t>(tile.probe)]);
    if (!at) return std::nullopt;
    const std::vector<ProductOperand> lefts = left_operands(s, tile, *at);
    for (const ProductOperand& left : lefts) {
        const std::vector<ProductOperand> rights = right_operands(s, tile, *at, left);
        for (const ProductOperand& right : rights) {
            if (cols_of(left) != rows_of(right) || rows_of(left) != tile.rows || cols_of(right) != tile.cols)
                continue;
            if (int64_t{tile.rows} * tile.cols * cols_of(left) > kMaxTerms) continue;
            ProductFit fit;
            fit.left = left, fit.right = right;
            fit.factor = factor_of(s.bad_tile, multiply(left, right, {}, 1));
            if (fit.factor == 0 || factor_of(s.bad_tile, multiply(left, right, {}, tile.rows)) == 0) continue;
            fit.expected = product_text(left, right, {});
            if (accepts(lefts, rights, fit)) return fit;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<ProductFit> fit_product(const Symptoms& s) {
    return find_product(s, [&](const auto& lefts, const auto& rights, ProductFit& fit) {
        return find_rearranged(s, fit) || find_other_operand(s, lefts, rights, fit);
    });
}

std::optional<ProductFit> reference_product(const Symptoms& s) {
    return find_product(s, [](const auto&, const auto&, const ProductFit&) { return true; });
}

bool fits_product(const Symptoms& s, const ProductOperand& a, const ProductOperand& b, ProductFit& fit) {
    return fits(s, s.bad_tile, a, b, {}, fit);
}

bool fits_elsewhere(
    const Symptoms& s,
    const std::vector<double>& got,
    const ProductOperand& a,
    const ProductOperand& b,
    ProductFit& fit
) {
    analysis::TileData tile = s.bad_tile;
    const Product right = multiply(fit.left, fit.right, {}, tile.rows);
    if (got.size() != right.value.data.size() || got.size() != tile.reference.data.size()) return false;
    tile.got.data = got;
    for (size_t i = 0; i < got.size(); ++i) {
        if (!std::isnan(tile.reference.data[i])) tile.reference.data[i] = fit.factor * right.value.data[i];
    }
    return fits(s, tile, a, b, {}, fit);
}

}  // namespace wl::diagnosis
