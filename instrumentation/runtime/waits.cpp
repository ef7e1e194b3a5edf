#include "instrumentation/runtime/waits.h"

#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/runtime/residents.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

using execution::Allocation;
using execution::GlobalMemory;
using execution::Incident;

const Allocation* allocation_at(const GlobalMemory& memory, const execution::Access& word) {
    for (const Allocation& a : memory.allocations)
        if (word.address >= a.base && word.address - a.base + word.bytes <= a.bytes.size()) return &a;
    return nullptr;
}

// Blocks that wait for each other change what they poll, as they count how many have come, before they wait
// in vain.
bool is_as_before(const GlobalMemory& before, const GlobalMemory& now, const execution::Access& word) {
    const Allocation *was = allocation_at(before, word), *is = allocation_at(now, word);
    if (was == nullptr || is == nullptr) return false;
    const uint64_t at = word.address - is->base;
    return std::memcmp(was->bytes.data() + at, is->bytes.data() + at, word.bytes) == 0;
}

// The author's line; what is inlined there from the toolkit's headers says nothing.
std::string place_of(const execution::Listing& listing, const ptx::Module& module, uint32_t site) {
    if (site >= listing.sites.size()) return "one place";
    for (auto at = static_cast<int64_t>(site); at >= 0;) {
        const capture::Site& s = listing.sites[static_cast<size_t>(at)];
        if (s.source < 0 || s.line == 0) break;
        const std::string& file = module.files.at(static_cast<size_t>(s.source));
        if (!is_toolkit_header(file)) return fmt::format("{}:{}", file, s.line);
        at = s.inlined_at;
    }
    return "`" + listing.sites[site].text + "`";
}

}  // namespace

std::string taken_for_wait_of_others(
    const Machine& machine,
    const execution::Listing& listing,
    const ptx::Module& module,
    const GlobalMemory& before,
    std::vector<Incident>& incidents
) {
    const auto wait = std::find_if(incidents.begin(), incidents.end(), [](const Incident& i) {
        const bool endless = i.kind == Incident::Kind::endless_wait || i.kind == Incident::Kind::endless_loop;
        return endless && i.first.address != 0 && i.first.bytes != 0;
    });
    if (wait == incidents.end()) return {};
    const Region* region = region_of(machine.memory, wait->first.address);
    if (region == nullptr) return {};
    const bool host = region->host != nullptr, shared = region->shared != nullptr;
    std::string why;
    const bool given_up = is_given_up(why);
    if (given_up && !why.empty()) {
        std::string out = fmt::format(
            "at {} it waits for {}; {}, so this one was ended",
            place_of(listing, module, wait->first.site),
            region->name,
            why
        );
        incidents.erase(wait);
        return out;
    }
    const bool others = !given_up && (machine.has_streams || machine.memory.host_is_reached) &&
        is_as_before(before, machine.memory.global, wait->first);
    if (!host && !shared && !others) return {};
    const char* which = host ? "the host sees and can write meanwhile"
        : shared             ? "other processes have and can change meanwhile"
                             : "none of its blocks has written, and other work may";
    const std::string until = given_up
        ? "nothing has changed it before the host waited for the launch"
        : fmt::format(
              "a launch runs to its end before {}", host ? "the host goes on" : "any other work begins"
          );
    std::string said = fmt::format(
        "at {} it waits for {}, which {}; {}, so this one was ended",
        place_of(listing, module, wait->first.site),
        region->name,
        which,
        until
    );
    incidents.erase(wait);
    return said;
}

}  // namespace wl::runtime
