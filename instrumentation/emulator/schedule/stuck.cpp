#include "instrumentation/emulator/schedule/stuck.h"

#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/incidents.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace wl::emulator {
namespace {

std::string who_waits(const Grid& g, bool proven) {
    std::vector<int64_t> waiting;
    for (const Block* b : g.queue.aside) waiting.push_back(b->now.index);
    std::sort(waiting.begin(), waiting.end());
    std::string some;
    for (size_t k = 0; k < std::min<size_t>(waiting.size(), 4); ++k)
        some += fmt::format("{}{}", k == 0 ? "" : ", ", waiting[k]);
    std::string text = fmt::format(
        "{} of {} blocks ({}{}) poll memory {}",
        waiting.size(),
        g.launch.starts.size(),
        some,
        waiting.size() > 4 ? ", ..." : "",
        proven ? "that none of them will change" : "that did not change for long"
    );
    if (g.queue.next < g.launch.starts.size())
        text += fmt::format(
            "; {} blocks cannot begin, as at most {} fit on the device at once",
            g.launch.starts.size() - g.queue.next,
            g.launch.resident
        );
    return text;
}

// The array, and what it holds.
void name_polled(const Grid& g, execution::Access& polled) {
    const Allocation* a = find(*g.launch.context.memory, polled.address, polled.bytes);
    if (a == nullptr || polled.bytes == 0) return;
    polled.memory = "global " + a->name;
    const size_t bytes = std::min<size_t>(polled.bytes, sizeof polled.value);
    std::memcpy(&polled.value, a->bytes.data() + (polled.address - a->base), bytes);
}

// Where they wait, unless that is one place: "; in line 7 blocks 0; in line 9 blocks 1, 2".
std::string places_of_waits(const Grid& g) {
    std::map<std::pair<int, uint64_t>, std::set<int64_t>> places;
    for (const Block* b : g.queue.aside) {
        const execution::Access at = spinning_at(*b);
        places[{g.launch.context.program->listing.sites[at.site].line, at.address}].insert(b->now.index);
    }
    constexpr size_t kMost = 4;
    std::string out;
    if (places.size() < 2 || places.size() > kMost) return out;
    for (const auto& [place, all] : places) {
        std::vector<int64_t> shown(all.begin(), all.end());
        shown.resize(std::min(shown.size(), kMost));
        const char* const more = all.size() > kMost ? ", ..." : "";
        out += fmt::format("; in line {} blocks {}{}", place.first, fmt::join(shown, ", "), more);
    }
    return out;
}

}  // namespace

void report_stuck(Grid& g, bool proven) {
    g.queue.stopped = true;
    if (g.queue.given_up) return;
    Block& first =
        **std::min_element(g.queue.aside.begin(), g.queue.aside.end(), [](const Block* a, const Block* b) {
            return a->now.index < b->now.index;
        });
    Incident incident;
    const bool polls = first.turn.in_vain > 0 || !first.now.goes_round;
    incident.kind = polls ? Incident::Kind::endless_wait : Incident::Kind::endless_loop;
    incident.first = spinning_at(first);
    if (polls) name_polled(g, incident.first);
    incident.detail = polls
        ? who_waits(g, proven) + places_of_waits(g)
        : "registers and memory are again what they were before in the loop: it never ends";
    report(first, std::move(incident));
}

}  // namespace wl::emulator
