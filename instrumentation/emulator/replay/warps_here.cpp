// Reads the places of splits, and the barriers that they wait at.
#include "instrumentation/emulator/replay/warps_here.h"

#include "instrumentation/base/text.h"
#include "instrumentation/emulator/replay/inside.h"
#include "instrumentation/emulator/schedule/mbarrier.h"

#include <bit>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

// "1, 4-6": warps of which lanes have not come. One that is held back before a barrier, for the others to
// come first, stands there all the same.
std::string missing_warps(const Block& block, const Barrier& barrier) {
    std::vector<std::string> runs;
    const int warps = static_cast<int>(block.warps.size());
    const auto lacks = [&](int k) {
        const Warp& w = block.warps[static_cast<size_t>(k)];
        return (w.live & ~barrier.lanes[static_cast<size_t>(k)]) != 0 && !w.held_back;
    };
    for (int first = 0; first < warps; ++first) {
        if (!lacks(first)) continue;
        int last = first;
        while (last + 1 < warps && lacks(last + 1)) ++last;
        runs.push_back(first == last ? std::to_string(first) : fmt::format("{}-{}", first, last));
        first = last;
    }
    return join(runs, ", ");
}

std::string barrier_text(const Block& block, int id) {
    const Barrier& barrier = block.now.barriers[static_cast<size_t>(id)];
    if (barrier.expected != 0)
        return fmt::format("barrier {}: {} of {} threads are there", id, barrier.threads, barrier.expected);
    const std::string missing = missing_warps(block, barrier);
    return missing.empty() ? fmt::format("barrier {}: all are there", id)
                           : fmt::format("barrier {}: warps not there yet: {}", id, missing);
}

std::string waited_for(const Block& block, const Warp& w, const Split& s) {
    if (s.wait == Wait::none && w.held_back) return barrier_text(block, 0);
    switch (s.wait) {
        case Wait::barrier: return barrier_text(block, s.barrier);
        case Wait::mark: return "the mark of a tile: until the block's other warps are there";
        case Wait::collective: return "the other lanes that the instruction names";
        case Wait::convergence: return "the rest of its lanes, before a barrier";
        case Wait::none: break;
    }
    return s.polled ? describe_mbarrier(block, s.tested) : "";
}

}  // namespace

std::vector<StandingHere> warps_here(const Replayer& t) {
    const Block& block = block_inside(t);
    const Viewpoint now = viewpoint(t);
    std::vector<StandingHere> all;
    for (const Warp& w : block.warps) {
        if (w.live == 0) all.push_back({w.index, 0, 0, 0, {}, {}});
        for (int k = 0; k < w.split_count; ++k) {
            const Split& s = w.splits[static_cast<size_t>(k)];
            const bool goes_on = w.index == now.here.warp && s.pc == now.at;
            all.push_back({w.index, k, s.pc->site, s.mask, goes_on ? "" : waited_for(block, w, s), {}});
            for (const Frame* f = s.frame; f->call != nullptr; f = f->parent)
                all.back().calls.push_back(f->call->site);
        }
    }
    return all;
}

struct Glance::Before {
    Viewpoint from;
    Warp* warp = nullptr;
    Frame* frame = nullptr;
};

Glance::Glance(Replayer& t, const StandingHere& at) : t_(t), before_(new Before) {
    // Reading needs a warp that could be written; it is left as it was.
    Warp& w = const_cast<Warp&>(block_inside(t).warps[static_cast<size_t>(at.warp)]);
    *before_ = {viewpoint(t), &w, w.frame};
    Viewpoint other = before_->from;
    other.here.warp = at.warp;
    other.here.site = at.site;
    other.here.lanes = at.lanes;
    if (at.split < w.split_count) {
        const Split& s = w.splits[static_cast<size_t>(at.split)];
        w.frame = s.frame;
        other.at = s.pc;
        other.here.depth = s.frame->depth;
    }
    look_from(t, other);
}

Glance::~Glance() {
    before_->warp->frame = before_->frame;
    look_from(t_, before_->from);
}

}  // namespace wl::emulator
