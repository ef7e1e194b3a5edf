// The FP64 references: attention against a direct softmax, bounds that hold for FP32 arithmetic, windows of
// tensors.
#include "instrumentation/analysis/reference.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace wl::analysis {
namespace {

Tensor tensor_of(
    std::string name, DType dtype, std::vector<int64_t> shape, const std::vector<double>& values
) {
    Tensor t{std::move(name), dtype, std::move(shape), {}};
    t.bytes.resize(values.size() * size_of(dtype));
    for (size_t i = 0; i < values.size(); ++i)
        from_double(dtype, values[i], t.bytes.data() + i * size_of(dtype));
    return t;
}

Tensor normal(const char* name, std::vector<int64_t> shape, unsigned seed) {
    std::mt19937 rng(seed);
    std::normal_distribution<double> gauss;
    std::vector<double> values(static_cast<size_t>(elements(shape)));
    for (double& v : values) v = gauss(rng);
    return tensor_of(name, DType::f16, std::move(shape), values);
}

AttentionProblem problem(int64_t s, int64_t d, int64_t n, bool causal) {
    AttentionProblem p;
    p.batch = 2, p.heads = 3, p.sequence = s, p.head_dim = d, p.kv_tile = n, p.causal = causal;
    p.q = normal("Q", {2, 3, s, d}, 1), p.k = normal("K", {2, 3, s, d}, 2),
    p.v = normal("V", {2, 3, s, d}, 3);
    return p;
}

double q_at(const Tensor& t, int64_t b, int64_t h, int64_t s, int64_t d) {
    return at(t, ((b * t.shape[1] + h) * t.shape[2] + s) * t.shape[3] + d);
}

// softmax in one go, no tiles: what the streamed form must equal.
std::vector<double> direct_row(const AttentionProblem& p, int64_t b, int64_t h, int64_t row) {
    std::vector<double> s(static_cast<size_t>(p.sequence), -INFINITY), out(static_cast<size_t>(p.head_dim));
    double m = -INFINITY, l = 0;
    for (int64_t j = 0; j < (p.causal ? row + 1 : p.sequence); ++j) {
        double dot = 0;
        for (int64_t d = 0; d < p.head_dim; ++d) dot += q_at(p.q, b, h, row, d) * q_at(p.k, b, h, j, d);
        s[static_cast<size_t>(j)] = dot / std::sqrt(static_cast<double>(p.head_dim));
        m = std::max(m, s[static_cast<size_t>(j)]);
    }
    for (double& x : s) l += x = std::exp(x - m);
    for (int64_t d = 0; d < p.head_dim; ++d) {
        for (int64_t j = 0; j < p.sequence; ++j)
            out[static_cast<size_t>(d)] += s[static_cast<size_t>(j)] / l * q_at(p.v, b, h, j, d);
    }
    return out;
}

TEST(AttentionReference, StreamedOutputEqualsTheDirectSoftmax) {
    for (const bool causal : {false, true}) {
        const AttentionProblem p = problem(80, 8, 32, causal);
        const ReferenceTile o = attention_reference(p).tile({
            "O", {1, 2, 0, 0},
             80, 8
        });
        for (const int row : {0, 1, 31, 32, 79}) {
            const std::vector<double> direct = direct_row(p, 1, 2, row);
            for (int d = 0; d < 8; ++d)
                EXPECT_NEAR(o.value(row, d), direct[static_cast<size_t>(d)], 1e-14) << row << "," << d;
        }
    }
}

TEST(AttentionReference, RaggedWindowsCompareOnlyWhatLiesInsideTheTensor) {
    const Reference r = attention_reference(problem(80, 8, 32, false));
    const ReferenceTile t = r.tile({
        "scores", {0, 0, 64, 64},
         64, 32
    });
    EXPECT_EQ(t.compared(15, 15), 1);
    EXPECT_EQ(t.compared(16, 0), 0);
    EXPECT_EQ(t.compared(0, 16), 0);
    const ReferenceTile m = r.tile({
        "m", {2, 0, 0, 64},
         64, 1
    });
    EXPECT_EQ(m.compared(15, 0), 1);
    EXPECT_EQ(m.compared(16, 0), 0);
}

TEST(AttentionReference, MaskedScoresAreMinusInfinityAboveTheDiagonalOnly) {
    const Reference r = attention_reference(problem(64, 8, 32, true));
    const ReferenceTile t = r.tile({
        "masked", {0, 0, 0, 32},
         64, 32
    });
    EXPECT_EQ(t.value(32, 1), -INFINITY);
    EXPECT_TRUE(std::isfinite(t.value(32, 0)));
    EXPECT_TRUE(std::isfinite(t.value(63, 31)));
}

TEST(AttentionReference, RunningStatisticsAreWindowsByIteration) {
    const AttentionProblem p = problem(96, 8, 32, false);
    const Reference r = attention_reference(p);
    const ReferenceTile s = r.tile({
                            "scores", {0, 1, 5, 0},
                             1, 96
    }),
                        m1 = r.tile({"m", {1, 0, 1, 5}, 1, 1}), l1 = r.tile({"l", {1, 0, 1, 5}, 1, 1});
    double m = -INFINITY, l = 0;
    for (int j = 0; j < 64; ++j) m = std::max(m, s.value(0, j));
    for (int j = 0; j < 64; ++j) l += std::exp(s.value(0, j) - m);
    EXPECT_DOUBLE_EQ(m1.value(0, 0), m);
    EXPECT_NEAR(l1.value(0, 0), l, 1e-13 * l);
    const ReferenceTile across = r.tile({
        "m", {1, 0, 1, 0},
         1, 96
    });
    EXPECT_DOUBLE_EQ(across.value(0, 5), m);
}

// The largest error of one row of O = o / l over its probable limit, which it must not exceed.
double output_error(const Reference& ref, int row, const std::vector<float>& o, float l) {
    const auto d = static_cast<int>(o.size());
    const ReferenceTile output = ref.tile({
        "O", {0, 0, row, 0},
         1, d
    });
    double out = 0;
    for (int c = 0; c < d; ++c) {
        const double error = std::fabs(o[static_cast<size_t>(c)] / l - output.value(0, c));
        EXPECT_LE(error, output.probable(0, c));
        EXPECT_LE(output.probable(0, c), output.bound(0, c));
        out = std::max(out, error / output.probable(0, c));
    }
    return out;
}

// The same streamed arithmetic in FP32, naive order: every intermediate must lie inside its derived bound,
// and not by miles.
TEST(AttentionReference, BoundsHoldForFp32ArithmeticAndAreNotVacuous) {
    const int s = 96, d = 64, n = 32;
    const AttentionProblem p = problem(s, d, n, false);
    const Reference ref = attention_reference(p);
    double worst = 0, probable = 0;
    for (int row = 0; row < 8; ++row) {
        float m = -INFINITY, l = 0;
        std::vector<float> o(d);
        for (int step = 0; step < s / n; ++step) {
            std::vector<float> x(n);
            const ReferenceTile rs = ref.tile({
                                    "scores", {0, 0, row, step * n},
                                     1, n
            }),
                                rp = ref.tile({"P", {0, 0, row, step * n}, 1, n});
            float m_new = m;
            for (int j = 0; j < n; ++j) {
                float dot = 0;
                for (int c = 0; c < d; ++c)
                    dot = std::fmaf(
                        static_cast<float>(q_at(p.q, 0, 0, row, c)),
                        static_cast<float>(q_at(p.k, 0, 0, step * n + j, c)),
                        dot
                    );
                x[static_cast<size_t>(j)] = dot * 0.125F;
                EXPECT_LE(std::fabs(x[static_cast<size_t>(j)] - rs.value(0, j)), rs.bound(0, j));
                m_new = std::max(m_new, x[static_cast<size_t>(j)]);
            }
            const float alpha = std::exp(m - m_new);
            l *= alpha;
            for (float& v : o) v *= alpha;
            for (int j = 0; j < n; ++j) {
                const float e = std::exp(x[static_cast<size_t>(j)] - m_new);
                EXPECT_LE(std::fabs(e - rp.value(0, j)), rp.bound(0, j));
                l += e;
                for (int c = 0; c < d; ++c)
                    o[static_cast<size_t>(c)] += e * static_cast<float>(q_at(p.v, 0, 0, step * n + j, c));
            }
            m = m_new;
            if (step == s / n - 1) probable = std::max(probable, output_error(ref, row, o, l));
            const ReferenceTile rl = ref.tile({
                                    "l", {step, 0, 0, row},
                                     1, 1
            }),
                                ro = ref.tile({"O_accum", {step, 0, 0, row, 0}, 1, d});
            EXPECT_LE(std::fabs(l - rl.value(0, 0)), rl.bound(0, 0));
            for (int c = 0; c < d; ++c) {
                const double error = std::fabs(o[static_cast<size_t>(c)] - ro.value(0, c));
                EXPECT_LE(error, ro.bound(0, c));
                worst = std::max(worst, error / ro.bound(0, c));
            }
        }
    }
    EXPECT_GT(worst, 1e-3);
    EXPECT_GT(probable, 1e-3);
}

// Of a kernel that rounds P to f16, as the tensor cores of the lineage take it: the probable limit is well
// below the worst case and below 1 % of the output.
TEST(AttentionReference, TheProbableLimitGrowsByTheRootOfTheKeys) {
    AttentionProblem p = problem(512, 64, 64, false);
    p.p_format = DType::f16;
    const Reference ref = attention_reference(p);
    const ReferenceTile o = ref.tile({
        "O", {0, 0, 0, 0},
         64, 64
    });
    double size = 0, worst = 0, probable = 0;
    for (size_t i = 0; i < o.value.data.size(); ++i)
        size += std::fabs(o.value.data[i]), worst += double{o.bound.data[i]},
            probable += double{o.probable.data[i]};
    EXPECT_LT(probable, 0.8 * worst);
    EXPECT_LT(probable, 0.015 * size);
    EXPECT_GT(probable, 1e-4 * size);
}

TEST(AttentionReference, UnknownTensorsAreNamedWithWhatThereIs) {
    const Reference r = attention_reference(problem(32, 8, 32, false));
    EXPECT_NE(
        r.tile({
                   "score", {0, 0, 0, 0},
                    4, 4
    })
            .problem.find("scores masked P m l"),
        std::string::npos
    );
    EXPECT_NE(
        r.tile({
                   "scores", {0, 0},
                    4, 4
    })
            .problem.find("4 dimensions"),
        std::string::npos
    );
}

TEST(TensorReference, WindowsFollowTheAxesAndTheScaleBoundsThem) {
    std::vector<double> v(24), scale(24, 8.0);
    for (size_t i = 0; i < v.size(); ++i) {
        const size_t row = i / 4, col = i % 4;
        v[i] = static_cast<double>(row * 1000 + col);
    }
    const Reference r = tensor_reference(
        "t.py",
        {
            tensor_of("C", DType::f64, {6, 4},
              v),
            tensor_of("C.scale", DType::f64, {6, 4},
              scale),
            tensor_of("D", DType::f64, {6, 4},
              v)
    },
        {{"C", 62}}
    );
    const ReferenceTile t = r.tile({
        "C", {1, 1},
         2, 3
    });
    EXPECT_EQ(t.value(1, 2), 2003);
    EXPECT_FLOAT_EQ(t.bound(0, 0), static_cast<float>(64 * 0x1p-24 * 8));
    EXPECT_FALSE(t.estimated);
    Window column{
        "C", {1, 3},
         3, 1
    };
    column.row_axis = 0;
    EXPECT_EQ(r.tile(column).value(2, 0), 3003);
    EXPECT_TRUE(r.tile({
                           "D", {0, 0},
                            2, 2
    })
                    .estimated);
    EXPECT_NE(
        r.tile({
                   "E", {0, 0},
                    2, 2
    })
            .problem.find("there are C D"),
        std::string::npos
    );
}

}  // namespace
}  // namespace wl::analysis
