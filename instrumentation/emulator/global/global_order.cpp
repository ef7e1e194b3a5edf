#include "instrumentation/emulator/global/global_order.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace wl::emulator {
namespace {

constexpr size_t kMostFences = 64;  // of one warp, remembered

void refresh(BlockOrder& order) {
    const Stamp now = order.shadow->clocks.now;
    if (now < order.latest) order.offset += kLastStamp + 1;  // the shadow has counted its stamps anew
    order.latest = now;
}

uint32_t at(const Known& known, size_t releaser) {
    return known != nullptr && releaser < known->size() ? (*known)[releaser] : 0;
}

bool covers(const Known& more, const Known& less) {
    if (less == nullptr || more == less) return true;
    if (more == nullptr || more->size() < less->size()) return false;
    for (size_t k = 0; k < less->size(); ++k)
        if ((*more)[k] < (*less)[k]) return false;
    return true;
}

Known joined(const Known& a, const Known& b) {
    if (covers(a, b)) return a;
    if (covers(b, a)) return b;
    std::vector<uint32_t> sum(std::max(a->size(), b->size()));
    for (size_t k = 0; k < sum.size(); ++k) sum[k] = std::max(at(a, k), at(b, k));
    return std::make_shared<const std::vector<uint32_t>>(std::move(sum));
}

Known with(const Known& known, size_t releaser, uint32_t count) {
    if (at(known, releaser) == count) return known;
    std::vector<uint32_t> changed = known != nullptr ? *known : std::vector<uint32_t>();
    changed.resize(std::max(changed.size(), releaser + 1));
    changed[releaser] = count;
    return std::make_shared<const std::vector<uint32_t>>(std::move(changed));
}

uint32_t releaser_of(GlobalOrder& all, const Agent& agent, bool block_only) {
    std::vector<uint32_t>& of_block = all.of_block[agent.block->block];
    for (const uint32_t r : of_block)
        if (all.releasers[r].warp == agent.warp && all.releasers[r].block_only == block_only) return r;
    of_block.push_back(static_cast<uint32_t>(all.releasers.size()));
    all.releasers.push_back({agent.block->block, agent.warp, block_only, {}});
    return of_block.back();
}

bool knows_moment(const BlockOrder& order, const PastAccess& past, int warp, int lane) {
    if (past.at <= order.offset) return true;
    return ordered(order.shadow->clocks, past.at - order.offset, past.warp, past.lane, warp, lane);
}

// The newest fence of the warp that the agent is ordered behind.
const Fence* fence_behind(const Agent& agent, int warp, bool block_only) {
    const std::vector<Fence>& fences = agent.block->warps[static_cast<size_t>(warp)].fences;
    for (size_t k = fences.size(); k-- > 0;) {
        const Fence& f = fences[k];
        if (f.block_only && !block_only) continue;
        if (warp == agent.warp) return &f;
        if (knows_moment(*agent.block, {agent.block->block, warp, f.lane, f.at}, agent.warp, agent.lane))
            return &f;
    }
    return nullptr;
}

// What a strong write of the agent hands on; nullptr: nothing, no fence stands before it.
Known released(GlobalOrder& all, const Agent& agent, bool block_only) {
    if (!agent.block->fenced) return nullptr;
    Moments seen{};
    Known known;
    bool any = false;
    for (int warp = 0; warp < agent.block->shadow->clocks.warps; ++warp) {
        const Fence* f = fence_behind(agent, warp, block_only);
        if (f == nullptr) continue;
        any = true;
        for (size_t k = 0; k < seen.size(); ++k) seen[k] = std::max(seen[k], f->seen[k]);
        known = joined(known, f->known);
    }
    if (!any) return nullptr;
    const uint32_t r = releaser_of(all, agent, block_only);
    std::vector<Moments>& made = all.releasers[r].made;
    if (made.empty() || made.back() != seen) made.push_back(seen);
    return with(known, r, static_cast<uint32_t>(made.size()));
}

void set(Known& held, const Known& handed, bool update) { held = update ? joined(held, handed) : handed; }

}  // namespace

namespace {

// What the warp's reads have just acquired, but for what the block knows besides.
void take_back(BlockOrder& order, WarpOrder& own) {
    std::vector<uint32_t> left(order.known->size());
    for (size_t r = 0; r < left.size(); ++r) {
        left[r] = at(order.known, r);
        if (at(own.pending, r) <= at(own.before, r)) continue;
        left[r] = std::max(at(own.before, r), at(order.confirmed, r));
        for (const WarpOrder& other : order.warps)
            if (&other != &own) left[r] = std::max(left[r], at(other.pending, r));
    }
    order.known = std::make_shared<const std::vector<uint32_t>>(std::move(left));
    own.heard = {};
    own.pending = own.before = nullptr;
}

}  // namespace

void confirm(BlockOrder& order, int warp) {
    WarpOrder& own = order.warps[static_cast<size_t>(warp)];
    if (own.pending == nullptr) return;
    order.confirmed = joined(order.confirmed, own.pending);
    own.pending = own.before = nullptr;
}

void begin(BlockOrder& order, int64_t block, Shadow& shadow) {
    order = {};
    order.block = block;
    order.shadow = &shadow;
}

