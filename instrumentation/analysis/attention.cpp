// The FP64 attention reference seen by tensor name and window.
#include "instrumentation/analysis/attention_stripe.h"
#include "instrumentation/analysis/bounds.h"
#include "instrumentation/analysis/reference.h"
#include "instrumentation/base/os/stop.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace wl::analysis {

ReferenceTile blank_tile(const Window& w) {
    return {
        make_matrix<double>(w.rows, w.cols, std::numeric_limits<double>::quiet_NaN()),
        make_matrix<float>(w.rows, w.cols),
        make_matrix<uint8_t>(w.rows, w.cols),
        false,
        {}};
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Which tensor a name means, and how its coordinates read.
enum class Name : uint8_t { scores, masked, p, m, l, alpha, o_accum, o };
struct Entry {
    const char* name;
    Name id;
    bool stepped, by_key,
        by_dim;  // leading iteration dimension; last dimension: keys, head dimension, or none (the query row)
};
constexpr std::array<Entry, 8> kEntries{
    {
     {"scores", Name::scores, false, true, false},
     {"masked", Name::masked, false, true, false},
     {"P", Name::p, false, true, false},
     {"m", Name::m, true, false, false},
     {"l", Name::l, true, false, false},
     {"alpha", Name::alpha, true, false, false},
     {"O_accum", Name::o_accum, true, false, true},
     {"O", Name::o, false, false, true},
     }
};

// Part of a row of a stripe.
struct Place {
    int64_t i = 0, first = 0, n = 0;  // row, first key or element of the head dimension, how many
    int64_t step = 0;                 // KV iteration, of what has one
};

void set(ReferenceTile& out, size_t at, double value, double bound) {
    out.value.data[at] = value, out.bound.data[at] = static_cast<float>(bound), out.compared.data[at] = 1;
}

void copy_row(const double* values, const float* bounds, int64_t n, ReferenceTile& out, size_t at) {
    std::copy_n(values, n, out.value.data.data() + at);
    std::copy_n(bounds, n, out.bound.data.data() + at);
    std::fill_n(out.compared.data.data() + at, n, uint8_t{1});
}

void copy_keys(
    const AttentionState& s,
    const AttentionStripe& t,
    Name name,
    const Place& p,
    ReferenceTile& out,
    size_t at
) {
    const auto from = static_cast<size_t>(p.i * s.problem.sequence + p.first);
    if (name == Name::p) return copy_row(t.p.data() + from, t.p_bound.data() + from, p.n, out, at);
    copy_row(t.scores.data() + from, t.scores_bound.data() + from, p.n, out, at);
    if (name != Name::masked) return;
    for (int64_t k = 0; k < p.n; ++k) {
        const int64_t key = p.first + k;
        if (!is_masked(s.problem, t.first_row + p.i, key)) continue;
        const double m = t.m[static_cast<size_t>((key / s.problem.kv_tile) * t.rows + p.i)];
        set(out, at + static_cast<size_t>(k), -kInfinity, kVanishes - (m == -kInfinity ? 0 : m));
    }
}

void copy_step(
    const AttentionState& s,
    const AttentionStripe& t,
    Name name,
    const Place& p,
    ReferenceTile& out,
    size_t at
) {
    const auto row = static_cast<size_t>(p.step * t.rows + p.i);
    switch (name) {
        case Name::m: return set(out, at, t.m[row], t.m[row] == -kInfinity ? kVanishes : t.m_bound[row]);
        case Name::l: return set(out, at, t.l[row], t.l_bound[row]);
        case Name::alpha: return set(out, at, t.alpha[row], t.alpha_bound[row]);
        default: break;
    }
    const size_t from = row * static_cast<size_t>(s.problem.head_dim) + static_cast<size_t>(p.first);
    copy_row(t.o_accum.data() + from, t.o_accum_bound.data() + from, p.n, out, at);
}

ReferenceTile input_tile(const Tensor& t, const Window& w) {
    ReferenceTile out = blank_tile(w);
    const int64_t outer = w.at[0] * t.shape[1] + w.at[1];
    for (int r = 0; r < w.rows; ++r) {
        check_stop();
        for (int c = 0; c < w.cols; ++c) {
            const int64_t row = w.at[2] + r, col = w.at[3] + c;
            if (row < 0 || row >= t.shape[2] || col < 0 || col >= t.shape[3]) continue;
            out.value(r, c) = at(t, (outer * t.shape[2] + row) * t.shape[3] + col);
            out.compared(r, c) = 1;
        }
    }
    return out;
}

ReferenceTile output_tile(AttentionState& s, const Window& w) {
    const AttentionProblem& p = s.problem;
    ReferenceTile out = blank_tile(w);
    out.probable = make_matrix<float>(w.rows, w.cols);
    if (w.at[0] < 0 || w.at[0] >= p.batch || w.at[1] < 0 || w.at[1] >= p.heads) return out;
    const int64_t col0 = w.at[3];
    for (int r = 0; r < w.rows; ++r) {
        check_stop();
        const int64_t row = w.at[2] + r;
        if (row < 0 || row >= p.sequence) continue;
        const int64_t first = row / kStripe * kStripe;
        const std::shared_ptr<const AttentionOutput> o = output_stripe(s, w.at[0] * p.heads + w.at[1], first);
        for (int64_t c = std::max<int64_t>(0, -col0); c < std::min<int64_t>(w.cols, p.head_dim - col0); ++c) {
            const auto from = static_cast<size_t>((row - first) * p.head_dim + col0 + c);
            const size_t to = out.value.index(r, static_cast<int>(c));
            out.value.data[to] = o->o[from], out.bound.data[to] = o->bound[from], out.compared.data[to] = 1;
            out.probable.data[to] = o->probable[from];
        }
    }
    return out;
}

ReferenceTile computed_tile(AttentionState& s, const Entry& e, const Window& w) {
    const AttentionProblem& p = s.problem;
    ReferenceTile out = blank_tile(w);
    size_t c = 0;
    const int64_t step = e.stepped ? w.at[c++] : 0;
    const int64_t batch = w.at[c], head = w.at[c + 1], row0 = w.at[c + 2],
                  col0 = e.by_key || e.by_dim ? w.at[c + 3] : 0;
    const int64_t last = e.by_key ? p.sequence : e.by_dim ? p.head_dim : 1;
    const bool across = !e.by_key && !e.by_dim &&
        w.rows == 1;  // a 1 x cols vector of a per-row tensor runs along the query rows
    if (batch < 0 || batch >= p.batch || head < 0 || head >= p.heads || step < 0 || step >= s.steps)
        return out;
    const int64_t rows = across ? w.cols : w.rows, cols = across ? 1 : w.cols;
    std::shared_ptr<const AttentionStripe> t;
    for (int64_t r = 0; r < rows; ++r) {
        check_stop();
        const int64_t row = row0 + r;
        if (row < 0 || row >= p.sequence) continue;
        const int64_t bh = batch * p.heads + head;
        if (!t || row < t->first_row || row >= t->first_row + t->rows)
            t = stripe(s, bh, row / kStripe * kStripe);
        const int64_t first = std::max<int64_t>(0, -col0), end = std::min(cols, last - col0);
        if (first >= end) continue;
        const size_t at =
            across ? static_cast<size_t>(r) : out.value.index(static_cast<int>(r), static_cast<int>(first));
        const Place from{row - t->first_row, col0 + first, end - first, step};
        if (e.by_key)
            copy_keys(s, *t, e.id, from, out, at);
        else
            copy_step(s, *t, e.id, from, out, at);
    }
    return out;
}

ReferenceTile tile(AttentionState& s, const Window& w) {
    const auto refuse = [&](std::string why) {
        ReferenceTile out = blank_tile(w);
        out.problem = std::move(why);
        return out;
    };
    for (const Tensor* t : {&s.problem.q, &s.problem.k, &s.problem.v}) {
        if (t->name != w.tensor) continue;
        if (w.at.size() != 4)
            return refuse(
                "the reference tensor " + w.tensor + " has 4 dimensions (B, H, S, D), `at` gives " +
                std::to_string(w.at.size())
            );
        return input_tile(*t, w);
    }
    for (const Entry& e : kEntries) {
        if (w.tensor != e.name) continue;
        const size_t dims = 3U + (e.stepped ? 1U : 0U) + (e.by_key || e.by_dim ? 1U : 0U);
        if (w.at.size() != dims)
            return refuse(
                "the reference tensor " + w.tensor + " has " + std::to_string(dims) +
                " dimensions, `at` gives " + std::to_string(w.at.size())
            );
        return e.id == Name::o ? output_tile(s, w) : computed_tile(s, e, w);
    }
    return refuse(
        "no tensor named '" + w.tensor +
        "' in the builtin attention reference; there are Q K V scores masked P m l alpha O_accum O"
    );
}

}  // namespace

