#include "instrumentation/diagnosis/writers.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/sequence.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

constexpr int64_t kMostElements = int64_t{1} << 25;  // 8 bytes each
constexpr double kMostInstructions = 4e8;            // of warps: some ten seconds on two cores

// A writer in one word, the block on top, so that blocks that run at the same time agree on the later one. 0:
// nobody.
constexpr int kLaneBits = 5, kWarpBits = 5, kSiteBits = 22;

uint64_t packed(const execution::Stored& s) {
    uint64_t out = static_cast<uint64_t>(s.block) + 1;
    out = out << kWarpBits | s.by.warp;
    out = out << kLaneBits | s.by.lane;
    return out << kSiteBits | s.by.site;
}

Writer unpacked(uint64_t word) {
    const auto take = [&](int bits) {
        const uint64_t low = word & ((uint64_t{1} << bits) - 1);
        word >>= bits;
        return low;
    };
    Writer out;
    out.site = static_cast<uint32_t>(take(kSiteBits));
    out.lane = static_cast<int>(take(kLaneBits)), out.warp = static_cast<int>(take(kWarpBits));
    out.block = static_cast<int64_t>(word) - 1;
    return out;
}

void keep_later(std::atomic<uint64_t>& kept, uint64_t word) {
    constexpr int kBelow = kSiteBits + kLaneBits + kWarpBits;
    uint64_t now = kept.load(std::memory_order_relaxed);
    while (word >> kBelow >= now >> kBelow &&
           !kept.compare_exchange_weak(now, word, std::memory_order_relaxed)) {}
}

// An array whose stores are followed, by several threads at once.
struct Followed {
    std::string name;
    size_t size = 0;  // bytes of an element
    std::vector<std::atomic<uint64_t>> last;
    std::vector<std::atomic<uint32_t>> stores;
    Followed(std::string array, size_t bytes, int64_t elements) :
        name(std::move(array)),
        size(bytes),
        last(static_cast<size_t>(elements)),
        stores(static_cast<size_t>(elements)) {}
};

void take(Followed& array, const execution::Stored& s) {
    const uint64_t end = (s.offset + s.bytes - 1) / array.size, word = packed(s);
    for (uint64_t e = s.offset / array.size; e <= end && e < array.last.size(); ++e) {
        keep_later(array.last[e], word);
        array.stores[e].fetch_add(1, std::memory_order_relaxed);
    }
}

std::vector<Writer> writers_of(const Followed& array) {
    std::vector<Writer> out;
    out.reserve(array.last.size());
    for (size_t i = 0; i < array.last.size(); ++i) {
        out.push_back(unpacked(array.last[i].load()));
        out.back().stores = array.stores[i].load();
    }
    return out;
}

execution::RunResult run_following(
    const Experiment& e, const char* stage, uint64_t budget, Prepared& prepared, std::deque<Followed>& arrays
) {
    execution::RunOptions run = run_options(e.options, stage);
    run.budget = budget;
    run.checks = {.races = false, .uninitialised = false, .uniform = false}, run.marks = false;
    run.record = true, run.max_events = 0;
    run.on_store = [&](const execution::Stored& s) {
        for (Followed& array : arrays)
            if (s.array == array.name) return take(array, s);
    };
    return e.options.executor.prepare(e.module, e.entry).run(prepared.launch, prepared.memory, run);
}

// Elements all of whose bytes were set before the launch.
std::vector<uint8_t> held_in(const execution::GlobalMemory& memory, const Followed& array) {
    std::vector<uint8_t> held(array.last.size(), 1);
    for (const execution::Allocation& a : memory.allocations) {
        if (a.name != array.name || a.written.empty()) continue;
        for (size_t i = 0; i < held.size(); ++i) {
            const auto first = a.written.begin() + static_cast<std::ptrdiff_t>(i * array.size);
            const bool all = std::all_of(
                first, first + static_cast<std::ptrdiff_t>(array.size), [](uint8_t set) { return set != 0; }
            );
            held[i] = all ? 1 : 0;
        }
    }
    return held;
}

const manifest::BoundArgument& array_named(const manifest::Problem& problem, const std::string& name) {
    std::vector<std::string> known;
    for (const manifest::BoundArgument& a : problem.args) {
        if (a.array && a.name == name) return a;
        if (a.array) known.push_back(a.name);
    }
    const std::string near = nearest_word(name, known);
    throw Error(fmt::format(
        "--array {}: {} has no such array; {}",
        name,
        problem.kernel.name,
        near.empty() ? "it has " + join(known, ", ") : "did you mean '" + near + "'?"
    ));
}

std::vector<WrittenArray> wanted_arrays(const manifest::Problem& problem, std::vector<std::string> names) {
    if (names.empty())
        for (const manifest::BoundArgument& a : problem.args)
            if (a.array && a.output) names.push_back(a.name);
    if (names.empty()) throw Error(problem.kernel.name + " has no output; name an array with --array");
    std::vector<WrittenArray> out;
    for (const std::string& name : names) {
        const manifest::BoundArgument& a = array_named(problem, name);
        const int64_t elements = wl::elements(a.data.shape);
        if (elements > kMostElements)
            throw Error(fmt::format(
                "--array {}: it has {} elements, and the writers of at most {} are kept",
                name,
                elements,
                kMostElements
            ));
        out.push_back({name, a.data.dtype, a.data.shape, {}, {}, {}});
    }
    return out;
}

}  // namespace

std::optional<std::vector<Writer>> last_writers(const WritersQuestion& q) {
    const Options& options = q.experiment.options;
    if (!options.executor.can.record || q.elements > kMostElements || q.instructions > kMostInstructions)
        return std::nullopt;
    Prepared prepared = prepare(q.experiment);
    std::deque<Followed> arrays;
    arrays.emplace_back(q.array, q.size, q.elements);
    run_following(q.experiment, "diagnose", q.budget, prepared, arrays);
    return writers_of(arrays.front());
}

WritersReport array_writers(
    manifest::Problem problem, Options options, const std::vector<std::string>& arrays
) {
    options.reference = false;
    WritersReport report;
    report.arrays = wanted_arrays(problem, arrays);
    const Experiment e = make_experiment(std::move(problem), options, report.about);
    const execution::Executor& executor = options.executor;
    if (!executor.can.record) throw Error(executor.name + " records no stores");
    describe_launch(e, executor.prepare(e.module, e.entry), report.about);
    Prepared prepared = prepare(e);
    std::deque<Followed> followed;
    for (WrittenArray& a : report.arrays) {
        followed.emplace_back(a.name, size_of(a.dtype), wl::elements(a.shape));
        a.held = held_in(prepared.memory, followed.back());
    }
    const execution::RunResult result = run_following(e, "run", options.budget, prepared, followed);
    if (result.cancelled) throw_cancelled();
    report.about.seconds.emplace_back("run", result.seconds);
    if (result.blocks < count(report.about.launch.grid))
        report.stopped =
            fmt::format("{} of {} blocks came to their end", result.blocks, count(report.about.launch.grid));
    for (size_t i = 0; i < report.arrays.size(); ++i) {
        WrittenArray& a = report.arrays[i];
        a.writers = writers_of(followed[i]);
        a.coverage = analysis::coverage_of(a.shape, a.writers, a.held);
    }
    return report;
}

}  // namespace wl::diagnosis
