// The write log of a recorded block, and what memory instructions tell shadow and log. Models: every shared
// and global write, barrier, syncwarp, copy and mark. Not modelled: reads are not logged.
#include "instrumentation/emulator/observe/record.h"

#include "instrumentation/emulator/observe/extent_check.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

capture::Event event_at(const Warp& w, const Instr* i, capture::EventKind kind) {
    capture::Event e;
    e.time = static_cast<uint32_t>(time_at(w, i));
    e.site = i->site;
    e.epoch = static_cast<uint16_t>(w.epoch);
    e.warp = static_cast<uint8_t>(w.index);
    e.lane = 255;
    e.kind = kind;
    return e;
}

void append(Recorder& r, const capture::Event& e) {
    ++r.events;
    if (r.record.events.size() >= r.max_events)
        r.record.truncated = true;
    else
        r.record.events.push_back(e);
}

// One event for every 8 bytes at `data`.
void append_bytes(Recorder& r, capture::Event e, const std::byte* data, uint32_t bytes) {
    const uint64_t address = e.address;
    for (uint32_t done = 0; done < bytes; done += 8) {
        const uint32_t piece = std::min(bytes - done, 8u);
        e.address = address + done;
        e.bytes = static_cast<uint8_t>(piece);
        e.value = 0;
        std::memcpy(&e.value, data + done, piece);
        append(r, e);
    }
}

}  // namespace

void record_warp(Warp& w, const Instr* i, capture::EventKind kind, uint64_t address, uint64_t value) {
    capture::Event e = event_at(w, i, kind);
    // A warp that waits has its clock already behind the instruction.
    if (kind == capture::EventKind::barrier_arrive || kind == capture::EventKind::barrier_release)
        e.time = static_cast<uint32_t>(w.clock);
    e.address = address;
    e.value = value;
    append(*w.block->recorder, e);
}

void record_shared(Warp& w, const Instr* i, uint32_t mask, uint32_t bytes, const uint32_t* at) {
    capture::Event e = event_at(w, i, capture::EventKind::shared_write);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        e.lane = static_cast<uint8_t>(lane);
        e.address = at[lane];
        append_bytes(*w.block->recorder, e, w.shared + at[lane], bytes);
    }
}

void record_global(Warp& w, const Instr* i, int lane, const Place& place, uint32_t bytes) {
    Recorder& r = *w.block->recorder;
    capture::Event e = event_at(w, i, capture::EventKind::global_write);
    e.lane = static_cast<uint8_t>(lane);
    e.address = place.allocation->base + place.offset;
    append_bytes(r, e, place.data, bytes);
    const capture::Owner owner{e.warp, e.lane, e.epoch, e.site};
    const RunOptions& options = *w.block->context.options;
    if (options.on_store) {
        options.on_store({w.block->now.index, owner, place.allocation->name, place.offset, bytes});
        return;
    }
    auto& owners = r.owners[place.allocation];
    if (owners.empty()) owners.resize(place.allocation->bytes.size());
    std::fill_n(owners.begin() + static_cast<std::ptrdiff_t>(place.offset), bytes, owner);
}

namespace {

WarpAccess access_of(const Warp& w, const Instr* i, const SharedTouch& touch, const Values& values) {
    WarpAccess access;
    access.warp = w.index;
    access.site = i->site;
    access.mask = touch.mask;
    access.bytes = touch.bytes;
    access.addresses = touch.at;
    std::copy(values.values, values.values + 4, access.values);
    access.components = values.components;
    access.value_stride = values.stride;
    access.memory = w.shared;
    return access;
}

// What the access has left there, of the races that it was the first to show.
void note_second_values(const Warp& w) {
    Shadow& shadow = w.block->shadow;
    for (size_t k = shadow.incidents.size(); k-- > 0 && shadow.incident_access[k] == shadow.access_number;) {
        Access& second = shadow.incidents[k].second;
        if (second.block >= 0)
            std::memcpy(&second.value, w.shared + second.address, std::min(second.bytes, 8u));
    }
}

}  // namespace

void observe_shared(Warp& w, const Instr* i, const SharedTouch& touch, const Values& values) {
    Shadow& shadow = w.block->shadow;
    if (!w.block->context.program->shared_extents.empty() && !touch.beside) check_shared_extent(w, i, touch);
    const WarpAccess access = access_of(w, i, touch, values);
    switch (touch.how) {
        case Touching::read: return read_shared(shadow, access);
        case Touching::write: return write_shared(shadow, access);
        case Touching::atomic: return atomic_shared(shadow, access);
    }
}

void after_store(Warp& w, const Instr* i, const SharedTouch& touch) {
    if (touch.how == Touching::atomic) note_second_values(w);
    if (w.block->recorder != nullptr) record_shared(w, i, touch.mask, touch.bytes, touch.at);
}

}  // namespace wl::emulator
