#include "instrumentation/emulator/global/read_only.h"

#include "instrumentation/emulator/global/global_records.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace wl::emulator {
namespace {

using LoadsFound = std::map<std::pair<uint32_t, uint32_t>, Incident>;

std::vector<char> read_only_sites(const Program& program) {
    const auto& sites = program.listing.sites;
    std::vector<char> out(sites.size(), 0);
    for (size_t k = 0; k < sites.size(); ++k)
        out[k] = sites[k].text.find("ld.global.nc") != std::string::npos;
    return out;
}

Access access_of(const GlobalRecord& r, uint32_t entry) {
    Access a;
    a.site = r.site, a.block = r.block, a.warp = r.warp, a.epoch = r.epoch;
    a.lanes = 1u << lane_of(entry & ~kSettled);
    a.write = (r.flags & GlobalRecord::kWrite) != 0;
    return a;
}

struct TouchedPage {
    const GlobalShadow& shadow;
    const std::vector<char>& read_only;
    const Allocation& allocation;
    const GlobalPage& page;
    uint64_t address = 0;
};

void look_at(const TouchedPage& p, size_t k, uint32_t written, uint32_t read, LoadsFound& found) {
    const GlobalRecord &writer = record_of(p.shadow, written), &reader = record_of(p.shadow, read);
    if (reader.site >= p.read_only.size() || p.read_only[reader.site] == 0) return;
    Incident& i = found[{writer.site, reader.site}];
    if (i.first.block >= 0) {
        ++i.count;
        return;
    }
    i.kind = Incident::Kind::read_only_load;
    i.first = access_of(reader, read), i.second = access_of(writer, written);
    for (Access* a : {&i.first, &i.second}) {
        a->address = p.address + (k << (p.page.shift + (p.page.by_line ? kLineShift : 0)));
        a->bytes = 1u << p.page.shift;
        a->memory = "global " + p.allocation.name;
    }
    i.detail = fmt::format("warp {} of block {} has written them", writer.warp, writer.block);
}

void look_at(const TouchedPage& p, LoadsFound& found) {
    if (p.page.writer.empty()) return;
    for (const std::vector<uint32_t>* readers : {&p.page.reader, &p.page.reader2})
        for (size_t k = 0; k < readers->size(); ++k)
            if (p.page.writer[k] != 0 && ((*readers)[k] & ~kSettled) != 0)
                look_at(p, k, p.page.writer[k], (*readers)[k], found);
}

}  // namespace

std::vector<Incident> read_only_loads(const GlobalShadow& shadow, const Program& program) {
    const std::vector<char> read_only = read_only_sites(program);
    if (std::find(read_only.begin(), read_only.end(), 1) == read_only.end()) return {};
    LoadsFound found;
    const auto& allocations = shadow.memory->allocations;
    for (size_t k = 0; k < std::min(shadow.regions.size(), allocations.size()); ++k) {
        const GlobalRegion& region = shadow.regions[k];
        for (size_t n = 0; n < region.pages.size(); ++n)
            if (const GlobalPage* page = region.pages[n].load(std::memory_order_acquire))
                look_at(
                    {shadow, read_only, allocations[k], *page, (region.first_page + n) * kPageBytes}, found
                );
    }
    std::vector<Incident> out;
    for (auto& [sites, incident] : found) out.push_back(std::move(incident));
    return out;
}

}  // namespace wl::emulator