Reference attention_reference(AttentionProblem problem) {
    assert(problem.sequence > 0 && problem.head_dim > 0 && problem.kv_tile > 0);
    if (problem.scale == 0) problem.scale = 1 / std::sqrt(static_cast<double>(problem.head_dim));
    auto s = std::make_shared<AttentionState>();
    s->steps = (problem.sequence + problem.kv_tile - 1) / problem.kv_tile;
    s->outputs.resize(
        static_cast<size_t>(problem.batch * problem.heads * ((problem.sequence + kStripe - 1) / kStripe))
    );
    const auto heads = static_cast<size_t>(problem.batch * problem.heads);
    s->inputs.widened = std::vector<std::once_flag>(heads);
    for (auto* each : {&s->inputs.q, &s->inputs.k_transposed, &s->inputs.v}) each->resize(heads);
    for (auto* each : {&s->inputs.k_absolute, &s->inputs.v_absolute}) each->resize(heads);
    s->problem = std::move(problem);
    const AttentionProblem& p = s->problem;
    Reference out;
    out.origin = "builtin attention, FP64";
    for (const Tensor* t : {&p.q, &p.k, &p.v}) out.tensors.push_back({t->name, t->shape});
    for (const Entry& e : kEntries) {
        std::vector<int64_t> shape{p.batch, p.heads, p.sequence};
        if (e.stepped) shape.insert(shape.begin(), s->steps);
        if (e.by_key) shape.push_back(p.sequence);
        if (e.by_dim) shape.push_back(p.head_dim);
        out.tensors.push_back({e.name, std::move(shape)});
    }
    out.tile = [s](const Window& w) { return tile(*s, w); };
    return out;
}

}  // namespace wl::analysis
