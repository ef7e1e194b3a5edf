// wrong_index, wrong_leading_dimension: a product that takes other elements of an operand than it should,
// whichever they are: the kernel is asked with coordinates for inputs.
#include "instrumentation/diagnosis/prove/prover.h"
#include "instrumentation/diagnosis/rules/operand_map.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/rules/written_rows.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

struct Explained {
    ProductFit fit;  // `got` with the elements that were really taken
    bool left = false;
    Matrix<Taken> map;
    int64_t wrong = 0;                 // elements of the operand
    int first_row = 0, first_col = 0;  // of the first of them, in the part
    std::optional<Positions> positions;
    std::optional<ProductFit> elsewhere;  // the same elements taken, on inputs of another seed

    const ProductOperand& operand() const { return left ? fit.left : fit.right; }
};

// The operand as it is really taken: its part, filled with what stands in each place.
ProductOperand taken_operand(const manifest::Problem& p, const ProductOperand& o, const Matrix<Taken>& map) {
    const Tensor& t = p.args[static_cast<size_t>(o.argument)].data;
    const int64_t rows = t.shape[t.shape.size() - 2], cols = t.shape.back();
    ProductOperand out = o;
    for (size_t i = 0; i < map.data.size(); ++i) {
        const Taken& from = map.data[i];
        out.stored.data[i] = from.row < 0 ? 0 : at(t, (o.matrix * rows + from.row) * cols + from.col);
    }
    return out;
}

// The operand as it should be, of a problem with other inputs.
ProductOperand refilled(const manifest::Problem& p, const ProductOperand& o) {
    auto same = make_matrix<Taken>(o.stored.rows, o.stored.cols);
    const Tensor& t = p.args[static_cast<size_t>(o.argument)].data;
    for (int r = 0; r < same.rows; ++r) {
        for (int c = 0; c < same.cols; ++c) {
            const bool inside = o.row + r < t.shape[t.shape.size() - 2] && o.col + c < t.shape.back();
            if (inside) same(r, c) = {o.row + r, o.col + c};
        }
    }
    return taken_operand(p, o, same);
}

// What was learnt from the inputs at hand must hold on others.
std::optional<ProductFit> test_elsewhere(const Symptoms& s, const Explained& e) {
    const manifest::Problem& other = inputs_of(s.prover, 1).problem;
    const std::vector<double> got = bad_tile_with(s, [&](emulator::GlobalMemory& memory) {
        for (emulator::Allocation& a : memory.allocations) {
            for (const manifest::BoundArgument& arg : other.args) {
                if (arg.array && !arg.output && arg.name == a.name)
                    std::copy(arg.data.bytes.begin(), arg.data.bytes.end(), a.bytes.begin());
            }
        }
    });
    ProductFit fit = e.fit;
    fit.left = refilled(other, fit.left), fit.right = refilled(other, fit.right);
    const ProductOperand taken = taken_operand(other, e.operand(), e.map);
    if (!fits_elsewhere(s, got, e.left ? taken : fit.left, e.left ? fit.right : taken, fit))
        return std::nullopt;
    return fit;
}

std::optional<Explained> explain(const Symptoms& s) {
    const std::optional<ProductFit> product = reference_product(s);
    if (!product) return std::nullopt;
    for (const bool left : {false, true}) {
        Explained e;
        e.fit = *product, e.left = left;
        const std::optional<Matrix<Taken>> map = map_operand(s, *product, left);
        if (!map) continue;
        e.map = *map;
        const ProductOperand& o = e.operand();
        for (int r = e.map.rows; r-- > 0;) {
            for (int c = e.map.cols; c-- > 0;) {
                if (e.map(r, c) == Taken{o.row + r, o.col + c}) continue;
                // The first that is another element; a zero only where there is nothing else.
                const bool tells =
                    e.map(r, c).row >= 0 || e.wrong == 0 || e.map(e.first_row, e.first_col).row < 0;
                if (tells) e.first_row = r, e.first_col = c;
                ++e.wrong;
            }
        }
        if (e.wrong == 0) continue;
        const ProductOperand taken = taken_operand(s.experiment.problem, o, e.map);
        if (!fits_product(s, left ? taken : product->left, left ? product->right : taken, e.fit)) continue;
        e.positions = fit_positions(e.map);
        e.elsewhere = test_elsewhere(s, e);
        return e;
    }
    return std::nullopt;
}

// Rows are taken from further apart, or less far, than they lie, all of them or those of each fragment, and
// nothing else is wrong.
bool only_rows_differ(const Positions& p) {
    const bool blocks = p.row_block == kFragment * p.pitch || p.row_block == kFragment * p.in_row;
    return p.in_row != p.pitch && blocks && p.in_col == 1 && p.col_block == kFragment;
}

// The one line of the recorded block that wrote rows so far apart; line 0: none, or several.
capture::Where writer_of(const Symptoms& s, const Explained& e) {
    capture::Where out;
    const Tensor& array = s.experiment.problem.args[static_cast<size_t>(e.operand().argument)].data;
    const uint64_t pitch = static_cast<uint64_t>(e.positions->pitch) * size_of(array.dtype);
    for (const WrittenRows& w : written_rows(s)) {
        if (w.pitch != pitch) continue;
        const capture::Where writer = where_of(s, w.site);
        if (out.line != 0 && out.line != writer.line) return {};
        out = writer;
    }
    return out;
}

std::string element_text(const std::string& name, const Taken& t) {
    return t.row < 0 ? "a zero that is no element of " + name : fmt::format("{}[{},{}]", name, t.row, t.col);
}

