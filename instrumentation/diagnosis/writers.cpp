#include "instrumentation/diagnosis/writers.h"

#include "instrumentation/diagnosis/sequence.h"

#include <atomic>

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

}  // namespace

std::optional<std::vector<Writer>> last_writers(const WritersQuestion& q) {
    const Options& options = q.experiment.options;
    if (!options.executor.can.record || q.elements > kMostElements || q.instructions > kMostInstructions)
        return std::nullopt;
    Prepared prepared = prepare(q.experiment);
    std::vector<std::atomic<uint64_t>> kept(static_cast<size_t>(q.elements));
    execution::RunOptions run = run_options(options, "diagnose");
    run.checks = {.races = false, .uninitialised = false, .uniform = false}, run.marks = false;
    run.record = true, run.max_events = 0;
    run.on_store = [&](const execution::Stored& s) {
        if (s.array != q.array) return;
        const uint64_t last = (s.offset + s.bytes - 1) / q.size, word = packed(s);
        for (uint64_t e = s.offset / q.size; e <= last && e < kept.size(); ++e) keep_later(kept[e], word);
    };
    options.executor.prepare(q.experiment.module, q.experiment.entry)
        .run(prepared.launch, prepared.memory, run);
    std::vector<Writer> out;
    out.reserve(kept.size());
    for (const std::atomic<uint64_t>& word : kept) out.push_back(unpacked(word.load()));
    return out;
}

}  // namespace wl::diagnosis
