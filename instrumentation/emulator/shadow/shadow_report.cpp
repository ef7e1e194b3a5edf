// Incidents of the shadow: one a cause, with its first witness and a count. And owners.
#include "instrumentation/emulator/shadow/shadow_cell.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace wl::emulator {

namespace {

uint32_t address_of(const Actor& actor, const Spot& spot) {
    if (actor.access) return actor.access->addresses[std::countr_zero(spot.lanes)];
    return spot.word * 4 + uint32_t(std::countr_zero(spot.bytes));
}

uint64_t value_of(const WarpAccess& access, int lane) {
    if (!access.values[0]) return 0;
    const uint32_t piece = access.bytes / access.components;
    uint64_t value = 0;
    auto* bytes = reinterpret_cast<std::byte*>(&value);
    for (uint32_t at = 0; at < std::min(access.bytes, 8u); at += piece) {
        const std::byte* from = access.values[at / piece] + size_t(lane) * access.value_stride;
        std::memcpy(bytes + at, from, std::min(piece, 8u));
    }
    return value;
}

Access access_of(const Shadow& shadow, const Actor& actor, const Spot& spot) {
    Access access{
        .site = actor.site,
        .block = shadow.block.block,
        .warp = actor.warp,
        .lanes = spot.lanes,
        .epoch = epoch_at(shadow.clocks, actor.warp, stamp_of(actor.key)),
        .address = address_of(actor, spot),
        .bytes = actor.access ? actor.access->bytes : uint32_t(std::popcount(spot.bytes)),
        .write = actor.kind != AccessKind::read,
        .memory = "shared"};
    if (actor.access) access.value = value_of(*actor.access, std::countr_zero(spot.lanes));
    return access;
}

Access access_of(const Shadow& shadow, const Touch& touch, const Spot& spot, bool write) {
    return {
        .site = shadow.site_of_dense[touch.site],
        .block = shadow.block.block,
        .warp = touch.warp,
        .lanes = touch.vague ? 0 : touch.lanes,
        .epoch = epoch_at(shadow.clocks, touch.warp, touch.stamp),
        .address = spot.word * 4 + uint32_t(std::countr_zero(spot.bytes)),
        .bytes = uint32_t(std::popcount(spot.bytes)),
        .write = write,
        .memory = "shared"};
}

// What lies there before the second access is what a read finds, and what the first one wrote or read; of two
// lanes of one store the first one's value is among what they store.
void note_values(const Actor& actor, Incident& incident, bool together = false) {
    Access &first = incident.first, &second = incident.second;
    const WarpAccess* access = actor.access ? &*actor.access : nullptr;
    if (together && access != nullptr && first.lanes != 0 && access->values[0] != nullptr) {
        const int lane = std::countr_zero(first.lanes);
        const uint64_t byte = first.address - access->addresses[lane];
        if (byte < 8) first.value = value_of(*access, lane) >> (8 * byte);
        return;
    }
    if (actor.memory == nullptr || together) {
        first.bytes = 0;
        return;
    }
    std::memcpy(&first.value, actor.memory + first.address, std::min(first.bytes, 8u));
    if (actor.kind == AccessKind::read)
        std::memcpy(&second.value, actor.memory + second.address, std::min(second.bytes, 8u));
}

// Further lanes of one access belong to its witness, if it was the first. A witness that names its lanes is
// better than one that cannot.
void join_witness(Shadow& shadow, size_t index, Incident& incident) {
    Incident& known = shadow.incidents[index];
    const uint64_t count = known.count + 1;
    if (known.first.lanes == 0 && incident.first.lanes != 0) {
        known = std::move(incident);
        shadow.incident_access[index] = shadow.access_number;
    } else if (shadow.incident_access[index] == shadow.access_number && incident.first.lanes != 0 &&
               known.first.warp == incident.first.warp && known.first.epoch == incident.first.epoch) {
        known.first.lanes |= incident.first.lanes;
        known.second.lanes |= incident.second.lanes;
    }
    known.count = count;
}

void add_incident(Shadow& shadow, Incident incident) {
    auto key = std::tuple{int(incident.kind), incident.first.site, incident.second.site};
    auto known = shadow.incident_of.find(key);
    if (known != shadow.incident_of.end()) return join_witness(shadow, known->second, incident);
    if (shadow.incidents.size() >= shadow.block.max_incidents) {
        ++shadow.dropped;
        return;
    }
    shadow.incident_of.emplace(key, shadow.incidents.size());
    shadow.incidents.push_back(std::move(incident));
    shadow.incident_access.push_back(shadow.access_number);
}

}  // namespace

namespace {

// The bytes of the spot as the access's first lane stores them.
bool stores_what_is_there(const Actor& actor, const Spot& spot) {
    const WarpAccess* access = actor.access;
    if (access == nullptr || access->values[0] == nullptr || actor.memory == nullptr) return false;
    const auto lane = static_cast<size_t>(std::countr_zero(spot.lanes));
    const uint32_t piece = access->bytes / access->components;
    for (uint32_t rest = spot.bytes; rest; rest &= rest - 1) {
        const uint32_t at = spot.word * 4 + uint32_t(std::countr_zero(rest));
        const uint32_t byte = at - access->addresses[lane];
        const std::byte* value = access->values[byte / piece] + lane * access->value_stride + byte % piece;
        if (*value != actor.memory[at]) return false;
    }
    return true;
}

}  // namespace

