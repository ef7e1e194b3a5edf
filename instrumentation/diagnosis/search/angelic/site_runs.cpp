// What a trial with an open site finds in memory and leaves there.
#include "instrumentation/diagnosis/search/angelic/site_runs.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/rules/wrong_elements.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

namespace wl::diagnosis {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Launch launch_of(const SourceTrials& t) {
    const manifest::BoundLaunch& l = manifest::launch_of(t.e.problem);
    const auto block = static_cast<int64_t>(count(l.block));
    return {block, block * static_cast<int64_t>(count(l.grid))};
}

Outcome run_with(HoleBench& b, int site, bool scales, std::vector<float> by) {
    Outcome out;
    out.got.assign(b.elements.size(), kNone);
    const auto threads = static_cast<size_t>(b.threads), turns = threads * kTurns;
    by.resize(turns);
    TrialOptions o = b.options;
    o.rearrange = [&](execution::GlobalMemory& m) {
        execution::allocate(m, kSite, bytes_of<int>({site}));
        execution::allocate(m, kSiteScales, bytes_of<int>({scales ? 1 : 0}));
        execution::allocate(m, kSiteBy, bytes_of(by));
        execution::allocate(m, kSiteSeen, bytes_of(std::vector<float>(turns)));
        execution::allocate(m, kSiteTimes, bytes_of(std::vector<int>(threads)));
    };
    o.on_element = [&](const JudgedElement& e) {
        if (site < 0) {
            b.places.emplace(std::pair(e.output, e.at), b.elements.size());
            const double step = 2 * unit_roundoff(e.dtype) * std::fabs(e.reference);
            b.elements.push_back({e.output, e.at, 0, e.got, e.reference, e.limit, step, e.bad});
            b.reals = b.reals && is_float(e.dtype);
        } else if (const auto known = b.places.find({e.output, e.at}); known != b.places.end()) {
            out.got[known->second] = e.got;
        }
    };
    o.on_end = [&](const execution::GlobalMemory& m) {
        out.seen = array_of<float>(m, kSiteSeen, turns), out.times = array_of<int>(m, kSiteTimes, threads);
    };
    out.trial = b.run(o);
    return out;
}

bool look_at_elements(HoleBench& b) {
    b.elements.clear(), b.places.clear(), b.outputs = 0;
    const Outcome o = run_with(b, -1, false, {});
    if (!o.trial.finished || o.trial.bad == 0) return false;
    std::string output;
    std::optional<std::vector<Writer>> writers;
    for (Element& e : b.elements) {
        if (e.output != output) {
            output = e.output, writers.reset(), ++b.outputs;
            for (const capture::Output& of : b.t.queue.setup.s.capture.outputs)
                if (of.name == output) writers = writers_of(b.t.queue.setup.s, of);
        }
        if (!writers || e.at >= static_cast<int64_t>(writers->size())) return false;
        const Writer& w = (*writers)[static_cast<size_t>(e.at)];
        constexpr int kLanes = 32;
        e.thread = w.block < 0 ? -1 : w.block * b.block_threads + w.warp * kLanes + w.lane;
        if (e.thread < 0 && e.bad) return false;
    }
    return true;
}

bool is_solvable(const HoleBench& b) {
    return b.reals && std::all_of(b.elements.begin(), b.elements.end(), [](const Element& e) {
               return e.thread >= 0 && (!e.bad || std::isfinite(e.got - e.reference));
           });
}

namespace {

// With all that its runs refer to.
struct OwnBench {
    Prover prover;
    std::optional<Ready> ready;
    std::optional<HoleBench> bench;
};

// Null: nothing is to be looked at.
std::shared_ptr<OwnBench> own_bench(const SourceTrials& t, const BenchText& text, std::mutex& lock) {
    const auto out = std::make_shared<OwnBench>(OwnBench{Prover{t.e}, {}, {}});
    out->ready = make_ready(t, out->prover, text.ptx);
    if (!out->ready) return nullptr;
    if (text.whole) out->ready->options.blocks.clear();
    out->bench.emplace(HoleBench{
        t, out->ready->options, text.launch.block_threads, text.launch.threads, out->ready->runs, {}});
    const std::scoped_lock hold(lock);  // who wrote what is asked of the shared prover
    const bool shows = look_at_elements(*out->bench) && (!text.solvable || is_solvable(*out->bench));
    return shows ? out : nullptr;
}

}  // namespace

size_t on_benches(
    SourceTrials& t, const BenchText& text, size_t count, const std::function<void(HoleBench&, size_t)>& look
) {
    std::mutex lock;
    using Look = std::function<void(size_t)>;
    return in_turn(t.queue, threads_of(t.e.options), count, [&]() -> Look {
        try {
            const std::shared_ptr<OwnBench> own = own_bench(t, text, lock);
            if (!own) return {};
            return [&look, own](size_t k) {
                try {
                    look(*own->bench, k);
                } catch (const Error&) {  // nothing is found with it
                    return;
                } catch (const Unsupported&) { return; }
            };
        } catch (const Error&) {  // it does not run as the kernel does
            return {};
        } catch (const Unsupported&) { return {}; }
    });
}

}  // namespace wl::diagnosis
