// Loops that a change keeps from a second turn, at all sizes.
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

constexpr uint64_t kSeveral = 2;  // turns

}  // namespace

std::vector<int> loops_stopped(
    const Watched& w, const Changed& changed, Executed& executed, OtherShape& shape
) {
    const Experiment& e = w.prover.experiment;
    if (e.options.debug || tries_on_device(e)) return {};
    const std::vector<int64_t> all;
    const Watched whole{w.prover, w.unit, w.source, all};
    if (!executed.instructions) {
        const CountedWork once(nullptr);
        executed.instructions = lines_executed(whole, e.module, Text::files).instructions;
    }
    const ExecutedLines now = lines_executed(whole, changed.module, Text::unit);
    if (now.lines.empty() || now.instructions >= *executed.instructions) return {};
    try {
        if (!executed.debug_build) executed.debug_build = debug_build_of(e);
        if (!executed.whole_debug) {
            const CountedWork once(nullptr);
            executed.whole_debug = lines_executed(whole, executed.debug_build->module, Text::files);
        }
        std::map<int, uint64_t> stopped = executed.whole_debug->turns;
        std::erase_if(stopped, [](const auto& loop) { return loop.second < kSeveral; });
        const auto keep_going = [&](const ExecutedLines& there) {
            std::erase_if(stopped, [&](const auto& loop) {
                const auto found = there.turns.find(loop.first);
                return found != there.turns.end() && found->second >= kSeveral;
            });
        };
        if (!stopped.empty())
            keep_going(lines_executed(whole, changed_module(*executed.debug_build, changed.text), Text::unit)
            );
        for (size_t k = 0; k < shape.shapes.size() && !stopped.empty(); ++k)
            keep_going(lines_there(shape.shapes[k], w, changed.text));
        if (!stopped.empty())
            for (const Shape& larger : larger_shapes(shape)) keep_going(lines_there(larger, w, changed.text));
        std::vector<int> out;
        for (const auto& [line, turns] : stopped) out.push_back(line);
        return out;
    } catch (const Error&) { return {}; } catch (const Unsupported&) {
        return {};
    }
}

}  // namespace wl::diagnosis
