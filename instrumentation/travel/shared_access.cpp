// Instants by the trace, addresses by standing before each instruction.
#include "instrumentation/travel/shared_access.h"

#include "instrumentation/emulator/replay/memory_here.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/travel/fragment_memory.h"

#include <algorithm>
#include <set>

namespace wl::travel {
namespace {

using emulator::Here;

constexpr size_t kMostInstructions = 64;  // of one line that is unrolled

bool is_on(const Route& route, uint32_t site, const AccessWanted& wanted) {
    for (int s = static_cast<int>(site); s >= 0; s = route.sites[static_cast<size_t>(s)].inlined_at) {
        const capture::Site& at = route.sites[static_cast<size_t>(s)];
        if (at.line != wanted.line || at.source < 0) continue;
        const std::string& path = route.module->files[static_cast<size_t>(at.source)];
        if (wanted.file.empty() ? at.source == 0 : path.ends_with(wanted.file)) return true;
    }
    return false;
}

// Sites of the line that may ask for memory.
std::vector<char> sites_of(const Route& route, const AccessWanted& wanted) {
    std::vector<char> on(route.sites.size());  // behind the instructions calls that were inlined
    for (size_t s = 0; s < route.instructions.size(); ++s) {
        if (route.instructions[s]->op == ptx::Op::mark) continue;
        const ptx::Memory memory = traits_of(*route.instructions[s]).memory;
        const bool asks = ptx::reads(memory) || ptx::writes(memory);
        on[s] = asks && is_on(route, static_cast<uint32_t>(s), wanted) ? 1 : 0;
    }
    return on;
}

// One pass over the line, each of its instructions once: the first from the instant on, or the last before
// it, whichever is nearer by the warp's clock.
std::vector<Here> pass_of(Route& route, const AccessWanted& wanted) {
    const std::vector<char> on = sites_of(route, wanted);
    std::vector<Here> before, behind;
    std::set<uint32_t> seen;
    each_instant(route, wanted.warp, [&](const Here& here, bool) {
        if (on[here.site] == 0) return false;
        const bool late = here.order >= wanted.order;
        std::vector<Here>& pass = late ? behind : before;
        if (late && behind.empty()) seen.clear();
        const bool again = !seen.insert(here.site).second;
        if (again && late) return true;
        if (again) before.clear(), seen = {here.site};
        if (pass.size() < kMostInstructions) pass.push_back(here);
        return behind.size() == kMostInstructions;
    });
    if (before.empty() || behind.empty()) return before.empty() ? behind : before;
    const uint64_t since = wanted.time - std::min(wanted.time, before.back().time),
                   until = behind.front().time - std::min(wanted.time, behind.front().time);
    return until <= since ? behind : before;
}

}  // namespace

std::vector<capture::LineRequest> requests_of(Route& route, const AccessWanted& wanted) {
    const uint64_t order = emulator::here(*route.traveller).order;
    std::vector<capture::LineRequest> out;
    for (const Here& here : pass_of(route, wanted)) {
        if (!emulator::go_to(*route.traveller, here.order)) continue;
        int number = 0;
        for (const emulator::RequestHere& r : emulator::requests_here(*route.traveller))
            out.push_back(
                {here.site,
                 route.sites[here.site].text,
                 user_place(route, here.site),
                 here.warp,
                 here.epoch,
                 here.time,
                 here.order,
                 number++,
                 r.global,
                 r.accesses}
            );
    }
    emulator::go_to(*route.traveller, order);
    return out;
}

}  // namespace wl::travel
