// Of the first bad tile, which may be an output as a whole.
#include "instrumentation/diagnosis/search/fits.h"

#include "instrumentation/diagnosis/rules/wrong_elements.h"
#include "instrumentation/diagnosis/search/solve.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/trial_setup.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cmath>

namespace wl::diagnosis {

namespace {

bool is_compared(const analysis::TileData& t) {
    return !t.reference.data.empty() && t.reference.data.size() == t.got.data.size() &&
        t.bound.data.size() == t.got.data.size();
}

// An argument has this value, or its inverse: who left it out meant that, not a number.
bool is_argument(const Experiment& e, double factor) {
    constexpr double kNear = 1e-5;
    return std::any_of(e.problem.args.begin(), e.problem.args.end(), [&](const manifest::BoundArgument& a) {
        if (a.array || a.data.bytes.empty()) return false;
        const double v = at(a.data, 0), off = kNear * std::fabs(factor);
        return std::fabs(v - factor) <= off || std::fabs(1 / v - factor) <= off;
    });
}

bool lacks_writes(const Symptoms& s) {
    const auto& outputs = s.capture.outputs;
    return std::any_of(outputs.begin(), outputs.end(), [](const auto& o) { return o.of.unwritten > 0; }) ||
        std::any_of(s.incidents.begin(), s.incidents.end(), [](const execution::Incident& i) {
               return i.kind == execution::Incident::Kind::uninitialised_read;
           });
}

}  // namespace

double factor_of(const analysis::TileData& t) {
    constexpr size_t kFewest = 3;  // elements that agree
    if (!is_compared(t)) return 1;
    double together = 0, own = 0;
    size_t count = 0;
    for (size_t k = 0; k < t.got.data.size(); ++k) {
        const double got = t.got.data[k], reference = t.reference.data[k];
        if (std::isnan(reference)) continue;
        if (!std::isfinite(got) || !std::isfinite(reference)) return 1;
        together += got * reference, own += got * got;
        count += got != 0 ? 1 : 0;
    }
    const double factor = together / own;
    if (count < kFewest || !std::isfinite(factor) || factor == 0) return 1;
    for (size_t k = 0; k < t.got.data.size(); ++k) {
        const double reference = t.reference.data[k];
        const double most = double{t.bound.data[k]} * std::max(1.0, std::fabs(factor));
        if (!std::isnan(reference) && std::fabs(factor * t.got.data[k] - reference) > most) return 1;
    }
    return factor;
}

int offset_of(const analysis::TileData& t) {
    constexpr int64_t kFewest = 3;  // elements that agree
    constexpr double kMost = 4;
    if (!is_compared(t)) return 0;
    int64_t count = 0;
    double offset = 0;
    for (size_t k = 0; k < t.got.data.size(); ++k) {
        const double got = t.got.data[k], reference = t.reference.data[k];
        if (std::isnan(reference) || !analysis::is_bad(got, reference, t.bound.data[k])) continue;
        if (++count == 1) offset = reference - got;
        if (reference - got != offset) return 0;
    }
    const bool small = offset == std::trunc(offset) && std::fabs(offset) <= kMost;
    return count >= kFewest && small ? static_cast<int>(offset) : 0;
}

int triangle_of(const analysis::TileData& t, int64_t rows, int64_t cols) {
    constexpr int64_t kFewest = 3;
    if (!is_compared(t) || rows < 2 || cols < 2) return 0;
    int64_t above = 0, below = 0;
    for (size_t k = 0; k < t.got.data.size(); ++k) {
        const double reference = t.reference.data[k];
        if (std::isnan(reference) || !analysis::is_bad(t.got.data[k], reference, t.bound.data[k])) continue;
        const auto element = static_cast<int64_t>(k);
        const int64_t row = element / cols % rows, col = element % cols;
        if (reference != 0 || row == col) return 0;
        ++(col > row ? above : below);
    }
    if (above + below < kFewest || (above > 0 && below > 0)) return 0;
    return above > 0 ? 1 : -1;
}

void add_fits(const Symptoms& s, const compile::Unit& unit, rewrite::SearchContext& context) {
    context.rounding = s.right_in_fp64;
    context.unwritten = lacks_writes(s);
    if (s.first_bad < 0) return;
    int64_t rows = s.bad_tile.rows, cols = s.bad_tile.cols;
    capture::Finding stored;
    for (const capture::Output& o : s.capture.outputs)
        for (const manifest::BoundArgument* a : manifest::arrays(s.experiment.problem)) {
            const std::vector<int64_t>& shape = a->data.shape;
            if (o.tile != s.first_bad || a->data.name != o.name || shape.size() < 2) continue;
            rows = shape[shape.size() - 2], cols = shape.back();
            place_output(s, o, stored);
        }
    if (triangle_of(s.bad_tile, rows, cols) != 0)
        context.triangle = line_in(unit, stored.where.file, stored.where.line).value_or(0);
    context.offset = offset_of(s.bad_tile);
    if (const double factor = factor_of(s.bad_tile); factor != 1 && !is_argument(s.experiment, factor))
        context.factors = plain_numbers(factor, numbers_in_play(s.experiment));
}

}  // namespace wl::diagnosis