Moment now(BlockOrder& order, int warp) {
    refresh(order);
    return order.offset + order.shadow->clocks.warp[static_cast<size_t>(warp)].time;
}

void fence(BlockOrder& order, int warp, uint32_t mask, bool block_only) {
    WarpOrder& reader = order.warps[static_cast<size_t>(warp)];
    if (!block_only) reader.hands_on = order.wrote;
    if (block_only && reader.pending != nullptr)
        take_back(order, reader);
    else
        confirm(order, warp);
    Fence f;
    f.at = now(order, warp);
    f.lane = std::countr_zero(mask);
    f.block_only = block_only;
    f.known = order.known;
    Knowledge covered;
    release(*order.shadow, warp, mask, covered);
    for (size_t k = 0; k < f.seen.size(); ++k)
        if (covered.warps[k] != 0) f.seen[k] = order.offset + covered.warps[k];
    for (const ThreadStamp& lane : covered.lanes) {
        Moment& seen = f.seen[static_cast<size_t>(lane.thread / 32)];
        seen = std::max(seen, order.offset + lane.stamp);
    }
    const auto self = static_cast<size_t>(warp);
    f.seen[self] = std::max(f.seen[self], f.at);
    refresh(order);
    WarpOrder& own = order.warps[self];
    own.covered = std::move(covered);
    if (!own.touched && !own.fences.empty()) {
        Fence& last = own.fences.back();
        const Moment mine = std::exchange(last.seen[self], f.seen[self]);
        if (last.seen == f.seen && last.known == f.known && last.block_only == block_only) return;
        last.seen[self] = mine;
    }
    own.touched = false;
    order.fenced = true;
    if (own.fences.size() == kMostFences) own.fences.erase(own.fences.begin());
    own.fences.push_back(std::move(f));
}

void strong_write(GlobalOrder& all, const Agent& agent, uint64_t location, bool update) {
    refresh(*agent.block);
    const Known everywhere = released(all, agent, false), within = released(all, agent, true);
    if (everywhere == nullptr && within == nullptr && all.locations.empty()) return;
    const auto known = all.locations.find(location);
    if (everywhere == nullptr && within == nullptr && known == all.locations.end()) return;
    Location& l = known != all.locations.end() ? known->second : all.locations[location];
    set(l.all, everywhere, update);
    const bool same_block = l.block == agent.block->block;
    if (same_block) set(l.within, within, update);
    if (same_block || within == nullptr) return;
    l.within = within;
    l.block = agent.block->block;
}

void strong_read(GlobalOrder& all, const Agent& agent, uint64_t location, bool acquires) {
    if (all.locations.empty()) return;
    const auto found = all.locations.find(location);
    if (found == all.locations.end()) return;
    BlockOrder& block = *agent.block;
    WarpOrder& own = block.warps[static_cast<size_t>(agent.warp)];
    const Location& l = found->second;
    for (const Known& from : {l.all, l.block == block.block ? l.within : Known()}) {
        if (from == nullptr || std::find(own.heard.begin(), own.heard.end(), from) != own.heard.end())
            continue;
        own.heard[own.next_heard++ % own.heard.size()] = from;
        const Known before = block.known;
        Known after = joined(before, from);
        // What the warp itself has released is no news to it, and none to the others yet.
        if (const auto mine = all.of_block.find(block.block); mine != all.of_block.end())
            for (const uint32_t r : mine->second)
                if (all.releasers[r].warp == agent.warp && after != nullptr)
                    after = with(after, r, at(before, r));
        if (acquires) {
            block.confirmed = joined(block.confirmed, from);
        } else if (from == l.all) {
            if (own.pending == nullptr) own.before = before;
            own.pending = joined(own.pending, from);
        }
        block.known = after;
    }
}

void raise_flag(BlockOrder& order, int warp, uint64_t location, bool update) {
    const WarpOrder& own = order.warps[static_cast<size_t>(warp)];
    if (own.fences.empty()) {
        if (!update && !order.flags.empty()) order.flags.erase(location);
        return;
    }
    MbarrierClock& flag = order.flags[location];
    if (!update) flag.released = {};
    flag.gathering = own.covered;
    complete_phase(flag);
}

void see_flag(BlockOrder& order, int warp, int lane, uint64_t location) {
    if (order.flags.empty()) return;
    const auto flag = order.flags.find(location);
    if (flag != order.flags.end()) acquire(order.shadow->clocks, warp, 1u << lane, flag->second.released);
}

bool ordered(const GlobalOrder& all, const PastAccess& past, const Agent& agent) {
    refresh(*agent.block);
    if (past.block == agent.block->block && knows_moment(*agent.block, past, agent.warp, agent.lane))
        return true;
    const auto releasers = all.of_block.find(past.block);
    if (releasers == all.of_block.end()) return false;
    const std::vector<uint32_t>& of_block = releasers->second;
    return std::any_of(of_block.begin(), of_block.end(), [&](uint32_t r) {
        const uint32_t count = at(agent.block->known, r);
        return count != 0 && all.releasers[r].made[count - 1][static_cast<size_t>(past.warp)] >= past.at;
    });
}

}  // namespace wl::emulator
