// Shared memory through two proxies (PTX ISA 9.0, 8.6 and 9.7.13.4): threads store by the generic one, bulk
// copies and wgmma read by the async one. A store is seen by a copy that comes after it where a
// fence.proxy.async lies between, of whichever thread: the store happens before the fence, and the fence
// before the copy. Not modelled: global memory as the source of bulk copies, writes of copies that meet
// stores.
#pragma once

#include "instrumentation/emulator/contract.h"
#include "instrumentation/emulator/global/global_order.h"
#include "instrumentation/emulator/observe/hooked.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace wl::emulator {

// A fence that some lanes' stores happen before.
struct ProxyFence {
    Stamp at = 0;
    int warp = -1, lane = 0;
};

// Stores of one instruction by one warp, in one interval between its synchronisations.
struct ProxyStore {
    Stamp at = 0;
    uint32_t site = 0, lanes = 0;
    uint32_t fenced = 0;       // lanes
    ProxyFence first, latest;  // of these
    int warp = 0;
};

// Of one block.
struct ProxyShadow {
    std::vector<uint32_t>
        words;  // by word of shared memory: the store before last, from 1, and its lane; 0: none
    std::vector<ProxyStore> stores;  // from 1
    std::vector<uint32_t> open;      // those with lanes that nothing fences
};

std::shared_ptr<ProxyShadow> started_proxies(uint32_t shared_bytes);
// Looks at stores and bulk copies of blocks of this variant, where there are such copies out of shared
// memory.
void look_for_proxies(Hooked& hooked, Variant variant);
// The running split reads bytes of shared memory by the async proxy.
void look_at_async_read(Warp& w, const Instr* i, uint32_t offset, uint32_t bytes);
// The lanes execute a fence.proxy.async.
void note_proxy_fence(Warp& w);

}  // namespace wl::emulator
