#include "instrumentation/emulator/global/proxies.h"

#include "instrumentation/emulator/global/global_shadow.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/observe/incidents.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Space;

constexpr uint32_t kWord = 4;
// Of a block; each word has at most one, so that those that some word still has are far fewer.
constexpr size_t kMostStores = size_t{1} << 18;

ProxyShadow* proxies_of(const Warp& w) {
    GlobalActor* actor = w.block->global.get();
    return actor == nullptr ? nullptr : actor->proxies.get();
}

const Clocks& clocks_of(const Warp& w) { return w.block->shadow.clocks; }

Stamp now(const Warp& w) { return clocks_of(w).warp[static_cast<size_t>(w.index)].time; }

bool is_before(const Warp& w, const ProxyStore& s, int by_lane, int lane) {
    if (s.warp == w.index && by_lane == lane) return true;
    return ordered(clocks_of(w), s.at, s.warp, by_lane, w.index, lane);
}

bool is_copy_out(const Traits& t) {
    return std::any_of(
               t.memory.begin(),
               t.memory.end(),
               [](const MemorySite& s) {
                   return s.size != 0 && s.space == Space::shared &&
                       s.requests.front().kind == AccessKind::copy;
               }
           ) &&
        t.memory.front().space == Space::global;
}

bool is_store(const MemorySite& s) {
    return s.size == 0 && (s.space == Space::shared || s.space == Space::generic) &&
        std::any_of(s.requests.begin(), s.requests.end(), [](const MemoryRequest& r) {
               return r.kind == AccessKind::store || r.kind == AccessKind::atomic;
           });
}

// The store that further lanes, or requests, of the instruction belong to.
uint32_t number_of(ProxyShadow& proxies, const Warp& w, uint32_t site) {
    if (!proxies.open.empty()) {
        const ProxyStore& last = proxies.stores[proxies.open.back()];
        if (last.site == site && last.warp == w.index && last.at == now(w) && last.fenced == 0)
            return proxies.open.back();
    }
    ProxyStore made;
    made.at = now(w), made.site = site, made.warp = w.index;
    proxies.stores.push_back(made);
    proxies.open.push_back(static_cast<uint32_t>(proxies.stores.size() - 1));
    return proxies.open.back();
}

// Leaves those that some word has.
void drop_overwritten(ProxyShadow& proxies) {
    std::vector<uint32_t> numbers(proxies.stores.size(), 0);
    for (const uint32_t entry : proxies.words) numbers[entry >> kLaneBits] = 1;
    uint32_t count = 1;
    for (size_t k = 1; k < numbers.size(); ++k) {
        if (numbers[k] == 0) continue;
        proxies.stores[count] = proxies.stores[k];
        numbers[k] = count++;
    }
    numbers[0] = 0;
    proxies.stores.resize(count);
    for (uint32_t& entry : proxies.words)
        entry = numbers[entry >> kLaneBits] << kLaneBits | (entry & ((1u << kLaneBits) - 1));
    for (uint32_t& number : proxies.open) number = numbers[number];
    std::erase(proxies.open, 0u);
}

void note_lane(ProxyShadow& proxies, uint32_t number, int lane, uint64_t offset, uint32_t bytes) {
    proxies.stores[number].lanes |= 1u << lane;
    const uint64_t end = std::min<uint64_t>((offset + bytes + kWord - 1) / kWord, proxies.words.size());
    for (uint64_t k = offset / kWord; k < end; ++k)
        proxies.words[k] = number << kLaneBits | static_cast<uint32_t>(lane);
}

// The lane's offset in the block's shared memory; nothing: it points elsewhere.
std::optional<uint64_t> shared_offset(Warp& w, const MemorySite& site, const MemoryRequest& r, int lane) {
    const auto l = static_cast<size_t>(lane);
    uint64_t at = address_of(w, site, lane) + r.byte[l];
    if (site.stride != 0) at += uint64_t{r.line[l]} * cells<uint32_t>(w, site.stride)[lane] * site.element;
    const bool inside = site.space == Space::shared || (at & kWindowMask) == kSharedBase;
    return inside ? std::optional(at & ~kWindowMask) : std::nullopt;
}

void note_stores(Warp& w, const Instr* i, const Hook& hook) {
    ProxyShadow* proxies = proxies_of(w);
    if (proxies == nullptr) return;
    if (proxies->stores.size() >= kMostStores) drop_overwritten(*proxies);
    for (const MemorySite& site : hook.traits->memory) {
        if (!is_store(site)) continue;
        for (const MemoryRequest& r : site.requests)
            for (uint32_t rest = w.mask & r.lanes; rest != 0; rest &= rest - 1) {
                const int lane = std::countr_zero(rest);
                const std::optional<uint64_t> at = shared_offset(w, site, r, lane);
                const uint32_t number = at ? number_of(*proxies, w, i->site) : 0;
                if (number != 0) note_lane(*proxies, number, lane, *at, r.bytes);
            }
    }
}

