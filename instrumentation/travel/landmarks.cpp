// Anchors are gathered as far as they are asked for, and kept.
#include "instrumentation/travel/landmarks.h"

#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/travel/trace.h"

#include <algorithm>
#include <functional>

namespace wl::travel {
namespace {

using emulator::Here;

void pass(const Route& route, Landmarks& known, const Here& here) {
    if (known.anchors.empty()) known.anchors.push_back({kStartLabel, here.time});
    known.last = here.time;
    if (known.at_barrier) known.anchors.push_back({barrier_label(known.barriers++, true), here.time});
    known.at_barrier = is_block_barrier(*route.instructions[here.site]);
    if (known.at_barrier) known.anchors.push_back({barrier_label(known.barriers, false), here.time});
    const std::string& stage = route.stages[here.site];
    if (!stage.empty()) known.anchors.push_back({stage_label(stage, known.stages[stage]++), here.time});
}

// Goes on until `enough`, which is asked after each anchor.
const Anchors& gather(Route& route, int warp, const std::function<bool(const Anchors&)>& enough) {
    Landmarks& known = route.landmarks[warp];
    if (known.complete || enough(known.anchors)) return known.anchors;
    const bool stopped = each_instant_from(route, known.known, warp, [&](const Here& here, bool) {
        const size_t before = known.anchors.size();
        pass(route, known, here);
        known.known = here.order + 1;
        return known.anchors.size() > before && enough(known.anchors);
    });
    if (stopped) return known.anchors;
    known.complete = true;
    known.anchors.push_back({kEndLabel, known.last});
    return known.anchors;
}

}  // namespace

bool is_block_barrier(const ptx::Instruction& in) {
    const std::string& m = in.mnemonic;
    return (m.starts_with("bar.") && !m.starts_with("bar.warp")) || m.starts_with("barrier.sync") ||
        m.starts_with("barrier.cta") || m.starts_with("barrier.arrive") || m.starts_with("barrier.red");
}

const std::string* tile_mark(const Route& route, uint32_t site) {
    const ptx::Instruction& in = *route.instructions[site];
    if (in.op != ptx::Op::mark) return nullptr;
    const ptx::Mark& m = route.function_of_site[site]->marks[static_cast<size_t>(in.mark)];
    const bool first = m.kind != ptx::Mark::Kind::fragment || in.operands[0].bits == 0;
    const bool taken = m.kind != ptx::Mark::Kind::stage && m.kind != ptx::Mark::Kind::layout && first;
    return taken ? &m.name : nullptr;
}

std::vector<LinePlace> line_places(const Route& route) {
    std::vector<char> theirs;  // by file
    for (const std::string& path : route.module->files) theirs.push_back(is_toolkit_header(path) ? 1 : 0);
    std::vector<LinePlace> places(route.sites.size());
    for (size_t i = 0; i < places.size(); ++i) {
        for (int s = static_cast<int>(i); s >= 0; s = route.sites[static_cast<size_t>(s)].inlined_at) {
            const capture::Site& site = route.sites[static_cast<size_t>(s)];
            if (site.source < 0 || site.line <= 0 || theirs[static_cast<size_t>(site.source)] != 0) continue;
            if (places[i].file >= 0)
                ++places[i].depth;
            else
                places[i] = {site.source, site.line, 0};
        }
    }
    return places;
}

const Anchors& anchors_around(Route& route, int warp, uint64_t time) {
    return gather(route, warp, [time](const Anchors& a) { return !a.empty() && a.back().time > time; });
}

const Anchors& anchors_up_to(Route& route, int warp, const Between& between) {
    return gather(route, warp, [&](const Anchors& a) {
        return std::any_of(a.rbegin(), a.rend(), [&](const Anchor& x) { return x.label == between.before; });
    });
}

}  // namespace wl::travel
