#include "instrumentation/emulator/global/read_only.h"

#include "instrumentation/emulator/global/global_records.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace wl::emulator {
namespace {

// ld.global with cache operators and .nc, in this order (PTX ISA 9.0, 9.7.9.9).
bool is_read_only(const std::string& text) {
    const size_t begin = text.find("ld.global");
    const std::string mnemonic =
        begin == text.npos ? "" : text.substr(begin, text.find_first_of(" \t", begin) - begin);
    return mnemonic.find(".nc") != mnemonic.npos;
}

Access access_of(const NowTouched& now, const GlobalRecord& r, int lane) {
    Access a;
    a.site = r.site, a.block = r.block, a.warp = r.warp, a.epoch = r.epoch;
    a.lanes = 1u << lane;
    a.write = (r.flags & GlobalRecord::kWrite) != 0;
    a.memory = "global " + now.allocation.name;
    return a;
}

auto place_of(const Incident& i) { return std::tuple(i.first.block, i.first.warp, i.first.address); }

// The first unit of the run that was written; nothing: none.
std::optional<size_t> first_written(const GlobalPage& page, const GlobalRun& run) {
    const uint32_t shift = page.shift + (page.by_line ? kLineShift : 0);
    const size_t first = (run.address % kPageBytes) >> shift,
                 last = ((run.address + run.extent - 1) % kPageBytes) >> shift;
    for (size_t k = first; k <= last; ++k)
        if (page.writer[k] != 0) return k;
    return std::nullopt;
}

}  // namespace

std::vector<char> read_only_sites(const Program& program) {
    const auto& sites = program.listing.sites;
    std::vector<char> out(sites.size(), 0);
    std::transform(sites.begin(), sites.end(), out.begin(), [](const capture::Site& s) {
        return is_read_only(s.text) ? 1 : 0;
    });
    if (std::find(out.begin(), out.end(), 1) == out.end()) out.clear();
    return out;
}

void look_at_read_only(const NowTouched& now, const GlobalPage& page, const GlobalRun& run) {
    GlobalShadow& shadow = *now.actor.shadow;
    if (shadow.read_only[now.record.site] == 0) return;
    const std::optional<size_t> k = first_written(page, run);
    if (!k) return;
    const GlobalRecord& writer = record_of(shadow, page.writer[*k]);
    const uint32_t shift = page.shift + (page.by_line ? kLineShift : 0);
    Incident i;
    i.kind = Incident::Kind::read_only_load;
    const uint64_t address = std::max(run.address / kPageBytes * kPageBytes + (*k << shift), run.address);
    const auto lane = run.lane + static_cast<int>((address - run.address) / run.bytes);
    i.first = access_of(now, now.record, lane);
    i.second = access_of(now, writer, lane_of(page.writer[*k] & ~kSettled));
    for (Access* a : {&i.first, &i.second})
        a->address = address, a->bytes = std::min(1u << page.shift, run.bytes);
    i.detail = fmt::format("warp {} of block {} has written them", writer.warp, writer.block);
    const std::scoped_lock lock(shadow.stale_lock);
    const auto [known, fresh] = shadow.stale.try_emplace({writer.site, now.record.site}, i);
    if (fresh) return;
    i.count = known->second.count + 1;
    // The same one whichever thread comes first.
    if (place_of(i) < place_of(known->second))
        known->second = std::move(i);
    else
        known->second.count = i.count;
}

std::vector<Incident> read_only_loads(GlobalShadow& shadow) {
    std::vector<Incident> out;
    for (auto& [sites, incident] : shadow.stale) out.push_back(std::move(incident));
    return out;
}

}  // namespace wl::emulator