bool is_seen(const Warp& w, const ProxyStore& s, int by_lane, int lane) {
    if ((s.fenced >> by_lane & 1) == 0) return false;
    const auto is_known = [&](const ProxyFence& f) {
        return (f.warp == w.index && f.lane == lane) ||
            ordered(clocks_of(w), f.at, f.warp, f.lane, w.index, lane);
    };
    return is_known(s.first) || is_known(s.latest);
}

void report_store(Warp& w, const Instr* i, const ProxyStore& s, int by_lane, int lane, uint64_t offset) {
    Incident incident;
    incident.kind = Incident::Kind::proxy_fence;
    incident.first = witness(w, i, 1u << lane);
    incident.first.address = offset, incident.first.bytes = kWord, incident.first.memory = "shared";
    incident.second = incident.first;
    incident.second.site = s.site, incident.second.warp = s.warp, incident.second.lanes = 1u << by_lane;
    incident.second.epoch = epoch_at(clocks_of(w), s.warp, s.at);
    incident.second.write = true;
    incident.detail = fmt::format(
        "warp {}, lane {}, stored them before; no fence.proxy.async lies between the store and the {}",
        s.warp,
        by_lane,
        w.block->context.program->listing.sites[i->site].text.find("wgmma") != std::string::npos ? "product"
                                                                                                 : "copy"
    );
    report(*w.block, std::move(incident));
}

// False: a store of some of the bytes is not seen, and reported.
bool look_at_bytes(Warp& w, const Instr* i, int lane, uint64_t offset, uint64_t bytes) {
    const ProxyShadow& proxies = *proxies_of(w);
    const uint64_t end = std::min<uint64_t>((offset + bytes) / kWord, proxies.words.size());
    uint32_t last = 0;
    for (uint64_t k = offset / kWord; k < end; ++k) {
        const uint32_t entry = proxies.words[k];
        if (entry == 0 || entry == last) continue;
        last = entry;
        const ProxyStore& s = proxies.stores[entry >> kLaneBits];
        const int by_lane = static_cast<int>(entry & ((1u << kLaneBits) - 1));
        // What nothing orders is a race, which others report.
        if (!is_before(w, s, by_lane, lane) || is_seen(w, s, by_lane, lane)) continue;
        report_store(w, i, s, by_lane, lane, k * kWord);
        return false;
    }
    return true;
}

// What the copy takes out of shared memory.
void look_at_copy(Warp& w, const Instr* i, const Hook& hook) {
    if (proxies_of(w) == nullptr) return;
    const MemorySite& site = hook.traits->memory.back();
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::optional<uint64_t> at = shared_offset(w, site, site.requests.front(), lane);
        if (!at) continue;
        const uint64_t bytes = cells<uint32_t>(w, site.size)[lane];
        if (!look_at_bytes(w, i, lane, *at, bytes)) return;
    }
}

}  // namespace

std::shared_ptr<ProxyShadow> started_proxies(uint32_t shared_bytes) {
    auto made = std::make_shared<ProxyShadow>();
    made->words.resize(shared_bytes / kWord);
    made->stores.resize(1);
    return made;
}

void look_for_proxies(Hooked& hooked, Variant variant) {
    const bool copies = std::any_of(hooked.traits.begin(), hooked.traits.end(), is_copy_out);
    if (!copies && !hooked.program.reads_async) return;
    put_before<note_stores>(hooked, in_variant(At::lanes, variant), [](const Traits& t) {
        return std::any_of(t.memory.begin(), t.memory.end(), is_store);
    });
    put_before<look_at_copy>(hooked, in_variant(At::lanes, variant), is_copy_out);
}

void look_at_async_read(Warp& w, const Instr* i, uint32_t offset, uint32_t bytes) {
    if (proxies_of(w) != nullptr) look_at_bytes(w, i, std::countr_zero(w.mask), offset, bytes);
}

void note_proxy_fence(Warp& w) {
    ProxyShadow* proxies = proxies_of(w);
    if (proxies == nullptr) return;
    WarpClock& clock = w.block->shadow.clocks.warp[static_cast<size_t>(w.index)];
    clock.last_access = clock.time;
    std::erase_if(proxies->open, [&](uint32_t number) {
        ProxyStore& s = proxies->stores[number];
        uint32_t covered = 0;
        int by = std::countr_zero(w.mask);
        for (uint32_t rest = s.lanes & ~s.fenced; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const bool own = s.warp == w.index && (w.mask >> lane & 1) != 0;
            if (own || is_before(w, s, lane, by)) covered |= 1u << lane;
            if (own) by = lane;
        }
        if (covered == 0) return false;
        const ProxyFence fence{clock.time, w.index, by};
        if (s.fenced == 0) s.first = fence;
        s.fenced |= covered, s.latest = fence;
        return s.fenced == s.lanes;
    });
}

}  // namespace wl::emulator
