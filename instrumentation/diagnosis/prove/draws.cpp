// Which seeds draw other data.
#include "instrumentation/diagnosis/prove/draws.h"

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

}  // namespace

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
