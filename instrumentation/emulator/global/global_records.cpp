#include "instrumentation/emulator/global/global_records.h"

namespace wl::emulator {
namespace {

// 0: there is no more room.
uint32_t new_record(GlobalActor& actor, const GlobalRecord& record) {
    GlobalShadow& shadow = *actor.shadow;
    if (actor.next_record == actor.end_record) {
        const std::scoped_lock lock(shadow.lock);
        const size_t chunk = shadow.chunks.size();
        if (chunk == kMostChunks) {
            shadow.full = true;
            return 0;
        }
        shadow.chunks.push_back(std::make_unique<GlobalRecord[]>(kRecordsOfChunk));
        shadow.records[chunk].store(shadow.chunks.back().get(), std::memory_order_release);
        actor.next_record = static_cast<uint32_t>(chunk) * kRecordsOfChunk;
        actor.end_record = actor.next_record + kRecordsOfChunk;
        if (actor.next_record == 0) ++actor.next_record;  // number 0 is nobody's
    }
    const uint32_t number = actor.next_record++;
    shadow.records[number / kRecordsOfChunk].load(std::memory_order_relaxed)[number % kRecordsOfChunk] =
        record;
    return number;
}

}  // namespace

uint32_t number_of(GlobalActor& actor, const GlobalRecord& record) {
    GlobalActor::Recent& recent = actor.recent[record.warp][record.site % 16];
    const bool same = recent.number != 0 && recent.record.site == record.site &&
        recent.record.at == record.at && recent.record.flags == record.flags;
    if (!same) recent = {new_record(actor, record), record};
    return recent.number;
}

}  // namespace wl::emulator
