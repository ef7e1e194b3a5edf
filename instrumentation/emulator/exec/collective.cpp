// Warp-wide instructions as the shadows see them: by them, what lanes have read is done.
#include "instrumentation/emulator/exec/collective.h"

#include "instrumentation/base/lanes_text.h"
#include "instrumentation/emulator/exec/matrix/matrix.h"
#include "instrumentation/emulator/global/global_shadow.h"
#include "instrumentation/emulator/observe/incidents.h"

#include <fmt/format.h>
#include <utility>

namespace wl::emulator {
namespace {

void take_in(Warp& w, const Instr* i, uint32_t lanes) {
    take_in(w.block->shadow, w.index, i->site, lanes);
    if (w.block->global != nullptr) take_in(*w.block->global, w.index, i->site, lanes);
}

// Lanes whose register names the same of those which have not exited.
uint32_t naming(const Warp& w, const uint32_t* members, uint32_t named) {
    const uint32_t live = w.live, wanted = named & live;
    return mask_of([=](int lane) { return (members[lane] & live) == wanted; });
}

void report_mask(Warp& w, const Instr* i, uint32_t lanes, std::string detail) {
    Incident incident;
    incident.kind = Incident::Kind::lane_not_in_mask;
    incident.first = witness(w, i, lanes);
    incident.detail = std::move(detail);
    report(*w.block, std::move(incident));
}

// Nobody else of the block can run, and the first group still waits.
void report_never_together(Warp& w, const Instr* i, const uint32_t* members) {
    const int first = first_lane(w.mask);
    const uint32_t named = members[first], group = naming(w, members, named) & w.mask,
                   missing = named & w.live & ~group, others = missing & w.mask;
    if (others == 0)
        return report_mask(
            w,
            i,
            missing,
            fmt::format(
                "{}, named in the member mask {:#010x} of {}, never come with that mask",
                lanes_named(missing),
                named,
                lanes_named(group)
            )
        );
    const int other = first_lane(others);
    report_mask(
        w,
        i,
        group | others,
        fmt::format(
            "lane {} executes it with the member mask {:#010x}, which names lane {}; that one executes it "
            "with {:#010x}",
            first,
            named,
            other,
            members[other]
        )
    );
}

}  // namespace

void take_in(Warp& w, const Instr* i) { take_in(w, i, w.exists); }

void take_in(Warp& w, const Instr* i, const uint32_t* members) {
    for (uint32_t rest = w.mask; rest != 0;) {
        const uint32_t named = members[first_lane(rest)];
        const uint32_t lanes = naming(w, members, named) & w.mask;
        take_in(w, i, lanes);
        rest &= ~lanes;
    }
}

void report_outside_mask(Warp& w, const Instr* i, const uint32_t* members) {
    const uint32_t outside = mask_of([=](int lane) { return (members[lane] >> lane & 1) == 0; }) & w.mask;
    if (outside == 0) return;
    const int first = first_lane(outside);
    report_mask(
        w,
        i,
        outside,
        fmt::format(
            "{}, not in {} own member mask; lane {} names {:#010x}",
            lanes_named(outside),
            (outside & (outside - 1)) == 0 ? "its" : "their",
            first,
            members[first]
        )
    );
}

void report_exited_members(Warp& w, const Instr* i, const uint32_t* members) {
    uint32_t exited = 0;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) exited |= members[first_lane(rest)];
    exited &= w.exists & ~w.live;
    if (exited == 0) return;
    report_mask(w, i, exited, lanes_named(exited) + ", named in the member mask, have exited");
}

Standing gather_by_masks(Warp& w, const Instr* i, const uint32_t* members) {
    report_outside_mask(w, i, members);
    uint32_t ready = 0, named = 0;
    for (uint32_t rest = w.mask; rest != 0;) {
        const uint32_t mask = members[first_lane(rest)], group = naming(w, members, mask) & w.mask;
        if ((mask & w.live & ~group) == 0) ready |= group;
        named |= mask;
        rest &= ~group;
    }
    Split& s = running(w);
    if (std::exchange(s.forced, false) && ready != w.mask) {
        report_never_together(w, i, members);
        ready = w.mask;
    }
    if (ready == w.mask) return Standing::complete;
    if (ready == 0) {
        s.members = named & w.exists;
        wait_at(w, i, Wait::collective);
        return Standing::waiting;
    }
    close_segment(w, i);
    part(w, ready, i);
    return Standing::parted;
}

}  // namespace wl::emulator
