// Extents of shared memory and of global arrays.
#include "instrumentation/diagnosis/rules/extent.h"

#include "instrumentation/diagnosis/rules/places.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace wl::diagnosis {

namespace {

std::string distance_text(uint64_t address, uint64_t end) {
    return address == end ? "right behind the end" : fmt::format("{} bytes behind the end", address - end);
}

// What the line did write inside: the region that it was meant for.
std::string written_by_line(const Symptoms& s, const emulator::Access& access) {
    if (s.capture.records.empty()) return {};
    const capture::Where line = where_of(s, access.site);
    std::map<uint32_t, bool> on_line{
        {access.site, true}
    };
    const auto is_on_line = [&](uint32_t site) {
        const auto [it, fresh] = on_line.try_emplace(site, false);
        if (fresh) it->second = same_line(where_of(s, site), line);
        return it->second;
    };
    uint64_t first = UINT64_MAX, last = 0;
    for (const capture::Event& e : s.capture.records.front().events) {
        if (e.kind != capture::EventKind::shared_write || !is_on_line(e.site)) continue;
        first = std::min(first, e.address), last = std::max(last, e.address + e.bytes - 1);
    }
    if (first > last) return {};
    return fmt::format("the same line writes bytes {}..{}", first, last);
}

Extent shared_extent(const Symptoms& s, const emulator::Access& access) {
    const uint64_t end = uint64_t{s.capture.launch.dynamic_shared} + s.capture.launch.static_shared;
    if (access.address + access.bytes <= end) return {};
    return {
        fmt::format(
            "{} of the block's {} bytes of shared memory",
            distance_text(std::max(access.address, end), end),
            end
        ),
        access.write ? written_by_line(s, access) : ""};
}

// Device addresses are a function of the problem: laid out again, they are those of the run.
Extent global_extent(const Symptoms& s, const emulator::Access& access) {
    const Prepared& again = inputs_of(s.prover, 0).prepared;
    const emulator::Allocation* before = nullptr;
    for (const emulator::Allocation& a : again.memory.allocations) {
        if (a.base <= access.address && (before == nullptr || a.base > before->base)) before = &a;
    }
    if (before == nullptr || before->bytes.empty()) return {};
    const uint64_t end = before->base + before->bytes.size();
    if (access.address + access.bytes <= end) return {};
    const std::string distance = distance_text(std::max(access.address, end), end);
    return {fmt::format("{} of {} ({} bytes)", distance, before->name, before->bytes.size()), ""};
}

}  // namespace

Extent extent_of(const Symptoms& s, const emulator::Access& access) {
    if (access.bytes == 0) return {};
    if (access.memory == "shared") return shared_extent(s, access);
    if (access.memory.starts_with("global")) return global_extent(s, access);
    return {};
}

}  // namespace wl::diagnosis
