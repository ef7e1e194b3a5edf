// Races in global memory as incidents.
#include "instrumentation/emulator/global/global_shadow.h"

#include <tuple>
#include <utility>

namespace wl::emulator {

void report(GlobalShadow& shadow, const GlobalConflict& conflict, Incident incident) {
    shadow.raced = true;
    if (!shadow.look_for.witnesses) return;
    incident.kind = Incident::Kind::race_global;
    const GlobalRecord& first = conflict.first;
    incident.first.site = first.site;
    incident.first.block = first.block;
    incident.first.warp = first.warp;
    incident.first.lanes = conflict.first_lane == kSomeLane ? 0 : 1u << conflict.first_lane;
    incident.first.epoch = first.epoch;
    incident.first.write = (first.flags & GlobalRecord::kWrite) != 0;
    incident.first.value = conflict.before;
    if (conflict.stored) std::tie(incident.first.value, incident.second.value) = *conflict.stored;
    for (Access* a : {&incident.first, &incident.second}) {
        a->address = conflict.allocation->base + conflict.offset;
        a->bytes = conflict.bytes;
        a->memory = "global " + conflict.allocation->name;
    }
    incident.first.bytes = conflict.first_known || conflict.stored ? conflict.first_bytes : 0;
    const std::pair key{incident.first.site, incident.second.site};
    const auto [known, fresh] = shadow.incidents.try_emplace(key, incident);
    if (fresh) {
        shadow.found.push_back(key);
        return;
    }
    // A barrier orders the accesses of one block, so two blocks are the graver witness.
    Incident& kept = known->second;
    const uint64_t count = kept.count + 1;
    if (kept.first.block == kept.second.block && incident.first.block != incident.second.block)
        kept = std::move(incident);
    kept.count = count;
}

}  // namespace wl::emulator
