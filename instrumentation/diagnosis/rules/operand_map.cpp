// Coordinate inputs, and the formula behind the places that they show.
#include "instrumentation/diagnosis/rules/operand_map.h"

#include "instrumentation/diagnosis/launch.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace wl::diagnosis {

namespace {

constexpr int64_t kMostRuns = 64;     // of one block
constexpr int64_t kMostPadding = 64;  // elements between rows
constexpr double kWhole = 0.05;       // a code is a whole number; rounding stays far below this

struct Array {
    const Tensor& tensor;
    int64_t rows = 0, cols = 0;  // of its last two dimensions

    int64_t size() const { return rows * cols; }
};

Array array_of_operand(const Symptoms& s, const ProductOperand& o) {
    const Tensor& t = s.experiment.problem.args[static_cast<size_t>(o.argument)].data;
    return {t, t.shape[t.shape.size() - 2], t.shape.back()};
}

using Fill = std::function<double(int64_t element)>;  // linear, of the whole array

void fill(emulator::GlobalMemory& memory, const std::string& name, const Tensor& t, const Fill& value) {
    for (emulator::Allocation& a : memory.allocations) {
        if (a.name != name) continue;
        const size_t size = size_of(t.dtype);
        for (int64_t i = 0; i < elements(t.shape); ++i)
            from_double(t.dtype, value(i), a.bytes.data() + static_cast<size_t>(i) * size);
    }
}

// The product seen from the operand that is mapped: `outer` runs along the tile's rows or columns, `inner`
// along the sum.
struct View {
    const Symptoms& s;
    const ProductOperand &mapped, &other;
    bool left = false;
    double factor = 1;

    int inner() const { return mapped_by_row() ? mapped.stored.cols : mapped.stored.rows; }
    int outer() const { return mapped_by_row() ? mapped.stored.rows : mapped.stored.cols; }
    int other_outer() const { return other_by_row() ? other.stored.rows : other.stored.cols; }
    bool mapped_by_row() const { return left != mapped.transposed; }
    bool other_by_row() const { return left == other.transposed; }
};

// One code for each element of the mapped operand, 1 to base: what each stands for after all shifts, by
// (outer, inner); 0: a zero. Empty: no code came out.
Matrix<int64_t> read_codes(const View& v, const Fill& code, int64_t base) {
    const Array mapped = array_of_operand(v.s, v.mapped), other = array_of_operand(v.s, v.other);
    auto out = make_matrix<int64_t>(v.outer(), v.inner(), -1);
    for (int shift = 0; shift < v.inner(); shift += v.other_outer()) {
        const Fill one_hot = [&](int64_t element) {
            const int64_t row = element % other.size() / other.cols - v.other.row,
                          col = element % other.cols - v.other.col;
            if (row < 0 || row >= v.other.stored.rows || col < 0 || col >= v.other.stored.cols) return 0.0;
            const int64_t o = v.other_by_row() ? row : col, i = v.other_by_row() ? col : row;
            return i == (o + shift) % v.inner() ? 1.0 : 0.0;
        };
        const std::vector<double> tile = bad_tile_with(v.s, [&](emulator::GlobalMemory& memory) {
            fill(memory, v.mapped.name, mapped.tensor, code);
            fill(memory, v.other.name, other.tensor, one_hot);
        });
        if (tile.empty()) return {};
        for (int o = 0; o < v.other_outer(); ++o) {
            for (int m = 0; m < v.outer(); ++m) {
                const auto at = static_cast<size_t>(v.left ? m * v.other_outer() + o : o * v.outer() + m);
                const double read = tile[at] / v.factor, whole = std::round(read);
                if (!(std::fabs(read - whole) < kWhole) || whole < 0 || whole > static_cast<double>(base))
                    return {};
                out(m, (o + shift) % v.inner()) = static_cast<int64_t>(whole);
            }
        }
    }
    return out;
}

// A number below `limit` for each element, in as many digits as one code can say. Adds the digits up in `to`.
bool read_number(const View& v, const Fill& number, int64_t limit, int64_t base, Matrix<int64_t>& to) {
    to = make_matrix<int64_t>(v.outer(), v.inner());
    for (int64_t place = 1; place < limit; place *= base) {
        const Fill digit = [&](int64_t e) {
            return 1 + static_cast<double>(static_cast<int64_t>(number(e)) / place % base);
        };
        const Matrix<int64_t> codes = read_codes(v, digit, base);
        if (codes.data.empty()) return false;
        for (size_t i = 0; i < to.data.size(); ++i)
            to.data[i] = codes.data[i] <= 0 || to.data[i] < 0 ? -1 : to.data[i] + (codes.data[i] - 1) * place;
    }
    return true;
}

// Spread over all elements, so that a sum of two, or an element of another matrix, shows.
int64_t mixed(int64_t element, int64_t base) {
    return static_cast<int64_t>((static_cast<uint64_t>(element) * 0x9E3779B97F4A7C15U) >> 33) % base;
}

}  // namespace

