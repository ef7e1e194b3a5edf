// Directed seeds: the numbers of a pair of accesses as the digits of one number, each in its own base.
#include "instrumentation/emulator/global/explore.h"

#include "instrumentation/emulator/program/program.h"

#include <limits>

namespace wl::emulator {
namespace {

constexpr uint64_t kFirstDirected = uint64_t{1} << 62;

enum Kind : uint8_t { two_blocks, one_block, one_warp, kKinds };

struct Digits {
    uint64_t value = 0, weight = 1;
    bool fits = true;

    void put(uint64_t digit, uint64_t base) {
        fits = fits && digit < base && weight <= kFirstDirected / base;
        if (!fits) return;
        value += digit * weight;
        weight *= base;
    }
    uint64_t take(uint64_t base) {
        const uint64_t digit = value % base;
        value /= base;
        return digit;
    }
};

Kind kind_of(const PairOrder& o) {
    if (o.first.block != o.then.block) return two_blocks;
    return o.first.warp != o.then.warp ? one_block : one_warp;
}

}  // namespace

ScheduleSpace schedule_space(const Program& program, const Launch& launch) {
    return {
        program.code[kPlain].size(),
        count(launch.grid),
        (count(launch.block) + static_cast<size_t>(kLanes) - 1) / kLanes};
}

std::optional<uint64_t> directed_seed(const PairOrder& order, const ScheduleSpace& space) {
    const Kind kind = kind_of(order);
    Digits d;
    d.put(kind, kKinds);
    for (const AccessPoint* p : {&order.first, &order.then}) d.put(p->site, space.sites);
    for (const AccessPoint* p : {&order.first, &order.then}) {
        const bool again = p == &order.then;
        if (!again || kind == two_blocks) d.put(static_cast<uint64_t>(p->block), space.blocks);
        if (!again || kind != one_warp) d.put(static_cast<uint64_t>(p->warp), space.warps);
        if (kind == one_warp) d.put(static_cast<uint64_t>(p->lane), kLanes);
    }
    const auto epoch = kind == two_blocks ? 0 : static_cast<uint64_t>(order.epoch);
    d.put(epoch, epoch + 1);
    if (!d.fits) return {};
    return kFirstDirected + d.value;
}

std::optional<PairOrder> directed_by(uint64_t seed, const ScheduleSpace& space) {
    if (!is_directed(seed)) return {};
    Digits d{seed - kFirstDirected};
    const auto kind = static_cast<Kind>(d.take(kKinds));
    PairOrder order;
    for (AccessPoint* p : {&order.first, &order.then}) p->site = static_cast<uint32_t>(d.take(space.sites));
    for (AccessPoint* p : {&order.first, &order.then}) {
        const bool again = p == &order.then;
        p->block =
            !again || kind == two_blocks ? static_cast<int64_t>(d.take(space.blocks)) : order.first.block;
        p->warp = !again || kind != one_warp ? static_cast<int>(d.take(space.warps)) : order.first.warp;
        if (kind == one_warp) p->lane = static_cast<int>(d.take(kLanes));
    }
    const uint64_t most = kind == two_blocks ? 0 : std::numeric_limits<int>::max();
    if (d.value > most || kind_of(order) != kind) return {};
    order.epoch = static_cast<int>(d.value);
    return order;
}

}  // namespace wl::emulator
