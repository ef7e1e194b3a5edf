#include "instrumentation/diagnosis/orders/idle_reads.h"

#include "instrumentation/capture/notes.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/poison/poison.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace wl::diagnosis {

namespace {

using execution::Incident;

constexpr uint64_t kMostInstructions = uint64_t{1} << 23;  // of warps, for each pass

const ptx::Instruction* instruction_at(const Experiment& e, uint32_t site) {
    const auto at = code_place(e.module, entry_of(e.module, e.entry), site);
    return at ? &e.module.functions[at->function].code[at->index] : nullptr;
}

bool is_load(const ptx::Instruction* in) {
    return in != nullptr && ptx::traits_of(*in).memory == ptx::Memory::load &&
        ptx::traits_of(*in).extent == ptx::Extent::typed && ptx::traits_of(*in).flow == ptx::Flow::load;
}

bool is_write(const ptx::Instruction* in) {
    return in != nullptr &&
        (ptx::traits_of(*in).flow == ptx::Flow::store || ptx::traits_of(*in).flow == ptx::Flow::atomic);
}

std::optional<emulator::ReadAndWrite> read_and_write(const Experiment& e, const Incident& i) {
    if (!is_race(i.kind) || i.first.write == i.second.write) return {};
    const execution::Access &read = i.first.write ? i.second : i.first,
                            &write = i.first.write ? i.first : i.second;
    if (!is_load(instruction_at(e, read.site)) || !is_write(instruction_at(e, write.site))) return {};
    return emulator::ReadAndWrite{read.site, write.site};
}

struct Followed {
    std::set<uint32_t> idle;  // reads
    bool whole = false;
};

// Values of several reads that meet in one are reported as one's: a read is idle where, of those that are,
// none was used.
Followed follow(const Experiment& e, const std::vector<emulator::ReadAndWrite>& pairs) {
    const auto program = emulator::lower(e.module, e.entry);
    emulator::PoisonOptions options;
    options.most_instructions = kMostInstructions, options.schedule_seed = e.options.schedule_seed;
    Prepared first = prepare(e);
    auto reads = emulator::racing_reads({e.module, *program, first.launch, first.memory}, pairs, options);
    Followed out;
    if (!reads) return out;
    options.on_progress = run_options(e.options, "trace").on_progress;
    const auto blocks = static_cast<int64_t>(count(manifest::launch_of(e.problem).grid));
    while (!reads->threads.empty()) {
        options.reads = &*reads;
        options.until.clear();
        for (const auto& [site, threads] : reads->threads) options.until.push_back({site});
        Prepared prepared = prepare(e);
        const emulator::PoisonTrace trace =
            emulator::trace_poison({e.module, *program, prepared.launch, prepared.memory}, options);
        if (trace.cancelled) throw_cancelled();
        if (trace.blocks < blocks) return out;
        const size_t before = reads->threads.size();
        std::erase_if(reads->threads, [&](const auto& read) {
            return !std::binary_search(trace.harmless.begin(), trace.harmless.end(), read.first);
        });
        if (reads->threads.size() < before) continue;
        for (const auto& [site, threads] : reads->threads) out.idle.insert(site);
        out.whole = true;
        return out;
    }
    return out;
}

void note(const Experiment& e, uint32_t site, const char* what, capture::Capture& c) {
    const std::string at = quoted(c, where_of(e.module, entry_of(e.module, e.entry), site));
    const std::string text = fmt::format(
        "{}{} at {}: its value reaches no store, no branch and no address, so it is no finding",
        capture::kAside,
        what,
        at
    );
    if (std::find(c.notes.begin(), c.notes.end(), text) == c.notes.end()) c.notes.push_back(text);
}

// Whether the launch ends, and what it leaves.
struct Left {
    bool ends = true;
    std::vector<std::vector<std::byte>> memory;
    bool operator==(const Left&) const = default;
};
Left left_with(const Experiment& e, const emulator::Program& program, std::optional<uint32_t> of_absent) {
    Prepared prepared = prepare(e);
    execution::RunOptions options = run_options(e.options, "trace");
    options.threads = 1, options.marks = false, options.of_absent_lane = of_absent;
    options.checks = {.races = false, .uninitialised = false, .uniform = false};
    const execution::RunResult result = emulator::run(program, prepared.launch, prepared.memory, options);
    if (result.cancelled) throw_cancelled();
    Left out;
    out.ends = result.blocks == count(prepared.launch.grid);
    for (execution::Allocation& a : prepared.memory.allocations) out.memory.push_back(std::move(a.bytes));
    return out;
}

}  // namespace

bool drop_idle_reads(const Experiment& e, capture::Capture& c, std::vector<Incident>& incidents) {
    std::vector<emulator::ReadAndWrite> pairs;
    for (const Incident& i : incidents)
        if (const auto pair = read_and_write(e, i)) pairs.push_back(*pair);
    if (pairs.empty()) return false;
    const Followed followed = follow(e, pairs);
    std::erase_if(incidents, [&](const Incident& i) {
        const auto pair = read_and_write(e, i);
        if (!pair || !followed.idle.contains(pair->read)) return false;
        note(e, pair->read, "a read that nothing orders against a write", c);
        return true;
    });
    return true;
}

bool drop_idle_shuffles(const Experiment& e, capture::Capture& c, std::vector<Incident>& incidents) {
    const auto is_absent = [](const Incident& i) {
        return i.kind == Incident::Kind::lane_not_in_mask && i.detail == emulator::kInactiveSource;
    };
    if (std::none_of(incidents.begin(), incidents.end(), is_absent)) return false;
    const auto program = emulator::lower(e.module, e.entry);
    const Left base = left_with(e, *program, std::nullopt);
    // NaN, the largest and the smallest of what a float and an integer can be.
    constexpr std::array<uint32_t, 4> kGiven{0xffffffff, 0x7f7fffff, 0xff7fffff, 0x80000000};
    for (const uint32_t given : kGiven)
        if (left_with(e, *program, given) != base) return true;
    std::erase_if(incidents, [&](const Incident& i) {
        if (!is_absent(i)) return false;
        note(e, i.first.site, "a shuffle reads a lane that takes no part", c);
        return true;
    });
    return true;
}

}  // namespace wl::diagnosis
