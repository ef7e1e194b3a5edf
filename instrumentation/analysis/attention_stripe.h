// One stripe of query rows of the FP64 attention reference: every intermediate of every KV iteration, with
// its bound.
#pragma once

#include "instrumentation/analysis/reference.h"

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace wl::analysis {

constexpr int64_t kStripe = 16;  // query rows computed together; any window is a union of stripes

// Inputs widened once, each (batch, head) when its first stripe is computed.
struct AttentionInputs {
    std::vector<std::once_flag> widened;
    std::vector<std::vector<double>> q;             // (S, D)
    std::vector<std::vector<double>> k_transposed;  // (D, S): the inner loop runs along keys
    std::vector<std::vector<double>> v;             // (S, D)
    std::vector<std::vector<float>> k_absolute;     // as k_transposed
    std::vector<std::vector<float>> v_absolute;     // as v
};

// All intermediates of one stripe; `steps` = KV iterations.
struct AttentionStripe {
    int64_t head = 0, first_row = 0, rows = 0;
    std::vector<double> scores, p;             // (rows, S)
    std::vector<float> scores_bound, p_bound;  // (rows, S)
    std::vector<double> m, l, alpha;           // (steps, rows)
    std::vector<double> m_bound, l_bound, alpha_bound;
    std::vector<double> o_accum;       // (steps, rows, D)
    std::vector<float> o_accum_bound;  // (steps, rows, D)
};

// What outlives the cache of stripes: the output rows, which are asked for once more when every block has
// run.
struct AttentionOutput {
    std::vector<double> o;  // (rows, D)
    std::vector<float> bound, probable;
};

struct AttentionState {
    AttentionProblem problem;
    AttentionInputs inputs;
    int64_t steps = 0;
    std::mutex mutex;
    std::list<std::shared_ptr<const AttentionStripe>> cache;  // most recently used first
    std::vector<std::shared_ptr<const AttentionOutput>>
        outputs;  // by head, then stripe; null: not computed yet
};

bool is_masked(const AttentionProblem& problem, int64_t row, int64_t key);

// From the cache, or computed; safe from several threads. `head` = batch * H + head; first_row a multiple of
// kStripe.
std::shared_ptr<const AttentionStripe> stripe(AttentionState& state, int64_t head, int64_t first_row);
std::shared_ptr<const AttentionOutput> output_stripe(AttentionState& state, int64_t head, int64_t first_row);

}  // namespace wl::analysis
