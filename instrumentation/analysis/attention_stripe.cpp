// The arithmetic of the FP64 attention reference, with the bound of every intermediate carried along.
#include "instrumentation/analysis/attention_stripe.h"

#include "instrumentation/analysis/bounds.h"

#include <algorithm>
#include <array>
#include <limits>

namespace wl::analysis {

namespace {

constexpr size_t kCachedStripes = 48;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> widen(const Tensor& t, int64_t offset, int64_t n) {
    std::vector<double> out(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = at(t, offset + i);
    return out;
}

void widen_head(AttentionState& s, int64_t head) {
    const AttentionProblem& p = s.problem;
    AttentionInputs& in = s.inputs;
    const auto h = static_cast<size_t>(head);
    std::call_once(in.widened[h], [&] {
        const int64_t n = p.sequence * p.head_dim;
        in.q[h] = widen(p.q, head * n, n);
        in.v[h] = widen(p.v, head * n, n);
        const std::vector<double> k = widen(p.k, head * n, n);
        in.k_transposed[h].resize(k.size());
        for (int64_t row = 0; row < p.sequence; ++row)
            for (int64_t d = 0; d < p.head_dim; ++d)
                in.k_transposed[h][static_cast<size_t>(d * p.sequence + row)] =
                    k[static_cast<size_t>(row * p.head_dim + d)];
    });
}

// scores (row, :) = scale * q k^T and the sum of absolute terms behind each.
void score_row(const AttentionState& s, int64_t head, int64_t row, double* scores, float* absolute) {
    const int64_t keys = s.problem.sequence, dim = s.problem.head_dim;
    std::fill_n(scores, keys, 0.0);
    std::fill_n(absolute, keys, 0.0F);
    for (int64_t d = 0; d < dim; ++d) {
        const double q =
            s.problem.scale * s.inputs.q[static_cast<size_t>(head)][static_cast<size_t>(row * dim + d)];
        const auto q_abs = static_cast<float>(std::fabs(q));
        const double* k = s.inputs.k_transposed[static_cast<size_t>(head)].data() + d * keys;
        for (int64_t j = 0; j < keys; ++j) {
            scores[j] += q * k[j];
            absolute[j] += q_abs * std::fabs(static_cast<float>(k[j]));
        }
    }
}

}  // namespace

bool is_masked(const AttentionProblem& p, int64_t row, int64_t key) { return p.causal && key > row; }

namespace {

// Running statistics of one query row, advanced one KV tile at a time.
struct Row {
    double m = -kInfinity, m_bound = 0, l = 0, l_bound = 0;
    std::vector<double> o;     // (D)
    std::vector<float> o_abs;  // sum of absolute terms behind o
    std::vector<float> o_bound;
};

// One KV iteration of one query row.
struct Step {
    const AttentionState& state;
    AttentionStripe& stripe;
    int64_t i = 0, step = 0;     // row within the stripe, KV iteration
    int64_t begin = 0, end = 0;  // keys