// The formula of the places, and what it would have to be, factor by factor.
std::string positions_text(const std::string& name, const Positions& p) {
    struct Step {
        const char* what;
        int64_t is, should;
    };
    std::string wrong;
    for (const Step& step : {
             Step{"from row to row",                          p.in_row,    p.pitch            },
             {"from column to column",                    p.in_col,    1                  },
             {"from one block of 16 rows to the next",    p.row_block, kFragment * p.pitch},
             {"from one block of 16 columns to the next", p.col_block, kFragment          }
    }) {
        if (step.is == step.should) continue;
        wrong += fmt::format(
            "{}{} elements {} where {} would be right",
            wrong.empty() ? "" : ", ",
            step.is,
            step.what,
            step.should
        );
    }
    return fmt::format(
        "All these places follow one formula: in memory the rows of {} lie {} elements apart, but the "
        "addresses go on by {}. ",
        name,
        p.pitch,
        wrong.empty() ? "the right steps from a wrong start" : wrong
    );
}

// Where the elements at the corners of the first fragments come from, as far as that is elsewhere.
std::string map_text(const Explained& e) {
    const ProductOperand& o = e.operand();
    // The addresses show it: rows lie further apart than they are long.
    const bool padded = e.positions && e.positions->pitch > e.map.cols;
    std::string out;
    for (const auto& [r, c] : {
             std::pair{0,             0            },
             {0,             1            },
             {1,             0            },
             {kFragment - 1, kFragment - 1},
             {kFragment,     0            },
             {0,             kFragment    }
    }) {
        if (r >= e.map.rows || c >= e.map.cols || e.map(r, c) == Taken{o.row + r, o.col + c}) continue;
        out += fmt::format(
            "{}{} comes from {}",
            out.empty() ? "" : ", ",
            element_text(o.name, {o.row + r, o.col + c}),
            e.map(r, c).row < 0 && padded ? "padding" : element_text(o.name, e.map(r, c))
        );
    }
    return out.empty() ? "" : out + ". ";
}

std::string fit_text(const Explained& e) {
    std::string out = fmt::format(
        "{} of the elements of {} that were really taken equals all {} elements within {} where rounding "
        "allows {}, and {} as it should be differs by {}",
        e.fit.expected,
        e.operand().name,
        e.fit.elements,
        number(e.fit.residual),
        number(e.fit.tolerance),
        e.fit.expected,
        number(e.fit.difference)
    );
    if (!e.elsewhere) return out + "; with another seed the same elements do not fit";
    return out +
        fmt::format(
               "; with another seed the same elements equal all {} within {}, and it differs by {}",
               e.elsewhere->elements,
               number(e.elsewhere->residual),
               number(e.elsewhere->difference)
        );
}

capture::Finding describe(const Symptoms& s, const Explained& e) {
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const capture::Probe& probe = s.capture.probes[static_cast<size_t>(tile.probe)];
    const ProductOperand& o = e.operand();
    const std::string should = element_text(o.name, {o.row + e.first_row, o.col + e.first_col}),
                      is = element_text(o.name, e.map(e.first_row, e.first_col));
    capture::Finding f;
    const bool rows = e.positions && only_rows_differ(*e.positions);
    f.rule = rows ? "wrong_leading_dimension" : "wrong_index";
    f.evidence_kind = capture::EvidenceKind::response;
    f.where = where_of_load(s, e.left, probe);
    f.where.tile = probe.name, f.where.block = tile.block, f.where.iteration = tile.iteration;
    f.where.element[0] = tile.first_bad_row, f.where.element[1] = tile.first_bad_col;
    if (rows) f.other = writer_of(s, e);
    f.title = rows ? fmt::format(
                         "{} written with leading dimension {}, read with {}",
                         o.name,
                         e.positions->pitch,
                         e.positions->in_row
                     )
                   : fmt::format(
                         "{} use other elements of {} than they should: {} of {} are taken from wrong places",
                         probe.name,
                         o.name,
                         e.wrong,
                         e.map.data.size()
                     );
    f.explanation = fmt::format(
        "Run on inputs that are coordinates, the first wrong tile ({}, iteration {}) shows which element of "
        "{} stands where: {} loads {} where {} belongs; {}{}With the elements that it takes, {} gives every "
        "element of the tile within {}. Mend {} of the load.",
        probe.name,
        tile.iteration,
        o.name,
        f.where.line > 0 ? quoted(s.capture, f.where) : "the kernel",
        is,
        should,
        map_text(e),
        e.positions ? positions_text(o.name, *e.positions) : "",
        e.fit.expected,
        number(e.fit.residual),
        e.positions && e.positions->in_row != e.positions->pitch ? "the leading dimension" : "the index"
    );
    f.proof = fit_text(e);
    f.evidence = {
        {"wrong_elements",            static_cast<double>(e.wrong)          },
        {"elements_of_operand",       static_cast<double>(e.map.data.size())},
        {"residual",                  e.fit.residual                        },
        {"difference_from_reference", e.fit.difference                      }
    };
    if (e.positions) {
        f.evidence.emplace_back("rows_apart", static_cast<double>(e.positions->pitch));
        f.evidence.emplace_back("row_step", static_cast<double>(e.positions->in_row));
    }
    return f;
}

}  // namespace

Ruled index_rule(const Symptoms& s) {
    const std::optional<Explained> e = explain(s);
    if (!e) return {};
    return {{describe(s, *e)}, true, e->elsewhere.has_value()};
}

}  // namespace wl::diagnosis
