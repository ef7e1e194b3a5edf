// Which seeds draw other data.
#include "instrumentation/diagnosis/prove/draws.h"

#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/prove/other_data.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>

namespace wl::diagnosis {

namespace {

constexpr double kMostWork = 4e7;                            // warp instructions on all draws
constexpr double kMostBytes = static_cast<double>(1 << 27);  // of arrays of all draws
constexpr size_t kMostMissed = 2;                            // seeds one after the other that draw nothing

double bytes_of(const manifest::Problem& p) {
    double out = 0;
    for (const manifest::BoundArgument* a : manifest::arrays(p))
        out += static_cast<double>(a->data.bytes.size());
    return out;
}

// Of all outputs that are compared.
bool same_reference(const Inputs& a, const Inputs& b) {
    if (!a.reference || !b.reference) return false;
    for (const manifest::BoundArgument* output : manifest::arrays(a.problem)) {
        const manifest::OutputRule rule =
            output->output ? rule_of(a.problem, output->data.name) : manifest::OutputRule{};
        const std::vector<int64_t>& shape = output->data.shape;
        if (!output->output || !rule.compare || shape.empty() || elements(shape) == 0) continue;
        const auto cols = static_cast<int>(shape.back());
        analysis::Window w{rule.of, std::vector<int64_t>(shape.size()), 1, cols};
        for (int64_t row = 0; row < elements(shape) / cols; ++row) {
            const std::vector<double> there = b.reference->tile(w).value.data;
            if (!std::equal(there.begin(), there.end(), a.reference->tile(w).value.data.begin()))
                return false;
            for (size_t d = shape.size() - 1; d-- > 0 && ++w.at[d] == shape[d];) w.at[d] = 0;
        }
    }
    return true;
}

}  // namespace

uint64_t derived_arrays(Prover& prover) {
    if (prover.derived) return *prover.derived;
    prover.derived = 0;
    const std::vector<std::string> all = fixed_arrays(prover.experiment.problem);
    constexpr size_t kFewest = 2, kMost = 16;  // arrays
    const manifest::Problem& p = prover.experiment.problem;
    const bool by_seed = !same_inputs(with_seed(p, p.seed + 1), p);
    if (by_seed || all.size() < kFewest || all.size() > kMost) return 0;
    const CountedWork once(nullptr);  // who comes first finds it out for all
    for (size_t k = 0; k < all.size(); ++k) {
        const Inputs& drawn = inputs_of(prover, only(uint64_t{1} << k, 1));
        if (!drawn.same_data && same_reference(inputs_of(prover, 0), drawn))
            *prover.derived |= uint64_t{1} << k;
    }
    return *prover.derived;
}

const std::vector<uint64_t>& draws_of(Prover& prover, uint64_t first, double trial) {
    std::vector<uint64_t>& out = prover.draws[first];
    if (!out.empty()) return out;
    const manifest::Problem& p = prover.experiment.problem;
    const double most = std::min(kMostWork / std::max(trial, 1.0), kMostBytes / std::max(bytes_of(p), 1.0));
    const size_t wanted = most >= kDraws ? kDraws : std::max<size_t>(static_cast<size_t>(most), 1);
    out.push_back(first);
    size_t missed = inputs_of(prover, first).same_data ? 1 : 0;
    for (uint64_t seed = first + 1; out.size() < wanted && missed < kMostMissed; ++seed) {
        const Inputs& made = inputs_of(prover, seed);
        const bool known = made.same_data || std::any_of(out.begin(), out.end(), [&](uint64_t other) {
                               return same_inputs(inputs_of(prover, other).problem, made.problem);
                           });
        const bool tells = !known && made.reference.has_value() == prover.experiment.reference.has_value();
        missed = tells ? 0 : missed + 1;
        if (tells) out.push_back(seed);
    }
    if (out.size() > 1 && inputs_of(prover, first).same_data) out.erase(out.begin());
    return out;
}

}  // namespace wl::diagnosis
