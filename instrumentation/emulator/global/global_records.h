// The records of global accesses, in chunks that stay where they are while other threads add theirs.
// Internal to the shadow.
#pragma once

#include "instrumentation/emulator/global/global_shadow.h"

namespace wl::emulator {

// An entry of a page is the number of a record and a lane.
inline const GlobalRecord& record_of(const GlobalShadow& shadow, uint32_t entry) {
    const uint32_t number = (entry & ~kSettled) >> kLaneBits;
    return shadow.records[number / kRecordsOfChunk].load(std::memory_order_acquire)[number % kRecordsOfChunk];
}
inline int lane_of(uint32_t entry) { return static_cast<int>(entry & ((1u << kLaneBits) - 1)); }

// The number of the access's record; 0: there is no more room.
uint32_t number_of(GlobalActor& actor, const GlobalRecord& record);

}  // namespace wl::emulator
