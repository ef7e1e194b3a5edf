// Which threads read what others write, by the accesses of their loads, stores and atomics. A word that
// several threads write, wherever in it, is each other's.
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/poison/poison.h"
#include "instrumentation/emulator/poison/poison_state.h"

#include <algorithm>
#include <unordered_map>

namespace wl::emulator {
namespace {

constexpr uint64_t kSeveral = UINT64_MAX;
constexpr size_t kMostReads = size_t{1} << 21;
constexpr uint32_t kWord = 4;

struct Read {
    uint32_t site = 0;
    uint64_t thread = 0;
    bool operator==(const Read&) const = default;
};

struct Accesses {
    std::vector<ReadAndWrite> pairs;
    const PoisonPlan* plan = nullptr;
    std::unordered_map<uint64_t, uint64_t> writer;            // by word: a thread, or kSeveral
    std::unordered_map<uint64_t, std::vector<Read>> readers;  // by word
    size_t reads = 0;
};

uint32_t bytes_of_access(const ptx::Instruction& in) {
    const uint32_t element = in.types.empty() ? kWord : ptx::bytes_of(in.types[0]);
    return element * std::max<uint32_t>(in.modifiers.vector, 1);
}

void note(Accesses& a, Warp& w, const Instr* i) {
    const auto is = [&](auto member) {
        return std::any_of(a.pairs.begin(), a.pairs.end(), [&](const ReadAndWrite& p) {
            return p.*member == i->site;
        });
    };
    const PoisonStep& step = a.plan->steps[code_index(*w.block, i)];
    const bool access =
        step.way == PoisonWay::load || step.way == PoisonWay::store || step.way == PoisonWay::atomic;
    const bool reads = access && is(&ReadAndWrite::read), writes = access && is(&ReadAndWrite::write);
    if (!reads && !writes) return;
    const uint32_t bytes = bytes_of_access(*step.in);
    const uint32_t lanes = i->guard == kNoGuard ? w.mask : w.mask & read_predicate(w, i->guard);
    const auto block = static_cast<uint64_t>(w.block->now.index);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const MemoryForm f = decode(i->target);
        const auto at = locate(w, {f.space, lane, address_of(w, i, f.wide_base, lane), bytes, false});
        if (!at || (at->space != ptx::Space::shared && at->allocation == nullptr)) continue;
        const uint64_t base =
            at->allocation != nullptr ? at->allocation->base : uint64_t{1} << 63 | block << 32;
        const uint64_t thread =
            block * count(w.block->context.launch->block) + static_cast<uint64_t>(w.index * kLanes + lane);
        for (uint64_t word = (base + at->offset) / kWord; word * kWord < base + at->offset + bytes; ++word) {
            if (writes) {
                const auto [known, fresh] = a.writer.try_emplace(word, thread);
                if (!fresh && known->second != thread) known->second = kSeveral;
            }
            std::vector<Read>* const there = reads ? &a.readers[word] : nullptr;
            const Read read{i->site, thread};
            if (there == nullptr || std::find(there->begin(), there->end(), read) != there->end()) continue;
            there->push_back(read);
            ++a.reads;
        }
    }
}

RacingReads racing(const Accesses& a) {
    RacingReads out;
    for (const auto& [word, readers] : a.readers) {
        const auto writer = a.writer.find(word);
        if (writer == a.writer.end()) continue;
        for (const Read& r : readers)
            if (writer->second != r.thread) out.threads[r.site].insert(r.thread);
    }
    return out;
}

}  // namespace

std::optional<RacingReads> racing_reads(
    const WatchedLaunch& run, const std::vector<ReadAndWrite>& pairs, const PoisonOptions& options
) {
    if (run.launch.cooperative) return {};
    const PoisonPlan plan = plan_poison(run.module, run.program);
    Accesses a;
    a.pairs = pairs, a.plan = &plan;
    WatchedBlocks watched = watched_blocks(run, options.schedule_seed);
    watched.watcher.before = [&a](Warp& w, const Instr* i) {
        note(a, w, i);
        return true;
    };
    const auto begun = [](const Block&) {};
    const auto goes_on = [&](uint64_t, uint64_t) { return a.reads < kMostReads; };
    const int64_t blocks =
        run_watched(watched, run, {options.blocks, options.most_instructions}, begun, goes_on);
    if (blocks < static_cast<int64_t>(count(run.launch.grid))) return {};
    return racing(a);
}

}  // namespace wl::emulator
