// The arithmetic of the FP64 attention reference, with the bound of every intermediate carried along.
#include "instrumentation/analysis/attention_stripe.h"

#include "instrumentation/analysis/bounds.h"
#include "instrumentation/base/os/stop.h"

#include <algorithm>
#include <immintrin.h>
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

std::vector<float> absolutes(const std::vector<double>& values) {
    std::vector<float> out(values.size());
    for (size_t i = 0; i < values.size(); ++i) out[i] = std::fabs(static_cast<float>(values[i]));
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
        in.v_absolute[h] = absolutes(in.v[h]);
        const std::vector<double> k = widen(p.k, head * n, n);
        in.k_transposed[h].resize(k.size());
        for (int64_t row = 0; row < p.sequence; ++row)
            for (int64_t d = 0; d < p.head_dim; ++d)
                in.k_transposed[h][static_cast<size_t>(d * p.sequence + row)] =
                    k[static_cast<size_t>(row * p.head_dim + d)];
        in.k_absolute[h] = absolutes(in.k_transposed[h]);
    });
}

// Sums of products for 16 neighbours, in registers.
constexpr int64_t kTogether = 16;
struct Doubles {
    __m256d part[4];
};
struct Floats {
    __m256 part[2];
};
inline void load(Doubles& to, const double* from) {
    for (int k = 0; k < 4; ++k) to.part[k] = _mm256_loadu_pd(from + 4 * k);
}
inline void load(Floats& to, const float* from) {
    for (int k = 0; k < 2; ++k) to.part[k] = _mm256_loadu_ps(from + 8 * k);
}
inline void store(const Doubles& from, double* to) {
    for (int k = 0; k < 4; ++k) _mm256_storeu_pd(to + 4 * k, from.part[k]);
}
inline void store(const Floats& from, float* to) {
    for (int k = 0; k < 2; ++k) _mm256_storeu_ps(to + 8 * k, from.part[k]);
}
inline void add_product(Doubles& sum, double factor, const double* x) {
    const __m256d f = _mm256_set1_pd(factor);
    for (int k = 0; k < 4; ++k) sum.part[k] = _mm256_fmadd_pd(f, _mm256_loadu_pd(x + 4 * k), sum.part[k]);
}
inline void add_product(Floats& sum, float factor, const float* x) {
    const __m256 f = _mm256_set1_ps(factor);
    for (int k = 0; k < 2; ++k) sum.part[k] = _mm256_fmadd_ps(f, _mm256_loadu_ps(x + 8 * k), sum.part[k]);
}

