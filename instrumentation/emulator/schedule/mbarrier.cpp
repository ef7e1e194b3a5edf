// Models the mbarrier object of sm_90 with its phases, arrivals, bytes and tracked copies. Not modelled: what
// a GPU does after a misuse (the emulator reports it and goes on as if it had been meant well).
#include "instrumentation/emulator/schedule/mbarrier.h"

#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/hooks.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/observe/record.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

const Mbarrier* find_mbarrier(const Block& block, uint32_t offset) {
    for (const Mbarrier& m : block.now.mbarriers)
        if (m.offset == offset) return &m;
    return nullptr;
}
Mbarrier* find_mbarrier(Block& block, uint32_t offset) {
    return const_cast<Mbarrier*>(find_mbarrier(std::as_const(block), offset));
}

std::string at(uint32_t offset) { return fmt::format("shared address {:#x}", offset); }

Access access_of(const Warp& w, const MbarrierUse& use) {
    Access access = witness(w, use.instr, use.lanes);
    access.address = use.offset;
    access.bytes = sizeof(uint64_t);
    access.memory = "shared";
    access.write = true;
    return access;
}

// The shadow takes a use for an atomic of the word: it must come after mbarrier.init, and before anything
// else is stored there. So is mbarrier.inval one: who comes first does no harm, and a use that comes after it
// is told by its state.
void observe(Warp& w, const MbarrierUse& use, Touching how) {
    if (w.block->now.variant == kPlain) return;
    std::array<uint32_t, kLanes> addresses;
    addresses.fill(use.offset);
    observe_shared(w, use.instr, {how, use.lanes, sizeof(uint64_t), addresses.data(), use.beside}, {});
}

void write_word(Warp& w, const MbarrierUse& use, Mbarrier& m) {
    ++w.block->now.changes;
    m.word = opaque(m);
    std::memcpy(w.shared + m.offset, &m.word, sizeof(m.word));
    if (w.block->recorder == nullptr) return;
    std::array<uint32_t, kLanes> addresses;
    addresses.fill(m.offset);
    record_shared(w, use.instr, use.lanes & -use.lanes, sizeof(m.word), addresses.data());
}

// True: all have come, the next phase has begun.
bool end_phase(Block& block, Mbarrier& m) {
    if (m.pending != 0 || m.transactions != 0) return false;
    ++m.phase;
    m.pending = m.expected;
    if (block.now.variant != kPlain) complete_phase(block.shadow, m.number);
    return true;
}

void expect_bytes(Warp& w, const MbarrierUse& use, Mbarrier& m, int64_t bytes) {
    const int64_t sum = m.transactions + bytes;
    if (std::abs(sum) > int64_t{kMaxArrivals})
        report_misuse(
            w, use, fmt::format("its phase would wait for {} bytes; it can count {}", sum, kMaxArrivals)
        );
    m.transactions = static_cast<int32_t>(std::clamp<int64_t>(sum, -int64_t{kMaxArrivals}, kMaxArrivals));
}

void count_down(Warp& w, const MbarrierUse& use, Mbarrier& m, uint32_t count) {
    if (count > m.pending || count == 0)
        report_misuse(
            w,
            use,
            fmt::format(
                "{} arrivals where the phase lacks {} of {}; it was made for {}",
                count,
                m.pending,
                m.expected,
                at(m.offset)
            ),
            m.made
        );
    m.pending -= std::min(count, m.pending);
}

}  // namespace

// Bits 20..1 and 62..43 hold 2^20 minus the arrivals expected and still to come, so that the last arrival
// carries into the phase's parity, bit 63: read off what ptxas 13.0 makes for sm_90 of mbarrier.init (the
// word is computed before SYNCS.EXCH), .pending_count and .test_wait. Bits 41..21: minus the bytes.
uint64_t opaque(const Mbarrier& m) {
    constexpr uint64_t kField = kMaxArrivals;
    const uint64_t expected = (kField + 1 - m.expected) & kField, pending = (kField + 1 - m.pending) & kField;
    const uint64_t bytes = static_cast<uint32_t>(-m.transactions) & 0x1fffff;
    return uint64_t{m.phase & 1} << 63 | pending << 43 | bytes << 21 | expected << 1;
}

void report_misuse(Warp& w, const MbarrierUse& use, std::string detail, const Access& other) {
    Incident incident;
    incident.kind = Incident::Kind::mbarrier_misuse;
    incident.first = access_of(w, use);
    incident.second = other;
    incident.detail = std::move(detail);
    report(*w.block, std::move(incident));
}

std::string describe_mbarrier(const Block& block, uint32_t offset) {
    if (offset == kClusterBarrier) return "the barrier of the cluster";
    const Mbarrier* m = find_mbarrier(block, offset);
    if (m == nullptr || !m->live) return "the mbarrier at " + at(offset) + " (not initialised)";
    return fmt::format(
        "the mbarrier at {} (its phase {}, of parity {}, lacks {} of {} arrivals and {} bytes)",
        at(offset),
        m->phase,
        m->phase & 1,
        m->pending,
        m->expected,
        m->transactions
    );
}

