// One function a table; the first complaint wins.
#include "instrumentation/capture/consistency.h"

#include "instrumentation/capture/stored.h"
#include "instrumentation/capture/verdict.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace wl::capture {
namespace {

constexpr int kDeepestInlining = 256;
constexpr int kMostWarps = 32;  // of a block: 1024 threads (CUDA C++ Programming Guide, compute capabilities)

bool in(int64_t index, size_t count) { return index >= 0 && static_cast<size_t>(index) < count; }
bool in_or_none(int64_t index, size_t count) { return index == -1 || in(index, count); }

std::string names(const std::string& who, size_t i, const std::string& what, int64_t index, size_t count) {
    return who + " " + std::to_string(i) + " names " + what + " " + std::to_string(index) +
        ", and there are " + std::to_string(count);
}

std::string check_sites(const Capture& capture) {
    for (size_t i = 0; i < capture.sites.size(); ++i) {
        const Site& site = capture.sites[i];
        if (!in_or_none(site.source, capture.sources.size()))
            return names("site", i, "source", site.source, capture.sources.size());
        if (!in_or_none(site.inlined_at, capture.sites.size()))
            return names("site", i, "site", site.inlined_at, capture.sites.size());
    }
    for (size_t i = 0; i < capture.sites.size(); ++i) {
        int depth = 0;
        for (int at = capture.sites[i].inlined_at; at >= 0;
             at = capture.sites[static_cast<size_t>(at)].inlined_at)
            if (++depth > kDeepestInlining) return "site " + std::to_string(i) + " is inlined without end";
    }
    return {};
}

std::string check_probes(const Capture& capture) {
    for (size_t i = 0; i < capture.probes.size(); ++i) {
        const Probe& probe = capture.probes[i];
        if (!in_or_none(probe.site, capture.sites.size()))
            return names("probe", i, "site", probe.site, capture.sites.size());
        if (probe.rows < 0 || probe.cols < 0) return "probe " + std::to_string(i) + " has a negative extent";
    }
    return {};
}

std::string check_owners(const Capture& capture, size_t i) {
    const BlobId id = capture.tiles[i].owner;
    const size_t sites = capture.sites.size();
    if (capture.blobs.stored) {
        capture.blobs.stored->expect_owners(id, sites);
        return {};
    }
    const auto unknown = unknown_owner(content_of(capture.blobs, id), sites);
    return unknown ? names("an owner of tile", i, "site", *unknown, sites) : "";
}

std::string check_blob(const Capture& capture, size_t i, BlobId id, size_t element) {
    const Tile& tile = capture.tiles[i];
    if (id == kNoBlob) return {};
    if (!in(id, capture.blobs.blobs.size())) return names("tile", i, "blob", id, capture.blobs.blobs.size());
    const auto elements = static_cast<uint64_t>(tile.rows) * static_cast<uint64_t>(tile.cols);
    if (capture.blobs.stored) {
        if (capture.blobs.stored->expect(id, elements, element)) return {};
        return "tile " + std::to_string(i) + " has " + std::to_string(elements) + " elements of " +
            std::to_string(element) + " bytes, which its blob cannot have";
    }
    const size_t size = content_of(capture.blobs, id).size();
    if (size % element != 0 || size / element != elements)
        return "tile " + std::to_string(i) + " has " + std::to_string(elements) + " elements of " +
            std::to_string(element) + " bytes, and its blob " + std::to_string(size) + " bytes";
    return {};
}

std::string check_tile(const Capture& capture, size_t i) {
    const Tile& tile = capture.tiles[i];
    if (!in(tile.probe, capture.probes.size()))
        return names("tile", i, "probe", tile.probe, capture.probes.size());
    if (!in_or_none(tile.block, count(capture.launch.grid)))
        return names("tile", i, "block", tile.block, count(capture.launch.grid));
    if (tile.rows < 0 || tile.cols < 0 || tile.warp < -1 || tile.iteration < 0 || tile.ld < 0)
        return "tile " + std::to_string(i) + " has a negative extent or index";
    if (tile.first_bad_row < -1 || tile.first_bad_col < -1 || tile.first_bad_row >= tile.rows ||
        tile.first_bad_col >= tile.cols)
        return "tile " + std::to_string(i) + " has its first bad element outside";
    const DType dtype = capture.probes[static_cast<size_t>(tile.probe)].dtype;
    std::string problem = check_blob(capture, i, tile.values, size_of(dtype));
    if (problem.empty()) problem = check_blob(capture, i, tile.reference, sizeof(double));
    if (problem.empty()) problem = check_blob(capture, i, tile.bound, sizeof(float));
    if (problem.empty()) problem = check_blob(capture, i, tile.owner, sizeof(Owner));
    if (problem.empty() && tile.owner != kNoBlob) problem = check_owners(capture, i);
    return problem;
}

// Of everything that is alike: none is negative, and together they are a number, so that who adds them up
// need not look.
struct Total {
    int64_t sum = 0;
    bool takes(int64_t count) { return count >= 0 && !__builtin_add_overflow(sum, count, &sum); }
};

std::string check_tile_counts(const Capture& capture) {
    Total elements, compared, bad;
    for (size_t i = 0; i < capture.tiles.size(); ++i) {
        const Tile& t = capture.tiles[i];
        const int64_t all = int64_t{t.rows} * t.cols;
        const bool some_finite = t.nan >= 0 && t.inf >= 0 && t.nan <= all && t.inf <= all - t.nan;
        if (!some_finite || !elements.takes(all) || !compared.takes(t.compared) || !bad.takes(t.bad))
            return "tile " + std::to_string(i) + " counts elements that it cannot have";
    }
    return {};
}

std::string check_other_counts(const Capture& capture) {
    Total nan, elements, compared, unknown, unwritten;
    for (size_t i = 0; i < capture.outputs.size(); ++i) {
        const Compared& of = capture.outputs[i].of;
        if (!nan.takes(capture.outputs[i].nan) || !elements.takes(of.elements) ||
            !compared.takes(of.compared) || !unknown.takes(of.unknown) || !unwritten.takes(of.unwritten))
            return "output " + std::to_string(i) + " counts elements that it cannot have";
    }
    Total blocks, launched, bad;
    for (size_t i = 0; i < capture.launches.size(); ++i) {
        const Launched& l = capture.launches[i];
        if (!blocks.takes(l.blocks) || !launched.takes(l.compared) || !bad.takes(l.bad))
            return "launch " + std::to_string(i + 1) + " counts blocks or elements that it cannot have";
    }
    return {};
}

std::string check_outputs(const Capture& capture) {
    for (size_t i = 0; i < capture.outputs.size(); ++i) {
        const Output& output = capture.outputs[i];
        if (!in_or_none(output.tile, capture.tiles.size()))
            return names("output", i, "tile", output.tile, capture.tiles.size());
        int64_t all = 1;
        for (const int64_t extent : output.shape)
            if (extent < 0 || __builtin_mul_overflow(all, extent, &all))
                return "output " + std::to_string(i) + " has an extent that no array has";
    }
    return {};
}

// Empty if what the event names exists.
std::string check_event(const Capture& capture, const BlockRecord& record, const Event& event) {
    if (event.kind > EventKind::exit) return "is of no known kind";
    if (event.warp >= record.warps) return "is of warp " + std::to_string(event.warp);
    if (!in(event.site, capture.sites.size())) return "names site " + std::to_string(event.site);
    if (event.kind == EventKind::stage && event.value >= capture.stages.size())
        return "names stage " + std::to_string(event.value);
    if (event.kind == EventKind::tile && event.value >= capture.probes.size())
        return "names probe " + std::to_string(event.value);
    const bool access = event.kind == EventKind::shared_write || event.kind == EventKind::global_write;
    const bool power_of_two = event.bytes == 1 || event.bytes == 2 || event.bytes == 4 || event.bytes == 8;
    if (access && !power_of_two) return "accesses " + std::to_string(event.bytes) + " bytes";
    return {};
}

std::string check_records(const Capture& capture) {
    for (size_t i = 0; i < capture.records.size(); ++i) {
        const BlockRecord& record = capture.records[i];
        if (!in(record.block, count(capture.launch.grid)))
            return names("record", i, "block", record.block, count(capture.launch.grid));
        if (record.warps < 0 || record.warps > kMostWarps)
            return "record " + std::to_string(i) + " is of " + std::to_string(record.warps) +
                " warps, and a block has at most " + std::to_string(kMostWarps);
        for (size_t e = 0; e < record.events.size(); ++e) {
            const std::string problem = check_event(capture, record, record.events[e]);
            if (!problem.empty())
                return "event " + std::to_string(e) + " of record " + std::to_string(i) + " " + problem;
        }
    }
    return {};
}

// Words that decide what is made of a capture; empty: not said. Names and sentences are shown as the file has
// them.
std::string check_words(const Capture& capture) {
    const auto is_one = [](std::string_view word, std::initializer_list<std::string_view> known) {
        return std::find(known.begin(), known.end(), word) != known.end();
    };
    const auto is_verdict = [&](const VerdictWord& word) { return word.name == capture.verdict; };
    if (!capture.verdict.empty() && !std::any_of(kVerdictWords.begin(), kVerdictWords.end(), is_verdict))
        return "there is no verdict '" + capture.verdict + "'";
    if (!is_one(capture.launch.build, {"", "optimised", "debug"}))
        return "there is no build '" + capture.launch.build + "'";
    for (size_t i = 0; i < capture.probes.size(); ++i)
        if (!is_one(capture.probes[i].memory, {"", "shared", "global", "register"}))
            return "probe " + std::to_string(i) + " is of no memory '" + capture.probes[i].memory + "'";
    return {};
}

std::string check_launches(const Capture& capture) {
    const Launch& l = capture.launch;
    const auto listed = static_cast<int>(capture.launches.size());
    if (l.number < 1 || l.number > l.all || (l.all > 1 ? listed != l.all : listed != 0))
        return "it is of launch " + std::to_string(l.number) + " of " + std::to_string(l.all) +
            ", and lists " + std::to_string(listed);
    return {};
}

std::string check_findings(const Capture& capture) {
    for (size_t i = 0; i < capture.findings.size(); ++i) {
        const Finding& finding = capture.findings[i];
        if (!in_or_none(finding.caused_by, i)) return names("finding", i, "cause", finding.caused_by, i);
        for (const Where* where : {&finding.where, &finding.other}) {
            if (where->launch < 0 || static_cast<size_t>(where->launch) > capture.launches.size())
                return names("finding", i, "launch", where->launch, capture.launches.size());
            const uint64_t blocks = count(grid_of(capture, *where));
            if (!in_or_none(where->block, blocks)) return names("finding", i, "block", where->block, blocks);
        }
    }
    return {};
}

}  // namespace

std::optional<uint32_t> unknown_owner(std::span<const std::byte> owners, size_t sites) {
    for (size_t offset = 0; offset < owners.size(); offset += sizeof(Owner)) {
        Owner owner;
        std::memcpy(&owner, owners.data() + offset, sizeof owner);
        if (owner.warp != Owner::kNobody && !in(owner.site, sites)) return owner.site;
    }
    return std::nullopt;
}

std::string inconsistency(const Capture& capture) {
    std::string problem = check_words(capture);
    if (problem.empty()) problem = check_launches(capture);
    if (problem.empty()) problem = check_sites(capture);
    if (problem.empty()) problem = check_probes(capture);
    for (size_t i = 0; problem.empty() && i < capture.tiles.size(); ++i) problem = check_tile(capture, i);
    if (problem.empty()) problem = check_tile_counts(capture);
    if (problem.empty()) problem = check_outputs(capture);
    if (problem.empty()) problem = check_other_counts(capture);
    if (problem.empty()) problem = check_records(capture);
    if (problem.empty()) problem = check_findings(capture);
    return problem;
}

}  // namespace wl::capture