// scores (row, :) = scale * q k^T and the sum of absolute terms behind each.
void score_row(const AttentionState& s, int64_t head, int64_t row, double* scores, float* absolute) {
    const int64_t keys = s.problem.sequence, dim = s.problem.head_dim;
    const auto h = static_cast<size_t>(head);
    const double* k = s.inputs.k_transposed[h].data();
    const float* k_absolute = s.inputs.k_absolute[h].data();
    std::vector<double> q(static_cast<size_t>(dim));
    for (int64_t d = 0; d < dim; ++d)
        q[static_cast<size_t>(d)] = s.problem.scale * s.inputs.q[h][static_cast<size_t>(row * dim + d)];
    const std::vector<float> q_absolute = absolutes(q);
    int64_t j = 0;
    for (; j + kTogether <= keys; j += kTogether) {
        Doubles sum{};
        Floats sum_absolute{};
        for (int64_t d = 0; d < dim; ++d) {
            add_product(sum, q[static_cast<size_t>(d)], k + d * keys + j);
            add_product(sum_absolute, q_absolute[static_cast<size_t>(d)], k_absolute + d * keys + j);
        }
        store(sum, scores + j);
        store(sum_absolute, absolute + j);
    }
    for (; j < keys; ++j) {
        scores[j] = 0, absolute[j] = 0;
        for (int64_t d = 0; d < dim; ++d) {
            scores[j] += q[static_cast<size_t>(d)] * k[d * keys + j];
            absolute[j] += q_absolute[static_cast<size_t>(d)] * k_absolute[d * keys + j];
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
    const StoreError stored = p.p_format != DType::f32 ? store_error(p.p_format) : StoreError{};
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
        if (p.p_format != DType::f32) out_bound += static_cast<float>(store_bound(stored, out));
        sum += out;
        sum_of_bounds += out_bound;
    }
    r.l_bound = alpha * r.l_bound + r.l * alpha_bound + sum_of_bounds;
    r.l = alpha * r.l + sum;
    r.l_bound += sum_bound(t.terms(), 2, r.l);
}

// o (d .. d + 16) += P v, with the sums behind it.
void add_values(const Step& t, Row& r, const double* v, const float* v_absolute, size_t d) {
    const size_t dim = r.o.size();
    Doubles o;
    Floats o_abs, o_bound;
    load(o, r.o.data() + d), load(o_abs, r.o_abs.data() + d), load(o_bound, r.o_bound.data() + d);
    for (int64_t j = t.begin; j < t.end; ++j) {
        const double p = t.stripe.p[t.key(j)];
        const size_t at = static_cast<size_t>(j) * dim + d;
        add_product(o, p, v + at);
        add_product(o_abs, static_cast<float>(p), v_absolute + at);
        add_product(o_bound, t.stripe.p_bound[t.key(j)], v_absolute + at);
    }
    store(o, r.o.data() + d), store(o_abs, r.o_abs.data() + d), store(o_bound, r.o_bound.data() + d);
}

void add_value(const Step& t, Row& r, const double* v, const float* v_absolute, size_t d) {
    for (int64_t j = t.begin; j < t.end; ++j) {
        const double p = t.stripe.p[t.key(j)];
        const size_t at = static_cast<size_t>(j) * r.o.size() + d;
        r.o[d] += p * v[at];
        r.o_abs[d] += static_cast<float>(p) * v_absolute[at];
        r.o_bound[d] += t.stripe.p_bound[t.key(j)] * v_absolute[at];
    }
}

void advance_output(const Step& t, Row& r, double alpha, double alpha_bound) {
    const size_t dim = r.o.size();
    for (size_t d = 0; d < dim; ++d) {
        r.o_bound[d] = static_cast<float>(alpha * r.o_bound[d] + std::fabs(r.o[d]) * alpha_bound);
        r.o[d] *= alpha;
        r.o_abs[d] *= static_cast<float>(alpha);
    }
    const auto h = static_cast<size_t>(t.stripe.head);
    const double* v = t.state.inputs.v[h].data();
    const float* v_absolute = t.state.inputs.v_absolute[h].data();
    size_t d = 0;
    for (; d + kTogether <= dim; d += kTogether) add_values(t, r, v, v_absolute, d);
    for (; d < dim; ++d) add_value(t, r, v, v_absolute, d);
    for (d = 0; d < dim; ++d) r.o_bound[d] += static_cast<float>(sum_bound(t.terms(), 2, double{r.o_abs[d]}));
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
    const StoreError stored = store_error(p.score_format);
    for (int64_t j = 0; j < p.sequence; ++j) {
        double bound = sum_bound(static_cast<double>(p.head_dim), 2, double{bounds[j]});
        if (p.score_format != DType::f32) bound += store_bound(stored, std::fabs(scores[j]));
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
        check_stop();
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

// What is behind one row of O, of each key j: w_j = P_j / l as the last maximum has it, and e_j, the same of
// P_j's bound.
struct Behind {
    std::vector<double> squares;    // (D) sum of (e_j V_j)^2
    std::vector<double> absolutes;  // (D) sum of w_j |V_j|
    double errors = 0;              // sum of e_j^2
};

Behind behind_row(const AttentionState& s, const AttentionStripe& t, int64_t i) {
    const AttentionProblem& p = s.problem;
    const auto dim = static_cast<size_t>(p.head_dim);
    Behind out{std::vector<double>(dim), std::vector<double>(dim)};
    const auto last = static_cast<size_t>((s.steps - 1) * t.rows + i);
    const double* v = s.inputs.v[static_cast<size_t>(t.head)].data();
    for (int64_t j = 0; j < p.sequence; ++j) {
        if (is_masked(p, t.first_row + i, j)) continue;
        const double m = t.m[static_cast<size_t>((j / p.kv_tile) * t.rows + i)];
        const double share = std::exp(m - t.m[last]) / t.l[last];
        const auto key = static_cast<size_t>(i * p.sequence + j);
        const double w = t.p[key] * share, e = double{t.p_bound[key]} * share;
        const double* row = v + static_cast<size_t>(j) * dim;
        for (size_t d = 0; d < dim; ++d) {
            out.squares[d] += e * e * row[d] * row[d];
            out.absolutes[d] += w * std::fabs(row[d]);
        }
        out.errors += e * e;
    }
    return out;
}

// The probable limits of a row of O. Errors of P of different keys are independent: those of O's numerator
// and of l add up as their squares do (Azuma's and Hoeffding's inequality), and an error of m or alpha is in
// both alike. The FP32 sums round as bounds.h has it.
void add_probable(const AttentionState& s, const AttentionStripe& t, int64_t i, AttentionOutput& out) {
    const AttentionProblem& p = s.problem;
    const auto dim = static_cast<size_t>(p.head_dim);
    const double keys = static_cast<double>(p.sequence);
    const double lambda = probable_lambda(keys * keys * static_cast<double>(p.batch * p.heads * p.head_dim));
    const double gamma = probable_gamma(keys + static_cast<double>(s.steps), lambda) + 4 * kU32;
    const Behind b = behind_row(s, t, i);
    for (size_t d = 0; d < dim; ++d) {
        const size_t at = static_cast<size_t>(i) * dim + d;
        const double size = std::fabs(out.o[at]);
        const double limit =
            lambda * (std::sqrt(b.squares[d]) + size * std::sqrt(b.errors)) + gamma * (b.absolutes[d] + size);
        out.probable.push_back(std::min(static_cast<float>(limit), out.bound[at]));
    }
}

// O of a stripe: the last O_accum over the last l. The division rounds, and may be a multiplication by an
// approximate reciprocal.
std::shared_ptr<const AttentionOutput> final_rows(const AttentionState& s, const AttentionStripe& t) {
    auto out = std::make_shared<AttentionOutput>();
    const auto dim = static_cast<size_t>(s.problem.head_dim);
    for (int64_t i = 0; i < t.rows; ++i) {
        check_stop();
        const auto at = static_cast<size_t>((s.steps - 1) * t.rows + i);
        for (size_t d = 0; d < dim; ++d) {
            const double value = t.o_accum[at * dim + d] / t.l[at];
            const double bound =
                (t.o_accum_bound[at * dim + d] + std::fabs(value) * t.l_bound[at]) / t.l[at] +
                4 * kU32 * std::fabs(value);
            out->o.push_back(value);
            out->bound.push_back(static_cast<float>(bound));
        }
        add_probable(s, t, i, *out);
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
