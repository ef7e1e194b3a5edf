// Memory of the host that an operation may still read or write: its bytes are kept when the work is issued,
// and compared when the host has waited for it. Seen: bytes that the host changed meanwhile and that are
// still changed then. Not seen: the host that reads too early, or writes what is there already.
#include "instrumentation/base/counted.h"
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/ordering.h"
#include "instrumentation/runtime/place.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

std::atomic<bool> watching = false;

constexpr uint64_t kMostBytes = uint64_t{256} << 20;

const std::byte* host_bytes(uint64_t address) {
    return reinterpret_cast<const std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): of the host
}

// The part of it that lies in memory that the program reads without a copy.
std::optional<std::pair<uint64_t, uint64_t>> seen_by_host(const Machine& m, const order::Touch& t) {
    const Region* region = region_of(m.memory, t.begin);
    if (region == nullptr || region->host == nullptr) return std::nullopt;
    return std::pair(t.begin, std::min(t.end, region->base + region->bytes));
}

void report_changed(Machine& m, const Watched& w, uint64_t first, uint64_t count) {
    order::Race race;
    race.first = race.second = w.operation;
    race.one.write = w.write;
    race.begin = w.begin + first, race.end = race.begin + 1, race.bytes = count;
    const std::string key = "host " + key_of(m, race);
    if (m.ordering.known.insert(key).second) report_host(m, race);
}

void compare_watched(Machine& m, const Watched& w) {
    const std::byte* now = host_bytes(w.begin);
    if (region_of(m.memory, w.begin) == nullptr || std::memcmp(now, w.bytes.data(), w.bytes.size()) == 0)
        return;
    uint64_t first = w.bytes.size(), count = 0;
    for (uint64_t k = 0; k < w.bytes.size(); ++k)
        if (now[k] != w.bytes[k]) first = std::min(first, k), ++count;
    report_changed(m, w, first, count);
}

}  // namespace

bool is_watching() { return watching; }

void watch(Machine& m, const order::OperationPointer& operation, const std::vector<order::Touch>& touches) {
    const auto& regions = m.memory.regions;
    if (std::none_of(regions.begin(), regions.end(), [](const auto& r) { return r.second.host != nullptr; }))
        return;
    // A launch that tells the host by a flag what else it has written.
    const bool polled = std::any_of(touches.begin(), touches.end(), [&](const order::Touch& t) {
        return t.strong && t.write && seen_by_host(m, t);
    });
    for (const order::Touch& t : touches) {
        const auto part = seen_by_host(m, t);
        if (!part || t.strong) continue;  // a kernel that polls waits for the change
        const uint64_t bytes = part->second - part->first;
        if (m.ordering.watched_bytes + bytes > kMostBytes) {
            tell_note_once(
                m,
                "more than 256 MiB of pinned and managed memory were in use by work at once: of the "
                "rest it is not known whether the host changed it too early"
            );
            return;
        }
        m.ordering.watched_bytes += bytes, watching = true;
        m.ordering.watched.push_back({
            operation,
            t.write,
            part->first,
            {host_bytes(part->first), host_bytes(part->second)},
            t.site,
            polled
        });
    }
}

void refresh_watched(Machine& m, uint64_t begin, uint64_t end) {
    for (Watched& w : m.ordering.watched) {
        const uint64_t first = std::max(begin, w.begin), last = std::min(end, w.begin + w.bytes.size());
        if (first < last && region_of(m.memory, first) != nullptr)
            std::memcpy(w.bytes.data() + (first - w.begin), host_bytes(first), last - first);
    }
}

void refresh_watched(Machine& m) { refresh_watched(m, 0, UINT64_MAX); }

void look_at_watched(Machine& m) {
    auto& all = m.ordering.watched;
    std::erase_if(all, [&](const Watched& w) {
        if (!order::holds(m.ordering.timelines.host, w.operation->at)) return false;
        compare_watched(m, w);
        m.ordering.watched_bytes -= w.bytes.size();
        return true;
    });
    watching = !all.empty();
}

}  // namespace wl::runtime
