// transposed_operand, permuted_operand, wrong_operand: a tile that is a product as it should be, but of
// another operand, or of one taken another way round.
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/definitions.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/product_fit.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/search/search.h"
#include "instrumentation/ptx/edit/edit.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using ptx::Op;

struct Proof {
    std::string text;
    bool proven = false;
    capture::Where where;  // of the change; line 0: the inputs were changed, not the program
    capture::Ran ran;
};

// The load of a fragment taken the other way round.
std::optional<Proof> by_layout(const Symptoms& s, bool left) {
    for (const ptx::Places& line : fragment_loads(s, left)) {
        ptx::Module edited = s.experiment.module;
        if (!ptx::toggle_layout(edited, line)) continue;
        const Verdict v = prove(s, {.program = std::move(edited)});
        if (!v.mends) continue;
        const ptx::Instruction& load = instruction_at(s, line.front());
        const std::string change = load.op == Op::ldmatrix
            ? fmt::format("with .trans {} the ldmatrix", load.modifiers.trans ? "taken from" : "given to")
            : fmt::format(
                  "with {0}_major for {1}_major",
                  load.modifiers.layout_a == "row" ? "col" : "row",
                  load.modifiers.layout_a
              );
        const capture::Where where = where_of(s, line.front());
        return Proof{fmt::format("{} at {}, {}", change, place(where), v.text), v.proven, where, v.ran};
    }
    return std::nullopt;
}

// Every part of the array that a tile needs, rearranged in place; what is left over at the end stays.
void rearrange(
    std::vector<std::byte>& bytes, const Tensor& array, const Matrix<double>& part, const Rearrangement& how
) {
    const size_t size = size_of(array.dtype);
    const int64_t cols = array.shape.back(), rows = elements(array.shape) / cols;
    const std::vector<std::byte> before = bytes;
    for (int64_t row = 0; row + part.rows <= rows; row += part.rows) {
        for (int64_t col = 0; col + part.cols <= cols; col += part.cols) {
            for (int r = 0; r < part.rows; ++r) {
                for (int c = 0; c < part.cols; ++c) {
                    const auto [from_row, from_col] = how.source(r, c);
                    const int64_t to = (row + r) * cols + col + c,
                                  from = (row + from_row) * cols + col + from_col;
                    std::memcpy(
                        bytes.data() + static_cast<size_t>(to) * size,
                        before.data() + static_cast<size_t>(from) * size,
                        size
                    );
                }
            }
        }
    }
}

// The inverse: the operand laid out beforehand so that the wrong way to take it is the right one.
std::optional<Proof> by_inverse(const Symptoms& s, const ProductFit& fit) {
    const ProductOperand& o = fit.left_differs ? fit.left : fit.right;
    if (o.argument < 0) return std::nullopt;
    const Tensor& array = s.experiment.problem.args[static_cast<size_t>(o.argument)].data;
    const Verdict v = prove(s, {.rearrange = [&](execution::GlobalMemory& memory) {
                                for (execution::Allocation& a : memory.allocations) {
                                    if (a.name == o.name) rearrange(a.bytes, array, o.stored, *fit.changed);
                                }
                            }});
    if (!v.mends) return std::nullopt;
    return Proof{
        fmt::format(
            "with each {} x {} part of {} {} in memory before the launch, {}",
            o.stored.rows,
            o.stored.cols,
            o.name,
            fit.changed->plain ? "transposed" : "rearranged the same way",
            v.text
        ),
        v.proven,
        {},
        v.ran};
}

capture::Finding describe(const Symptoms& s, const ProductFit& fit) {
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const capture::Probe& probe = s.capture.probes[static_cast<size_t>(tile.probe)];
    const std::string& name = (fit.left_differs ? fit.left : fit.right).name;
    capture::Finding f;
    f.evidence_kind = capture::EvidenceKind::fit;
    f.rule = !fit.changed ? "wrong_operand" : fit.changed->plain ? "transposed_operand" : "permuted_operand";
    f.where = where_of_load(s, fit.left_differs, probe);
    f.where.tile = probe.name, f.where.block = tile.block, f.where.iteration = tile.iteration;
    f.where.element[0] = tile.first_bad_row, f.where.element[1] = tile.first_bad_col;
    f.title = fmt::format("{} are {} instead of {}", probe.name, fit.got, fit.expected);
    const std::string factor = fit.factor == 1 ? "" : "(" + factor_text(s, fit.factor) + ") x ";
    f.explanation = fmt::format(
        "The first wrong tile is {}, iteration {}, block {}: all its {} elements equal {}{} within {}, and "
        "differ from {} by up to {}.",
        probe.name,
        tile.iteration,
        tile.block == capture::kWholeLaunch ? "(all)" : block_text(s.capture, tile.block),
        fit.elements,
        factor,
        fit.got,
        number(fit.residual),
        fit.expected,
        number(fit.difference)
    );
    f.explanation += fit.changed
        ? fmt::format(
              " {} takes {} the wrong way round: exchange the two indices of its address and, of a fragment, "
              "row_major for col_major (of ldmatrix, .trans), so that the product gets {}.",
              quoted(s.capture, f.where),
              name,
              name + ((fit.left_differs ? fit.left : fit.right).transposed ? "^T" : "")
          )
        : fmt::format(" {} takes {} where {} belongs.", quoted(s.capture, f.where), fit.used, name);
    f.evidence = {
        {"residual",                  fit.residual                     },
        {"tolerance",                 fit.tolerance                    },
        {"difference_from_reference", fit.difference                   },
        {"factor",                    fit.factor                       },
        {"elements",                  static_cast<double>(fit.elements)}
    };
    f.proof = fmt::format(
        "{} fits all {} elements within {} where rounding allows {}; {} misses by {}",
        fit.got,
        fit.elements,
        number(fit.residual),
        number(fit.tolerance),
        fit.expected,
        number(fit.difference)
    );
    return f;
}

// A fragment's layout is part of its type: the line to change is that of its declaration.
void place_layout(const Symptoms& s, capture::Finding& f) {
    if (s.experiment.options.search_seconds <= 0) return;
    const auto mended = mended_in_source(s, "row_major", "col_major");
    if (!mended || mended->where.line == f.where.line) return;
    f.explanation += fmt::format(
        " What it is loaded as is declared at {}: `{}` should be `{}` there.",
        quoted(s.capture, mended->where),
        mended->was,
        mended->now
    );
    f.other = f.where;
    f.where.file = mended->where.file, f.where.line = mended->where.line;
}

}  // namespace

Ruled operand_rule(const Symptoms& s) {
    const std::optional<ProductFit> fit = fit_product(s);
    if (!fit) return {};
    capture::Finding f = describe(s, *fit);
    std::optional<Proof> proof;
    bool in_type = false;
    if (fit->changed) {
        proof = by_layout(s, fit->left_differs);
        in_type = proof.has_value();
        if (!proof) proof = by_inverse(s, *fit);
    }
    if (proof) {
        if (proof->where.line > 0) f.where.file = proof->where.file, f.where.line = proof->where.line;
        f.proof = proof->text + "; " + f.proof;
        capture::add_ran(proof->ran, f);
        if (proof->proven) f.evidence_kind = capture::EvidenceKind::proven;
        if (in_type && proof->proven) place_layout(s, f);
    }
    return {{f}, true, is_proven(f)};
}

}  // namespace wl::diagnosis
