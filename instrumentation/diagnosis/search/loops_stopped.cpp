// Loops that a change keeps from a second turn, or leaves to one block or warp, at all sizes.
#include "instrumentation/base/error.h"
#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/search/left_out.h"
#include "instrumentation/diagnosis/search/other_shape.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/manifest/manifest.h"

#include <map>

namespace wl::diagnosis {

namespace {

// Of another shape the launch of the same entry.
ExecutedLines lines_there(const Shape& shape, const Watched& w, const std::string& text) {
    Experiment there = debug_build_of(*shape.experiment);
    const std::string& entry = manifest::launch_of(w.prover.experiment.problem).entry;
    const std::vector<manifest::BoundLaunch>& all = there.problem.launches;
    for (size_t k = 0; k < all.size(); ++k)
        if (all[k].entry == entry) {
            there.problem.at = k, there.entry = there.entries[k];
            break;
        }
    const ptx::Module module = changed_module(there, text);
    const std::vector<int64_t> every;
    Prover prover{there};
    return lines_executed({prover, w.unit, w.source, every}, module, Text::unit);
}

constexpr uint64_t kSeveral = 2;  // turns, blocks, warps

uint64_t turns_at(const ExecutedLines& of, int line) {
    const auto found = of.turns.find(line);
    return found == of.turns.end() ? 0 : found->second;
}

// How many blocks go round, and how many warps of each place in its block.
struct Goers {
    size_t blocks = 0, warps = 0;
};
Goers goers_at(const ExecutedLines& of, int line) {
    const auto found = of.goers.find(line);
    if (found == of.goers.end()) return {};
    std::set<int64_t> blocks;
    std::set<int> warps;
    for (const auto& [block, warp] : found->second) blocks.insert(block), warps.insert(warp);
    return {blocks.size(), warps.size()};
}

// Loops that several blocks, or several warps, shared before, of which one does more now and the others
// nothing. By line.
std::map<int, Goers> left_to_one(const ExecutedLines& before, const ExecutedLines& now) {
    std::map<int, Goers> out;
    for (const auto& [line, goers] : before.goers) {
        const Goers was = goers_at(before, line), is = goers_at(now, line);
        const Goers lone{
            was.blocks >= kSeveral && is.blocks == 1 ? was.blocks : 0,
            was.warps >= kSeveral && is.warps == 1 ? was.warps : 0};
        const bool more = turns_at(now, line) > turns_at(before, line);
        if (more && lone.blocks + lone.warps > 0) out.emplace(line, lone);
    }
    return out;
}

}  // namespace

Avoided loops_stopped(const Watched& w, const Changed& changed, Executed& executed, OtherShape& shape) {
    const Experiment& e = w.prover.experiment;
    if (e.options.debug || tries_on_device(e)) return {};
    const std::vector<int64_t> all;
    const Watched whole{w.prover, w.unit, w.source, all};
    if (!executed.whole) {
        const CountedWork once(nullptr);
        executed.whole = lines_executed(whole, e.module, Text::files);
    }
    const ExecutedLines now = lines_executed(whole, changed.module, Text::unit);
    const bool fewer = now.instructions < executed.whole->instructions;
    Avoided out{.does_more = now.instructions / 5 > executed.whole->instructions / 4};
    if (now.lines.empty() || (!fewer && left_to_one(*executed.whole, now).empty())) return out;
    try {
        if (!executed.debug_build) executed.debug_build = debug_build_of(e);
        if (!executed.whole_debug) {
            const CountedWork once(nullptr);
            executed.whole_debug = lines_executed(whole, executed.debug_build->module, Text::files);
        }
        const ExecutedLines here =
            lines_executed(whole, changed_module(*executed.debug_build, changed.text), Text::unit);
        std::map<int, uint64_t> stopped = executed.whole_debug->turns;
        std::erase_if(stopped, [&](const auto& loop) { return !fewer || loop.second < kSeveral; });
        std::map<int, Goers> lone = left_to_one(*executed.whole_debug, here);
        const auto keep_going = [&](const ExecutedLines& there) {
            std::erase_if(stopped, [&](const auto& loop) { return turns_at(there, loop.first) >= kSeveral; });
            for (auto& [line, goers] : lone) {
                if (goers_at(there, line).blocks >= kSeveral) goers.blocks = 0;
                if (goers_at(there, line).warps >= kSeveral) goers.warps = 0;
            }
            std::erase_if(lone, [](const auto& l) { return l.second.blocks + l.second.warps == 0; });
        };
        keep_going(here);
        const auto is_done = [&] { return stopped.empty() && lone.empty(); };
        for (size_t k = 0; k < shape.shapes.size() && !is_done(); ++k)
            keep_going(lines_there(shape.shapes[k], w, changed.text));
        if (!is_done())
            for (const Shape& larger : larger_shapes(shape)) keep_going(lines_there(larger, w, changed.text));
        for (const auto& [line, turns] : stopped) out.lines.push_back(line);
        out.left_to_one = out.lines.empty() && !lone.empty();
        if (out.left_to_one)
            for (const auto& [line, was] : lone) out.lines.push_back(line);
        return out;
    } catch (const Error&) { return {}; } catch (const Unsupported&) {
        return {};
    }
}

}  // namespace wl::diagnosis