    int64_t row() const { return stripe.first_row + i; }
    size_t key(int64_t j) const { return static_cast<size_t>(i * state.problem.sequence + j); }
    double terms() const { return static_cast<double>(end - begin); }
};

void advance_maximum(const Step& t, Row& r) {
    for (int64_t j = t.begin; j < t.end; ++j) {
        if (is_masked(t.state.problem, t.row(), j)) continue;
        r.m = std::max(r.m, t.stripe.scores[t.key(j)]);
        r.m_bound = std::max(r.m_bound, double{t.stripe.scores_bound[t.key(j)]});
    }
}

// P of the tile from its scores: exp(s - m_new), each with its bound; then the running sum.
void advance_sum(const Step& t, Row& r, double alpha, double alpha_bound) {
    const AttentionProblem& p = t.state.problem;
    double sum = 0, sum_of_bounds = 0;
    for (int64_t j = t.begin; j < t.end; ++j) {
        double& out = t.stripe.p[t.key(j)];
        float& out_bound = t.stripe.p_bound[t.key(j)];
        out = 0;
        out_bound = 0x1p-126F;  // e^-104, and what flushes to zero
        if (is_masked(p, t.row(), j) || r.m == -kInfinity) continue;
        const double x = t.stripe.scores[t.key(j)] - r.m;
        out = std::exp(x);
        out_bound += static_cast<float>(out * exp_bound(x, t.stripe.scores_bound[t.key(j)] + r.m_bound));
        if (p.p_format != DType::f32) out_bound += static_cast<float>(store_bound(p.p_format, out));
        sum += out;
        sum_of_bounds += out_bound;
    }
    r.l_bound = alpha * r.l_bound + r.l * alpha_bound + sum_of_bounds;
    r.l = alpha * r.l + sum;
    r.l_bound += sum_bound(t.terms(), 2, r.l);
}

void advance_output(const Step& t, Row& r, double alpha, double alpha_bound) {
    const size_t dim = r.o.size();
    for (size_t d = 0; d < dim; ++d) {
        r.o_bound[d] = static_cast<float>(alpha * r.o_bound[d] + std::fabs(r.o[d]) * alpha_bound);
        r.o[d] *= alpha;
        r.o_abs[d] *= static_cast<float>(alpha);
    }
    double* o = r.o.data();
    float* o_abs = r.o_abs.data();
    float* o_bound = r.o_bound.data();
    const double* v = t.state.inputs.v[static_cast<size_t>(t.stripe.head)].data();
    for (int64_t j = t.begin; j < t.end; ++j) {
        const double p = t.stripe.p[t.key(j)];
        const auto p_abs = static_cast<float>(p);
        const float p_bound = t.stripe.p_bound[t.key(j)];
        const double* v_row = v + static_cast<size_t>(j) * dim;
        for (size_t d = 0; d < dim; ++d) {
            const float v_abs = std::fabs(static_cast<float>(v_row[d]));
            o[d] += p * v_row[d];
            o_abs[d] += p_abs * v_abs;
            o_bound[d] += p_bound * v_abs;
        }
    }
    for (size_t d = 0; d < dim; ++d)
        r.o_bound[d] += static_cast<float>(sum_bound(t.terms(), 2, double{o_abs[d]}));
}

void advance_row(const Step& t, Row& r) {
    const double m_old = r.m, m_old_bound = r.m_bound;
    advance_maximum(t, r);
    const double x = m_old - r.m;
    const double alpha = m_old == -kInfinity ? 0 : std::exp(x);
    // Even where the maximum did not move here, two nearly equal scores may let it move by a rounding in the
    // kernel.
    const double alpha_bound = alpha == 0 ? 0x1p-126 : alpha * exp_bound(x, m_old_bound + r.m_bound);
    advance_sum(t, r, alpha, alpha_bound);
    advance_output(t, r, alpha, alpha_bound);
    AttentionStripe& s = t.stripe;
    const auto at = static_cast<size_t>(t.step * s.rows + t.i);
    s.m[at] = r.m, s.m_bound[at] = r.m_bound;
    s.l[at] = r.l, s.l_bound[at] = r.l_bound;
    s.alpha[at] = alpha, s.alpha_bound[at] = alpha_bound;
    std::copy(r.o.begin(), r.o.end(), s.o_accum.begin() + static_cast<std::ptrdiff_t>(at * r.o.size()));
    std::copy(
        r.o_bound.begin(),
        r.o_bound.end(),
        s.o_accum_bound.begin() + static_cast<std::ptrdiff_t>(at * r.o.size())
    );
}

// The sums of absolute terms in `bounds` become the bounds of the scores.
void bound_scores(const AttentionProblem& p, const double* scores, float* bounds) {
    for (int64_t j = 0; j < p.sequence; ++j) {
        double bound = sum_bound(static_cast<double>(p.head_dim), 2, double{bounds[j]});
        if (p.score_format != DType::f32) bound += store_bound(p.score_format, std::fabs(scores[j]));
        bounds[j] = static_cast<float>(bound);
    }
}

std::shared_ptr<const AttentionStripe> compute_stripe(
    const AttentionState& s, int64_t head, int64_t first_row
) {
    const AttentionProblem& p = s.problem;
    auto t = std::make_shared<AttentionStripe>();
    t->head = head, t->first_row = first_row, t->rows = std::min(kStripe, p.sequence - first_row);
    const auto elements = static_cast<size_t>(t->rows * p.sequence),
               stats = static_cast<size_t>(s.steps * t->rows);
    t->scores.resize(elements), t->p.resize(elements), t->scores_bound.resize(elements),
        t->p_bound.resize(elements);
    for (std::vector<double>* v : {&t->m, &t->l, &t->alpha, &t->m_bound, &t->l_bound, &t->alpha_bound})
        v->resize(stats);
    t->o_accum.resize(stats * static_cast<size_t>(p.head_dim)), t->o_accum_bound.resize(t->o_accum.size());
    for (int64_t i = 0; i < t->rows; ++i) {
        score_row(
            s, head, first_row + i, t->scores.data() + i * p.sequence, t->scores_bound.data() + i * p.sequence
        );
        bound_scores(p, t->scores.data() + i * p.sequence, t->scores_bound.data() + i * p.sequence);
        Row r;
        r.o.resize(static_cast<size_t>(p.head_dim)), r.o_abs.resize(r.o.size()), r.o_bound.resize(r.o.size());
        for (int64_t step = 0; step < s.steps; ++step) {
            const int64_t begin = step * p.kv_tile;
            advance_row({s, *t, i, step, begin, std::min(begin + p.kv_tile, p.sequence)}, r);
        }
    }
    return t;
}

// O of a stripe: the last O_accum over the last l. The division rounds, and may be a multiplication by an
// approximate reciprocal.
std::shared_ptr<const AttentionOutput> final_rows(const AttentionState& s, const AttentionStripe& t) {
    auto out = std::make_shared<AttentionOutput>();
    const auto dim = static_cast<size_t>(s.problem.head_dim);
    for (int64_t i = 0; i < t.rows; ++i) {
        const auto at = static_cast<size_t>((s.steps - 1) * t.rows + i);
        for (size_t d = 0; d < dim; ++d) {
            const double value = t.o_accum[at * dim + d] / t.l[at];
            const double bound =
                (t.o_accum_bound[at * dim + d] + std::fabs(value) * t.l_bound[at]) / t.l[at] +
                4 * kU32 * std::fabs(value);
            out->o.push_back(value);
            out->bound.push_back(static_cast<float>(bound));
        }
    }
    return out;
}

size_t output_index(const AttentionState& s, int64_t head, int64_t first_row) {
    const int64_t stripes = (s.problem.sequence + kStripe - 1) / kStripe;
    return static_cast<size_t>(head * stripes + first_row / kStripe);
}

}  // namespace

std::shared_ptr<const AttentionStripe> stripe(AttentionState& s, int64_t head, int64_t first_row) {
    {
        const std::scoped_lock lock(s.mutex);
        const auto hit = std::find_if(s.cache.begin(), s.cache.end(), [&](const auto& t) {
            return t->head == head && t->first_row == first_row;
        });
        if (hit != s.cache.end()) {
            s.cache.splice(s.cache.begin(), s.cache, hit);
            return s.cache.front();
        }
    }
    widen_head(s, head);
    std::shared_ptr<const AttentionStripe> made = compute_stripe(s, head, first_row);
    std::shared_ptr<const AttentionOutput> output = final_rows(s, *made);
    const std::scoped_lock lock(s.mutex);
    s.outputs[output_index(s, head, first_row)] = std::move(output);
    s.cache.push_front(made);
    if (s.cache.size() > kCachedStripes) s.cache.pop_back();
    return made;
}

std::shared_ptr<const AttentionOutput> output_stripe(AttentionState& s, int64_t head, int64_t first_row) {
    const size_t index = output_index(s, head, first_row);
    {
        const std::scoped_lock lock(s.mutex);
        if (s.outputs[index]) return s.outputs[index];
    }
    stripe(s, head, first_row);
    const std::scoped_lock lock(s.mutex);
    return s.outputs[index];
}

}  // namespace wl::analysis
