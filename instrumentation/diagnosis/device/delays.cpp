#include "instrumentation/diagnosis/device/delays.h"

#include "instrumentation/analysis/diff_elements.h"
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/ptx/edit/edit.h"
#include "instrumentation/ptx/edit/position.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace wl::diagnosis {
namespace {

using execution::Incident;

constexpr uint64_t kDelay = 20'000;  // ns; nanosleep takes up to twice as long (PTX ISA 9.0, 9.7.13.16)

// The instruction that a listing numbers so.
std::optional<ptx::Place> place_of(const ptx::Module& m, const execution::Listing& listing, uint32_t site) {
    for (const int f : listing.functions) {
        const ptx::Function& function = m.functions[static_cast<size_t>(f)];
        if (function.is_declaration) continue;
        if (site < function.code.size()) return ptx::Place{static_cast<size_t>(f), site};
        site -= static_cast<uint32_t>(function.code.size());
    }
    return std::nullopt;
}

// In warps whose number, with the block's, hashes to an odd one.
std::string delay_text(uint64_t seed) {
    return ptx::position_text() +
        fmt::format(
               R"(
    .reg .b32 mix;
    .reg .pred late;
    cvt.u32.u64 mix, block;
    mad.lo.u32 mix, mix, 37, warp;
    add.u32 mix, mix, {seed};
    mul.lo.u32 mix, mix, 2654435761;
    shr.u32 mix, mix, 13;
    and.b32 mix, mix, 1;
    setp.ne.u32 late, mix, 0;
    @late nanosleep.u32 {delay};
)",
               fmt::arg("seed", seed * 97),
               fmt::arg("delay", kDelay)
        );
}

struct Left {
    std::vector<std::vector<std::byte>> outputs;  // of the arguments that are outputs
    std::string fault;
    bool steady = true;
};

Left run_on(const Experiment& e, const ptx::Module& module, const execution::Executor& device) {
    Prepared p = prepare(e);
    execution::RunOptions options = run_options(e.options, "explore");
    options.marks = false;
    const execution::RunResult result = device.prepare(module, e.entry).run(p.launch, p.memory, options);
    if (result.cancelled) throw_cancelled();
    Left left;
    for (const Incident& i : result.incidents)
        if (i.kind == Incident::Kind::device_fault) left.fault = i.detail;
    left.steady = std::none_of(result.notes.begin(), result.notes.end(), [](const std::string& note) {
        return note.starts_with("two runs of the plain kernel differ");
    });
    for (const manifest::BoundArgument& a : e.problem.args)
        if (a.array && a.output) left.outputs.push_back(array_of(p.memory, a.name));
    return left;
}

// Counts into the pair what differs.
void compare(const Experiment& e, const Left& plain, const Left& delayed, uint64_t seed, DelayedPair& pair) {
    int64_t changed = 0;
    size_t k = 0;
    for (const manifest::BoundArgument& a : e.problem.args) {
        if (!a.array || !a.output) continue;
        const std::vector<std::byte>&was = plain.outputs[k], &is = delayed.outputs[k];
        ++k;
        if (was == is) continue;
        const std::vector<double> x = analysis::widen(a.data.dtype, was),
                                  y = analysis::widen(a.data.dtype, is);
        const size_t size = size_of(a.data.dtype);
        for (size_t i = 0; i < x.size(); ++i) {
            if (std::memcmp(was.data() + i * size, is.data() + i * size, size) == 0) continue;
            ++changed;
            const double difference = std::abs(x[i] - y[i]);
            if (std::isfinite(difference)) pair.largest = std::max(pair.largest, difference);
        }
    }
    if (changed > 0 && pair.changed++ == 0) pair.seed = seed;
    pair.elements = std::max(pair.elements, changed);
}

struct Pair {
    DelayedPair told;
    ptx::Place first, second;
};

std::vector<Pair> pairs_of(
    const Experiment& e, const execution::Listing& listing, const std::vector<Incident>& seen
) {
    std::vector<Pair> out;
    for (const Incident& i : seen) {
        if (!is_race(i.kind)) continue;
        const auto first = place_of(e.module, listing, i.first.site),
                   second = place_of(e.module, listing, i.second.site);
        if (!first || !second) continue;
        const auto line = [&](const ptx::Place& p) {
            return ptx::describe(e.module, e.module.functions[p.function].code[p.at].location);
        };
        const std::string text = line(*first) + " and " + line(*second);
        const bool known =
            std::any_of(out.begin(), out.end(), [&](const Pair& p) { return p.told.text == text; });
        if (known) continue;
        out.push_back({{}, *first, *second});
        out.back().told.text = text;
    }
    return out;
}

}  // namespace

DeviceExploration explore_on(
    const Experiment& e, const std::vector<Incident>& seen, uint64_t runs, const execution::Executor& device
) {
    DeviceExploration out{device.name, true, {}, {}};
    const ptx::Function& entry = entry_of(e.module, e.entry);
    const execution::Listing listing =
        execution::list(e.module, static_cast<int>(&entry - e.module.functions.data()));
    std::vector<Pair> pairs = pairs_of(e, listing, seen);
    if (pairs.empty()) return out;
    const Left plain = run_on(e, e.module, device);
    out.steady = plain.steady, out.fault = plain.fault;
    for (uint64_t run = 0; run < runs && out.fault.empty(); ++run) {
        Pair& pair = pairs[run % pairs.size()];
        const uint64_t seed = run / pairs.size();
        ptx::Module delayed = e.module;
        const ptx::Place at = seed % 2 == 0 ? pair.first : pair.second;
        const ptx::Edit edit = ptx::insert_before(delayed, {at}, delay_text(seed));
        if (!edit)
            throw Unsupported(
                "unsupported: no delay can be put before " + pair.told.text + ": " + edit.refused
            );
        const Left left = run_on(e, delayed, device);
        ++pair.told.runs;
        if (left.fault.empty()) {
            compare(e, plain, left, seed, pair.told);
        } else {
            ++pair.told.faults;
            out.fault = "with a delay, " + left.fault;
        }
    }
    for (Pair& pair : pairs) out.pairs.push_back(std::move(pair.told));
    return out;
}

std::string device_text(const DeviceExploration& x) {
    std::string out = fmt::format("on {}:\n", x.device);
    if (x.pairs.empty()) return out + "  no races to delay\n";
    if (!x.steady) out += "  two runs of the plain kernel already differ\n";
    for (const DelayedPair& p : x.pairs) {
        if (p.runs == 0) continue;
        out += fmt::format("  {}: delayed in {} runs, ", p.text, p.runs);
        if (p.changed > 0)
            out += fmt::format(
                "the outputs come out otherwise in {}: up to {} elements, by up to {:.4g}\n",
                p.changed,
                p.elements,
                p.largest
            );
        else
            out += "the outputs stay the same: harmless only as far as tried\n";
    }
    if (!x.fault.empty()) out += "  stopped there: " + x.fault + "\n";
    return out;
}

}  // namespace wl::diagnosis
