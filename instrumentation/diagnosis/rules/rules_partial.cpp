// partial_reduction: a product that sums only a part of its terms, because a loop ends a turn too early.
#include "instrumentation/analysis/bounds.h"
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/definitions.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/product_fit.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/ptx/edit/edit.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace wl::diagnosis {

namespace {

using ptx::Compare;

// What was got is the reference's product with the first or the last terms left out.
struct Partial {
    ProductFit product;
    int terms = 0, missing = 0;
    bool at_end = true;  // the last ones are missing
    double residual = 0, tolerance = 0, difference = 0;
    int64_t elements = 0;
};

double element(const ProductOperand& o, int row, int col) {
    return o.transposed ? o.stored(col, row) : o.stored(row, col);
}

int terms_of(const ProductOperand& left) { return left.transposed ? left.stored.rows : left.stored.cols; }

double operand_roundoff(const Symptoms& s, const ProductOperand& o) {
    if (o.argument < 0) return 0;
    return unit_roundoff(s.experiment.problem.args[static_cast<size_t>(o.argument)].data.dtype);
}

struct Sums {
    Matrix<double> value, absolute;
};

void add_term(Sums& sums, const ProductFit& p, int k) {
    for (int r = 0; r < sums.value.rows; ++r) {
        const double left = p.factor * element(p.left, r, k);
        for (int c = 0; c < sums.value.cols; ++c) {
            const double term = left * element(p.right, k, c);
            sums.value(r, c) += term, sums.absolute(r, c) += std::fabs(term);
        }
    }
}

// Is what was got these sums, but for rounding, and not the reference?
bool fits(const Symptoms& s, const Sums& sums, double relative, Partial& out) {
    const analysis::TileData& tile = s.bad_tile;
    out.residual = out.tolerance = out.difference = 0, out.elements = 0;
    for (size_t i = 0; i < tile.got.data.size(); ++i) {
        const double r = tile.reference.data[i], got = tile.got.data[i], sum = sums.value.data[i];
        if (std::isnan(r)) continue;
        const double tolerance =
            relative * sums.absolute.data[i] + analysis::store_bound(tile.dtype, std::fabs(sum));
        if (!(std::fabs(got - sum) <= tolerance)) return false;
        out.residual = std::max(out.residual, std::fabs(got - sum));
        out.tolerance = std::max(out.tolerance, tolerance);
        out.difference = std::max(out.difference, std::fabs(got - r));
        ++out.elements;
    }
    return out.elements > 0 && out.difference > 8 * out.tolerance;
}

std::optional<Partial> fit_partial(const Symptoms& s) {
    std::optional<ProductFit> product = reference_product(s);
    if (!product) return std::nullopt;
    Partial out;
    out.terms = terms_of(product->left);
    const double relative = (out.terms + 4) * analysis::kU32 +
        2 * std::max(operand_roundoff(s, product->left), operand_roundoff(s, product->right));
    for (const bool at_end : {true, false}) {
        Sums sums{
            make_matrix<double>(s.bad_tile.rows, s.bad_tile.cols),
            make_matrix<double>(s.bad_tile.rows, s.bad_tile.cols)};
        for (int n = 1; n < out.terms; ++n) {
            add_term(sums, *product, at_end ? n - 1 : out.terms - n);
            if (!fits(s, sums, relative, out)) continue;
            out.product = std::move(*product), out.missing = out.terms - n, out.at_end = at_end;
            return out;
        }
    }
    return std::nullopt;
}

// ---- the loop that ends too early

// A comparison that decides whether a loop goes on, and what would let it go on once more.
struct LongerLoop {
    ptx::Place at;
    ptx::Module program;
    std::string change;  // "with <= in place of < at gemm.cu:41"
};

struct Exchange {
    Compare from, to;
    const char* text;
};
constexpr Exchange kExchanges[] = {
    {Compare::lt, Compare::le, "<= in place of <"},
    {Compare::gt, Compare::ge, ">= in place of >"},
    {Compare::lo, Compare::ls, "<= in place of <"},
    {Compare::hi, Compare::hs, ">= in place of >"},
};

// By how much the register goes on each turn: an addition of a constant to itself; 0: there is none.
int64_t step_of(const ptx::Function& f, const Definitions& defs, const ptx::Operand& counter) {
    if (counter.kind != ptx::Operand::Kind::reg) return 0;
    for (const uint32_t at : defs[static_cast<size_t>(counter.index)]) {
        const ptx::Instruction& i = f.code[at];
        const bool itself = i.op == ptx::Op::add && i.operands[1].kind == ptx::Operand::Kind::reg &&
            i.operands[1].index == counter.index;
        if (itself && i.operands[2].kind == ptx::Operand::Kind::immediate)
            return static_cast<int64_t>(i.operands[2].bits);
    }
    return 0;
}

std::optional<LongerLoop> once_more(const Symptoms& s, const ptx::Place& at, const Definitions& defs) {
    const ptx::Instruction& setp = instruction_at(s, at);
    LongerLoop out{at, s.experiment.module, {}};
    const std::string where = place(where_of(s, at));
    for (const Exchange& e : kExchanges) {
        if (setp.modifiers.compare != e.from || !ptx::set_comparison(out.program, {at}, e.to)) continue;
        out.change = fmt::format("with {} at {}", e.text, where);
        return out;
    }
    const int64_t step = step_of(s.experiment.module.functions[at.function], defs, setp.operands[1]);
    if (setp.modifiers.compare != Compare::ne || step == 0 ||
        setp.operands[2].kind != ptx::Operand::Kind::immediate)
        return std::nullopt;
    const auto bound = static_cast<int64_t>(setp.operands[2].bits) + step;
    if (!ptx::set_constant(out.program, {at}, 2, static_cast<uint64_t>(bound))) return std::nullopt;
    out.change = fmt::format("with the bound {} at {}", bound, where);
    return out;
}

// Comparisons of branches backwards, the outermost loops of a function last.
std::vector<ptx::Place> loop_comparisons(const Symptoms& s, size_t function, const Definitions& defs) {
    const ptx::Function& f = s.experiment.module.functions[function];
    std::vector<ptx::Place> out;
    for (uint32_t i = 0; i < f.code.size(); ++i) {
        const ptx::Instruction& branch = f.code[i];
        const bool back = branch.op == ptx::Op::bra && branch.guard.reg >= 0 &&
            branch.operands.front().index <= static_cast<int32_t>(i);
        if (!back || defs[static_cast<size_t>(branch.guard.reg)].size() != 1) continue;
        const uint32_t at = defs[static_cast<size_t>(branch.guard.reg)].front();
        if (f.code[at].op == ptx::Op::setp) out.push_back({function, at});
    }
    return out;
}

struct Mended {
    LongerLoop loop;
    Verdict verdict;
};

std::optional<Mended> search(const Symptoms& s) {
    for (const size_t function : s.functions) {
        const Definitions defs = definitions(s.experiment.module.functions[function]);
        for (const ptx::Place& at : loop_comparisons(s, function, defs)) {
            std::optional<LongerLoop> loop = once_more(s, at, defs);
            if (!loop) continue;
            Verdict verdict = prove(s, {.program = loop->program});
            if (verdict.mends) return Mended{std::move(*loop), std::move(verdict)};
        }
    }
    return std::nullopt;
}

// ---- words

std::string fit_text(const Partial& p) {
    return fmt::format(
        "{} without the {} {} of its {} terms fits all {} elements within {} where rounding allows {}; the "
        "whole "
        "misses by {}",
        p.product.expected,
        p.at_end ? "last" : "first",
        p.missing,
        p.terms,
        p.elements,
        number(p.residual),
        number(p.tolerance),
        number(p.difference)
    );
}

capture::Finding describe(const Symptoms& s, const Partial& p, const std::optional<Mended>& mended) {
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const capture::Probe& probe = s.capture.probes[static_cast<size_t>(tile.probe)];
    const char* which = p.at_end ? "last" : "first";
    capture::Finding f;
    f.rule = "partial_reduction", f.evidence_kind = capture::EvidenceKind::fit;
    f.where = mended ? where_of(s, mended->loop.at) : where_of_probe(s, probe);
    f.where.tile = probe.name, f.where.block = tile.block, f.where.iteration = tile.iteration;
    f.where.element[0] = tile.first_bad_row, f.where.element[1] = tile.first_bad_col;
    f.title = fmt::format(
        "{} leaves out the {} {} of the {} terms of {}",
        probe.name,
        which,
        p.missing,
        p.terms,
        p.product.expected
    );
    f.explanation = fmt::format(
        "Every element of {} is the sum of {} of the {} terms of {}: the {} {} are missing. ",
        probe.name,
        p.terms - p.missing,
        p.terms,
        p.product.expected,
        which,
        p.missing
    );
    f.explanation += mended
        ? fmt::format(
              "The loop at {} ends a turn too early: let it go over all terms.", quoted(s.capture, f.where)
          )
        : "Look at where the loop over them begins and ends; no single comparison of a loop mends it.";
    f.proof = fit_text(p);
    if (mended) f.proof = fmt::format("{}, {}; {}", mended->loop.change, mended->verdict.text, f.proof);
    if (mended && mended->verdict.proven) f.evidence_kind = capture::EvidenceKind::proven;
    f.evidence = {
        {"terms",                     static_cast<double>(p.terms)  },
        {"missing",                   static_cast<double>(p.missing)},
        {"residual",                  p.residual                    },
        {"tolerance",                 p.tolerance                   },
        {"difference_from_reference", p.difference                  }
    };
    if (mended) capture::add_ran(mended->verdict.ran, f);
    return f;
}

}  // namespace

Ruled partial_rule(const Symptoms& s) {
    const std::optional<Partial> partial = fit_partial(s);
    if (!partial) return {};
    const std::optional<Mended> mended = partial->at_end ? search(s) : std::nullopt;
    const capture::Finding f = describe(s, *partial, mended);
    return {{f}, true, is_proven(f)};
}

}  // namespace wl::diagnosis