std::vector<double> bad_tile_with(
    const Symptoms& s, const std::function<void(emulator::GlobalMemory&)>& change
) {
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const capture::Probe& probe = s.capture.probes[static_cast<size_t>(tile.probe)];
    const bool whole = tile.block == capture::kWholeLaunch;
    const emulator::Program& program = unedited_program(s.prover);
    Prepared prepared = inputs_of(s.prover, 0).prepared;
    change(prepared.memory);
    emulator::RunOptions run;
    if (!whole) run.blocks = {s.block};
    run.budget = s.budget, run.threads = whole ? s.experiment.options.threads : 1, run.marks = !whole;
    run.checks = {.races = false, .uninitialised = false, .uniform = false};
    std::vector<std::byte> bytes;
    run.on_tile = [&](emulator::TileSnapshot&& taken) {
        const std::string& name = emulator::marks(program)[static_cast<size_t>(taken.mark)].name;
        if (name == probe.name && taken.iteration == tile.iteration && taken.warp == tile.warp)
            bytes = std::move(taken.values);
    };
    emulator::run(program, prepared.launch, prepared.memory, run);
    if (whole) bytes = array_of(prepared.memory, probe.name);
    const size_t size = size_of(probe.dtype);
    std::vector<double> out;
    if (bytes.size() != static_cast<size_t>(tile.rows) * static_cast<size_t>(tile.cols) * size) return out;
    for (size_t i = 0; i < bytes.size(); i += size) out.push_back(to_double(probe.dtype, bytes.data() + i));
    return out;
}

std::optional<Matrix<Taken>> map_operand(const Symptoms& s, const ProductFit& product, bool left) {
    const View v{
        s, left ? product.left : product.right, left ? product.right : product.left, left, product.factor};
    if (v.mapped.argument < 0 || v.other.argument < 0 || v.mapped.argument == v.other.argument) return {};
    const Array array = array_of_operand(s, v.mapped);
    // Whole numbers up to 1 / u are exact in the array's format.
    const auto base = static_cast<int64_t>(std::min(1024.0, 0.5 / unit_roundoff(array.tensor.dtype)));
    const int64_t shifts = (v.inner() + v.other_outer() - 1) / v.other_outer();
    if (base < 2 || shifts * 4 > kMostRuns) return {};
    Matrix<int64_t> rows, cols;
    const Fill row = [&](int64_t e) {
        const int64_t at = e % array.size() / array.cols;
        return static_cast<double>(at);
    };
    const Fill col = [&](int64_t e) { return static_cast<double>(e % array.cols); };
    if (!read_number(v, row, array.rows, base, rows) || !read_number(v, col, array.cols, base, cols))
        return {};
    const Matrix<int64_t> check = read_codes(
        v, [&](int64_t e) { return 1 + static_cast<double>(mixed(e, base)); }, base
    );
    if (check.data.empty()) return {};
    auto out = make_matrix<Taken>(v.mapped.stored.rows, v.mapped.stored.cols);
    for (int o = 0; o < v.outer(); ++o) {
        for (int i = 0; i < v.inner(); ++i) {
            const Taken taken{rows(o, i), cols(o, i)};
            const int64_t element = v.mapped.matrix * array.size() + taken.row * array.cols + taken.col;
            const int64_t expected = taken.row < 0 ? 0 : 1 + mixed(element, base);
            if ((taken.row < 0) != (taken.col < 0) || check(o, i) != expected) return {};
            (v.mapped_by_row() ? out(o, i) : out(i, o)) = taken;
        }
    }
    return out;
}

namespace {

// In a tile that holds the columns from `first` on, rows `pitch` apart.
struct Layout {
    int64_t pitch = 0, first = 0, width = 0;
    int64_t position(const Taken& t) const { return t.row * pitch + t.col - first; }
};

// How far apart in memory two neighbours `by` rows or columns away are; 0: there is no such pair.
int64_t step(const Matrix<Taken>& map, const Layout& layout, int rows, int cols) {
    for (int r = 0; r + rows < map.rows; ++r) {
        for (int c = 0; c + cols < map.cols; ++c) {
            const Taken &a = map(r, c), &b = map(r + rows, c + cols);
            const bool same_block = (rows >= kFragment || r / kFragment == (r + rows) / kFragment) &&
                (cols >= kFragment || c / kFragment == (c + cols) / kFragment);
            if (a.row >= 0 && b.row >= 0 && same_block) return layout.position(b) - layout.position(a);
        }
    }
    return 0;
}

// Every element where the formula says, and every zero where rows have their padding.
bool follows(const Matrix<Taken>& map, const Layout& layout, const Positions& p) {
    const auto offset = [&](int r, int c) {
        return p.in_row * (r % kFragment) + p.row_block * (r / kFragment) + p.in_col * (c % kFragment) +
            p.col_block * (c / kFragment);
    };
    std::optional<int64_t> start;
    for (int pass = 0; pass < 2; ++pass) {
        for (int r = 0; r < map.rows; ++r) {
            for (int c = 0; c < map.cols; ++c) {
                const Taken& t = map(r, c);
                if (pass == 0 && t.row >= 0) {
                    if (!start) start = layout.position(t) - offset(r, c);
                    if (layout.position(t) != *start + offset(r, c)) return false;
                }
                if (pass == 1 && t.row < 0 && start) {
                    const int64_t at = *start + offset(r, c);
                    if (at >= 0 && at % p.pitch < layout.width) return false;
                }
            }
        }
    }
    return start.has_value();
}

}  // namespace

std::optional<Positions> fit_positions(const Matrix<Taken>& map) {
    int64_t first = INT64_MAX, last = -1;
    for (const Taken& t : map.data) {
        if (t.row >= 0) first = std::min(first, t.col), last = std::max(last, t.col);
    }
    if (last < 0) return std::nullopt;
    const int64_t width = last - first + 1;
    for (int64_t pitch = width; pitch <= width + kMostPadding; ++pitch) {
        const Layout layout{pitch, first, width};
        const Positions p{
            pitch,
            step(map, layout, 1, 0),
            step(map, layout, kFragment, 0),
            step(map, layout, 0, 1),
            step(map, layout, 0, kFragment)};
        if (follows(map, layout, p)) return p;
    }
    return std::nullopt;
}

}  // namespace wl::diagnosis
