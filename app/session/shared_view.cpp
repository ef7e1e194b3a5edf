// Tables by byte, and sums over runs and patterns.
#include "app/session/shared_view.h"

#include "instrumentation/base/bank_phases.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>

namespace wl::app {

namespace {

using capture::Freshness;
using capture::NamedRegion;
using capture::SharedRun;
using capture::SharedState;

layouts::Matrix matrix_of(const NamedRegion& r) {
    layouts::Matrix m = r.layout.empty() ? layouts::plain_matrix(r.dtype, r.rows, r.cols, r.ld, r.column)
                                         : layouts::parse_matrix(r.layout);
    m.begin = r.begin;
    return m;
}

// -1: its shape is not known, or marks of the same bytes say it better.
int rank_of(const SharedState& state, const NamedRegion& r) {
    if (r.rows == 0 && r.layout.empty()) return -1;
    if (r.kind != NamedRegion::Kind::variable) return r.current ? 0 : 2;
    const bool marked =
        std::any_of(state.regions.begin(), state.regions.end(), [&](const NamedRegion& other) {
            return other.kind != NamedRegion::Kind::variable && other.begin == r.begin;
        });
    return marked ? -1 : 1;
}

SharedMatrix placed(std::string name, layouts::Matrix matrix, int region) {
    SharedMatrix out{std::move(name), std::move(matrix), region, {}};
    out.elements = layouts::elements_of(out.matrix);
    return out;
}

void add(FreshnessCounts& counts, Freshness freshness, uint32_t bytes) {
    switch (freshness) {
        case Freshness::never: counts.never += bytes; break;
        case Freshness::now: counts.now += bytes; break;
        case Freshness::stale: counts.stale += bytes; break;
        case Freshness::flying: counts.flying += bytes; break;
    }
}

int weight_of(Freshness freshness) {
    switch (freshness) {
        case Freshness::flying: return 3;
        case Freshness::never: return 2;
        case Freshness::stale: return 1;
        default: return 0;
    }
}

std::string times_text(int count, const char* one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

bool touches(const LaneAccesses& a, const layouts::Matrix& m) {
    const uint64_t end = layouts::end_of(m);
    for (uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
        const uint64_t at = a.at[static_cast<size_t>(std::countr_zero(rest))];
        if (at >= m.begin && at < end) return true;
    }
    return false;
}

}  // namespace

SharedView make_shared_view(const SharedState& state) {
    SharedView view;
    view.run_of.resize(state.values.size());
    for (size_t k = 0; k < state.runs.size(); ++k)
        for (uint32_t at = state.runs[k].begin; at < state.runs[k].begin + state.runs[k].bytes; ++at)
            view.run_of[at] = static_cast<int32_t>(k);
    // What is marked, then variables that no mark speaks of, then marks of another time.
    for (const int rank : {0, 1, 2})
        for (size_t k = 0; k < state.regions.size(); ++k)
            if (rank_of(state, state.regions[k]) == rank)
                view.matrices.push_back(
                    placed(state.regions[k].name, matrix_of(state.regions[k]), static_cast<int>(k))
                );
    return view;
}

SharedMatrix shared_matrix(
    const SharedState& state, const SharedView& view, const std::string& name, const std::string& as
) {
    const auto named = std::find_if(view.matrices.begin(), view.matrices.end(), [&](const SharedMatrix& m) {
        return m.name == name;
    });
    if (as.empty() && named != view.matrices.end()) return *named;
    const auto region = std::find_if(state.regions.begin(), state.regions.end(), [&](const NamedRegion& r) {
        return r.name == name;
    });
    if (!name.empty() && region == state.regions.end()) {
        std::vector<std::string> names;
        for (const NamedRegion& r : state.regions)
            if (std::find(names.begin(), names.end(), r.name) == names.end()) names.push_back(r.name);
        throw Error(fmt::format("--shared {}: no such region; there are {}", name, join(names, ", ")));
    }
    if (as.empty())
        throw Error(fmt::format(
            "--shared {}: nothing says its rows; say them: --as 'f32 32x32', or mark it by WL_LAYOUT", name
        ));
    layouts::Matrix m = layouts::parse_matrix(as);
    if (!m.places)
        m.begin = named != view.matrices.end() ? named->matrix.begin
            : region != state.regions.end()    ? region->begin
                                               : 0;
    if (layouts::end_of(m) > state.values.size())
        throw Error(fmt::format(
            "--as '{}': it would end at byte {}, and the block has {} bytes of shared memory",
            as,
            layouts::end_of(m),
            state.values.size()
        ));
    return placed(name.empty() ? layouts::text_of(m) : name, std::move(m), -1);
}

std::optional<SharedElement> element_at(const SharedMatrix& m, uint32_t byte) {
    if (byte < m.matrix.begin) return {};
    const auto at = (byte - m.matrix.begin) / static_cast<uint32_t>(layouts::bytes_of(m.matrix));
    if (at >= m.elements.size() || m.elements[at] < 0) return {};
    return SharedElement{m.elements[at] / m.matrix.columns, m.elements[at] % m.matrix.columns};
}

double shared_value(const SharedState& state, DType dtype, uint32_t byte) {
    if (byte + size_of(dtype) > state.values.size()) return std::numeric_limits<double>::quiet_NaN();
    return to_double(dtype, state.values.data() + byte);
}

const SharedRun& telling_run(
    const SharedState& state, const SharedView& view, uint32_t begin, uint32_t bytes
) {
    static const SharedRun kNone;
    const SharedRun* best = nullptr;
    for (uint32_t at = begin; at < begin + bytes && at < view.run_of.size(); ++at) {
        const SharedRun& run = state.runs[static_cast<size_t>(view.run_of[at])];
        const bool more = best == nullptr ||
            weight_of(capture::freshness_of(state, run)) > weight_of(capture::freshness_of(state, *best));
        if (more) best = &run;
    }
    return best == nullptr ? kNone : *best;
}

FreshnessCounts count_bytes(const SharedState& state, uint32_t begin, uint32_t end) {
    FreshnessCounts counts;
    for (const SharedRun& r : state.runs) {
        const uint32_t first = std::max(begin, r.begin), last = std::min(end, r.begin + r.bytes);
        if (first < last) add(counts, capture::freshness_of(state, r), last - first);
    }
    return counts;
}

FreshnessCounts count_bytes(const SharedState& state, const SharedView& view, const SharedMatrix& m) {
    FreshnessCounts counts;
    const auto size = static_cast<uint32_t>(layouts::bytes_of(m.matrix));
    for (uint32_t at = 0; at < m.elements.size(); ++at)
        for (uint32_t byte = 0; byte < (m.elements[at] < 0 ? 0 : size); ++byte)
            if (const uint32_t place = m.matrix.begin + at * size + byte; place < view.run_of.size())
                add(counts,
                    capture::freshness_of(state, state.runs[static_cast<size_t>(view.run_of[place])]),
                    1);
    return counts;
}

std::string history_text(const SharedState& state, const SharedRun& run) {
    std::string text;
    if (run.flight >= 0) {
        const capture::SharedWrite& w = state.writes[static_cast<size_t>(run.flight)];
        text = fmt::format(
            "in flight: copied by warp {} lane {} at {}, not waited for; what lies there is ",
            w.warp,
            run.flight_lane,
            w.place
        );
    }
    if (run.write < 0) return text + "never written";
    const capture::SharedWrite& w = state.writes[static_cast<size_t>(run.write)];
    if (w.epochs_ago == 0) text += "written this epoch";
    if (w.epochs_ago > 0) text += fmt::format("stale: written {} ago", times_text(w.epochs_ago, "epoch"));
    if (w.epochs_ago > 0 && w.iterations_ago > 0)
        text += fmt::format(", {} ago", times_text(w.iterations_ago, "iteration"));
    text += fmt::format(" by warp {} lane {} at {}", w.warp, run.lane, w.place);
    if (w.copy) text += " (cp.async)";
    return text;
}

RequestCost cost_of(const capture::LineRequest& request) {
    RequestCost out;
    if (request.global) {
        out.sector = sector_cost(request.accesses);
        return out;
    }
    out.bank = bank_cost(request.accesses);
    const Phases phases = phases_of(request.accesses);
    out.phases.assign(phases.lanes.begin(), phases.lanes.begin() + static_cast<int64_t>(phases.count));
    return out;
}

PatternTotal total_of(
    const std::vector<capture::AccessPattern>& patterns,
    const layouts::Matrix& matrix,
    const layouts::Change& change
) {
    PatternTotal total;
    for (const capture::AccessPattern& p : patterns) {
        if (!touches(p.accesses, matrix)) continue;
        const layouts::Changed then = layouts::changed(p.accesses, matrix, change);
        const BankCost now = bank_cost(p.accesses);
        if (!then.problem.empty()) total.problem = then.problem;
        total.requests += p.count;
        total.now += p.count * static_cast<uint64_t>(now.wavefronts);
        total.ideal += p.count * static_cast<uint64_t>(now.ideal);
        total.then += p.count * static_cast<uint64_t>(then.cost.wavefronts);
    }
    return total;
}

}  // namespace wl::app