void make_mbarrier(Warp& w, const MbarrierUse& use, uint32_t count) {
    Block& block = *w.block;
    Mbarrier* m = find_mbarrier(block, use.offset);
    if (m != nullptr && m->live)
        report_misuse(w, use, "mbarrier.init of a live mbarrier, without mbarrier.inval before it", m->made);
    if (count == 0 || count > kMaxArrivals) {
        report_misuse(w, use, fmt::format("made for {} arrivals; 1 to {} are possible", count, kMaxArrivals));
        count = std::clamp(count, 1u, kMaxArrivals);
    }
    if (m == nullptr) {
        m = &block.now.mbarriers.emplace_back();
        m->number = static_cast<int>(block.now.mbarriers.size()) - 1;
        m->offset = use.offset;
    }
    std::erase_if(block.now.copy_arrivals, [&](const CopyArrival& a) { return a.mbarrier == use.offset; });
    m->live = true;
    m->expected = m->pending = count;
    m->transactions = 0;
    m->phase = 0;
    m->made = access_of(w, use);
    write_word(w, use, *m);
    observe(w, use, Touching::write);
}

void end_mbarrier(Warp& w, const MbarrierUse& use) {
    Mbarrier* m = use_mbarrier(w, use);
    if (m == nullptr) return;
    m->live = false;
    m->ended = access_of(w, use);
    ++w.block->now.changes;
    observe(w, use, Touching::atomic);
}

Mbarrier* use_mbarrier(Warp& w, const MbarrierUse& use) {
    Block& block = *w.block;
    Mbarrier* m = find_mbarrier(block, use.offset);
    if (m == nullptr || !m->live) {
        const std::string why =
            m == nullptr ? "no mbarrier.init was executed for " : "mbarrier.inval has ended the mbarrier at ";
        report_misuse(w, use, why + at(use.offset), m == nullptr ? Access{} : m->ended);
        return nullptr;
    }
    uint64_t word = 0;
    std::memcpy(&word, w.shared + m->offset, sizeof(word));
    if (word != m->word) {
        Access by;
        if (block.now.variant != kPlain) {
            const uint32_t half = static_cast<uint32_t>(word) != static_cast<uint32_t>(m->word) ? 0 : 4;
            const capture::Owner owner = owner_of(block.shadow, m->offset + half, 4);
            by = access_of(w, use);
            by.warp = owner.warp;
            by.lanes = 1u << (owner.lane & 31);
            by.site = owner.site;
            by.epoch = owner.epoch;
        }
        report_misuse(w, use, "something else was stored over the mbarrier at " + at(use.offset), by);
        m->word = word;
    }
    observe(w, use, Touching::atomic);
    return m;
}

std::array<uint64_t, kLanes> arrive(Warp& w, const MbarrierUse& use, Mbarrier& m, const Arrivals& arrivals) {
    Block& block = *w.block;
    std::array<uint64_t, kLanes> before{};
    uint32_t came = 0;
    const auto hand_on = [&] {
        if (came != 0 && block.now.variant != kPlain) release(block.shadow, w.index, came, m.number);
        came = 0;
    };
    for (uint32_t rest = use.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        const MbarrierUse one{use.instr, rest & -rest, use.offset};
        before[lane] = opaque(m);
        came |= one.lanes;
        if (arrivals.bytes[lane] != 0) expect_bytes(w, one, m, arrivals.bytes[lane]);
        if (arrivals.drops) m.expected -= std::min(arrivals.count[lane], m.expected);
        if (!arrivals.completes && arrivals.count[lane] >= m.pending)
            report_misuse(w, one, "an arrival with .noComplete completes the phase", m.made);
        count_down(w, one, m, arrivals.count[lane]);
        if (m.pending != 0 || m.transactions != 0) continue;
        hand_on();
        end_phase(block, m);
    }
    hand_on();
    write_word(w, use, m);
    return before;
}

void count_bytes(Warp& w, const MbarrierUse& use, Mbarrier& m, int64_t bytes) {
    expect_bytes(w, use, m, bytes);
    end_phase(*w.block, m);
    write_word(w, use, m);
}

void track_copies(Warp& w, const MbarrierUse& use, Mbarrier& m, bool counted) {
    Block& block = *w.block;
    for (PendingCopy& copy : w.copies)
        if (copy.mbarrier < 0) copy.tracked |= copy.lanes & use.lanes;
    block.now.copy_arrivals.push_back(
        {use.offset, w.index, use.lanes, time_at(w, use.instr), counted, use.instr}
    );
    if (!counted) expect_bytes(w, use, m, std::popcount(use.lanes));
    if (block.now.variant != kPlain) release(block.shadow, w.index, use.lanes, m.number);
    write_word(w, use, m);
}

void land_tracked(Warp& w, const MbarrierUse& use, Mbarrier& m) {
    Block& block = *w.block;
    land_bulk_copies(block, m);
    bool any = false;
    for (const CopyArrival& a : block.now.copy_arrivals) {
        if (a.mbarrier != m.offset) continue;
        any = true;
        Warp& issuer = block.warps[static_cast<size_t>(a.warp)];
        land_tracked_copies(issuer, a.lanes, a.time);
        for (uint32_t rest = a.lanes; rest != 0; rest &= rest - 1) {
            if (a.counted)
                count_down(issuer, {a.instr, rest & -rest, m.offset}, m, 1);
            else
                --m.transactions;
            end_phase(block, m);
        }
    }
    if (!any) return;
    std::erase_if(block.now.copy_arrivals, [&](const CopyArrival& a) { return a.mbarrier == m.offset; });
    write_word(w, use, m);
}

}  // namespace wl::emulator