void report_race(
    Shadow& shadow, const Actor& actor, const Spot& spot, const Touch& first, bool first_writes
) {
    if (!shadow.block.checks.races) return;
    const bool together = first.warp == actor.warp && first.site == actor.dense &&
        first.stamp == stamp_of(actor.key) && first_writes;
    const bool no_news = first_writes && !together && actor.kind == AccessKind::write &&
        first.strength == Strength::plain && shadow.strength == Strength::plain;
    if (no_news && stores_what_is_there(actor, spot)) return;
    Incident incident;
    incident.kind = first.warp == actor.warp ? Incident::Kind::race_warp : Incident::Kind::race_shared;
    incident.first = access_of(shadow, first, spot, first_writes);
    incident.second = access_of(shadow, actor, spot);
    note_values(actor, incident, together);
    incident.detail = !first_writes      ? "write after read"
        : actor.kind == AccessKind::read ? "read after write"
        : incident.first.site == incident.second.site && incident.kind == Incident::Kind::race_warp
        ? "lanes write to one place"
        : "write after write";
    add_incident(shadow, std::move(incident));
}

void report_uninitialised(Shadow& shadow, const Actor& actor, const Spot& spot) {
    if (!shadow.block.checks.uninitialised) return;
    Incident incident;
    incident.kind = Incident::Kind::uninitialised_read;
    incident.first = access_of(shadow, actor, spot);
    incident.first.write = false;
    add_incident(shadow, std::move(incident));
}

void report_pending(Shadow& shadow, const Actor& actor, const Spot& spot) {
    const Cell& cell = shadow.cells[spot.word];
    Touch copy{
        .stamp = stamp_of(cell.readers),  // of its issue
        .lanes = 1u << lane_of(cell.writer),
        .site = uint16_t(writer_site(cell)),
        .warp = uint8_t(warp_of(cell.writer))};
    Incident incident;
    incident.kind = Incident::Kind::async_copy_wait;
    incident.first = access_of(shadow, copy, spot, true);
    incident.second = access_of(shadow, actor, spot);
    note_values(actor, incident);
    incident.detail = actor.kind == AccessKind::read ? "read before the copy was waited for"
                                                     : "written before the copy was waited for";
    add_incident(shadow, std::move(incident));
}

namespace {

capture::Owner owner(const Shadow& shadow, uint32_t writer, Stamp at, uint32_t dense) {
    return {
        .warp = uint8_t(warp_of(writer)),
        .lane = uint8_t(lane_of(writer)),
        .epoch = uint16_t(epoch_at(shadow.clocks, warp_of(writer), at)),
        .site = shadow.site_of_dense[dense]};
}

capture::Owner owner_of_bytes(const Shadow& shadow, uint32_t word, uint32_t bytes) {
    const Cell& cell = shadow.cells[word];
    if (cell.writer == kHistory) {
        const auto& writers = shadow.histories[cell.reader_mask].writers;
        for (size_t i = writers.size(); i-- > 0;) {
            const Touch& touch = writers[i];
            if (!(touch.bytes & bytes)) continue;
            const auto lane = uint32_t(31 - std::countl_zero(touch.lanes));
            return owner(shadow, field(touch.stamp, touch.warp) | lane << 2, touch.stamp, touch.site);
        }
    } else if (is_split(cell.writer)) {
        const SplitWord& split = shadow.split[word];
        for (; bytes; bytes &= bytes - 1) {
            const int byte = std::countr_zero(bytes);
            const uint32_t writer = split.writer[byte];
            if (writer) return owner(shadow, writer, stamp_of(writer), split.site[byte]);
        }
    } else if (cell.writer) {
        const Stamp at = stamp_of(is_pending(cell.writer) ? cell.readers : cell.writer);
        return owner(shadow, cell.writer, at, writer_site(cell));
    }
    return {};
}

}  // namespace

capture::Owner owner_of(const Shadow& shadow, uint32_t offset, uint32_t bytes) {
    assert(offset + bytes <= shadow.block.bytes);
    capture::Owner owner;
    for (uint32_t word = offset / 4; word * 4 < offset + bytes; ++word) {
        const uint32_t from = std::max(offset, word * 4) - word * 4;
        const uint32_t until = std::min(offset + bytes, word * 4 + 4) - word * 4;
        owner = owner_of_bytes(shadow, word, (1u << until) - (1u << from));
        if (owner.warp != capture::Owner::kNobody) break;
    }
    return owner;
}

std::vector<Incident> take_incidents(Shadow& shadow) {
    shadow.incident_of.clear();
    shadow.incident_access.clear();
    return std::exchange(shadow.incidents, {});
}

}  // namespace wl::emulator
