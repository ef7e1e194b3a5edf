// A random program of accesses and barriers, carried out on the shadow and on its oracle.
#pragma once

#include "tests/support/shadow_oracle.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <set>

namespace wl::emulator {

class Run {
public:
    Run(uint64_t seed, const Sizes& sizes) :
        random_(seed), sizes_(sizes), oracle_(sizes.warps, sizes.words * 4), barriers_(kMaxBarriers) {
        start(
            shadow_,
            {.block = 7, .threads = sizes.warps * 32, .bytes = sizes.words * 4, .max_incidents = 1u << 20}
        );
        if (seed % 3 == 0) shadow_.renumber_at = 60;
        running_ = (1u << sizes.warps) - 1;
        for (Mbarrier& mbarrier : mbarriers_) {
            mbarrier.gathering.resize(sizes.warps * 32);
            mbarrier.released.resize(sizes.warps * 32);
        }
        for (auto& barrier : barriers_) barrier.brought.resize(sizes.warps * 32);
    }

    // All words are written and known to all warps.
    void fill() {
        for (uint32_t word = 0; word < sizes_.words; ++word, ++step_) {
            std::fill_n(addresses_, 32, word * 4);
            WarpAccess access{.site = step_, .mask = 1u << word % 32, .addresses = addresses_};
            write_shared(shadow_, access);
            apply(access, Op::write);
        }
        barriers_[0].to_come = running_;
        while (barriers_[0].to_come) come(0);
        open(0);
    }

    void play() {
        if (sizes_.mostly_reads) fill();
        const uint32_t last = step_ + uint32_t(sizes_.steps);
        for (; step_ < last && running_ && !::testing::Test::HasFailure(); ++step_) {
            const int dice = pick(100);
            if (dice < sizes_.barriers) {
                barrier_step();
            } else if (dice < sizes_.barriers + sizes_.syncwarps) {
                uint32_t mask = sizes_.partial && pick(2) ? uint32_t(random_()) : ~0u;
                int warp = any_warp();
                sync_warp(shadow_, warp, mask);
                oracle_.sync_warp(warp, mask);
            } else if (dice < sizes_.barriers + sizes_.syncwarps + sizes_.mbarriers) {
                mbarrier_step();
            } else {
                access_step();
            }
        }
    }

    Counts counts;

private:
    int pick(int n) { return int(random_() % uint64_t(n)); }

    int any_warp() {
        int warp;
        do warp = pick(sizes_.warps);
        while (!(running_ >> warp & 1));
        return warp;
    }

    void barrier_step() {
        const int id = sizes_.partial ? pick(2) : 0;
        Barrier& barrier = barriers_[id];
        if (!barrier.to_come) {
            barrier.to_come = sizes_.partial && pick(3) ? uint32_t(random_()) & running_ : running_;
            if (!sizes_.partial || pick(2)) {
                while (barrier.to_come & running_) come(id);
            }
        } else if (barrier.to_come & running_) {
            come(id);
        }
        if (!barrier.to_come || (running_ == 0 && barrier.waiting)) open(id);
    }

    void come(int id) {
        Barrier& barrier = barriers_[id];
        int warp;
        do warp = any_warp();
        while (!(barrier.to_come >> warp & 1));
        barrier.to_come &= ~(1u << warp);
        const bool waits = !sizes_.partial || pick(4) != 0;
        arrive(shadow_, id, warp, waits);
        for (int lane = 0; lane < 32; ++lane) oracle_.join(barrier.brought, oracle_.clock[warp * 32 + lane]);
        if (!waits) return;
        barrier.waiting |= 1u << warp;
        running_ &= ~(1u << warp);
    }

    void open(int id) {
        Barrier& barrier = barriers_[id];
        complete(shadow_, id);
        for (int warp = 0; warp < sizes_.warps; ++warp) {
            if (!(barrier.waiting >> warp & 1)) continue;
            for (int lane = 0; lane < 32; ++lane)
                oracle_.join(oracle_.clock[warp * 32 + lane], barrier.brought);
            ++oracle_.epoch[warp];
        }
        running_ |= barrier.waiting;
        barrier = {.brought = std::vector<uint32_t>(barrier.brought.size())};
    }

    void mbarrier_step() {
        const int id = pick(2), warp = any_warp();
        const uint32_t mask = sizes_.partial && pick(2) ? uint32_t(random_()) | 1 : ~0u;
        Mbarrier& mbarrier = mbarriers_[id];
        const int dice = pick(5);
        if (dice == 0) {
            complete_phase(shadow_, id);
            oracle_.join(mbarrier.released, mbarrier.gathering);
            std::fill(mbarrier.gathering.begin(), mbarrier.gathering.end(), 0);
        } else if (dice < 3) {
            release(shadow_, warp, mask, id);
        } else {
            acquire(shadow_, warp, mask, id);
        }
        for (int lane = 0; lane < 32 && dice > 0; ++lane) {
            if (!(mask >> lane & 1)) continue;
            auto& clock = oracle_.clock[warp * 32 + lane];
            if (dice < 3)
                oracle_.join(mbarrier.gathering, clock);
            else
                oracle_.join(clock, mbarrier.released);
        }
    }

    void random_addresses(WarpAccess& access) {
        const uint32_t slots = sizes_.words * 4 / access.bytes;
        access.mask = uint32_t(random_()) & ((sizes_.lanes == 32 ? 0u : 1u << sizes_.lanes) - 1);
        if (access.mask == 0) access.mask = 1;
        const int pattern = sizes_.patterns ? pick(8) : 7;
        const auto base = uint32_t(pick(int(slots)));
        if (pattern < 5) access.mask = pick(8) ? ~0u : access.mask;
        for (uint32_t lane = 0; lane < 32; ++lane) {
            auto slot = uint32_t(pick(int(slots)));
            if (pattern < 3) slot = (slots >= 32 ? base % (slots - 31) / 16 * 16 : base) + lane;
            if (pattern == 3) slot = base;
            if (pattern == 4) slot = base + lane / 4;
            if (pattern == 5) slot = base + lane * 3;
            addresses_[lane] = slot % slots * access.bytes;
            const uint64_t value = pick(2) ? 0x0101'0101'0101'0101 : 0x0101'0201'0101'0101;
            std::memcpy(values_ + 16 * lane, &value, 8);
            std::memcpy(values_ + 16 * lane + 8, &value, 8);
        }
    }

    void access_step() {
        WarpAccess access{.warp = any_warp(), .site = step_, .addresses = addresses_, .value_stride = 16};
        access.values[0] = values_;
        const Op kinds[] = {
            Op::read, Op::read, Op::read, Op::write, Op::write, Op::atomic, Op::span, Op::copy};
        const Op kind = sizes_.mostly_reads && pick(12) ? Op::read : kinds[pick(8)];
        const uint32_t sizes[] = {4, 1, 2, 8, 16};
        access.bytes = sizes[pick(kind == Op::atomic ? 3 : 5)];
        if (kind == Op::copy && access.bytes < 4) access.bytes = 4;
        random_addresses(access);
        if (kind == Op::copy) return copy_step(access);
        if (kind == Op::span) {
            const auto first = uint32_t(pick(int(sizes_.words)));
            const uint32_t most = std::min(8u, sizes_.words - first);
            RowsAccess span{access.warp, step_, access.mask, first * 4, 4 * (1 + uint32_t(pick(int(most))))};
            read_rows(shadow_, span);
            std::fill_n(addresses_, 32, span.offset);
            access.bytes = span.bytes;
        } else if (kind == Op::read) {
            read_shared(shadow_, access);
        } else if (kind == Op::write) {
            write_shared(shadow_, access);
        } else {
            atomic_shared(shadow_, access);
        }
        apply(access, kind);
    }

    // Copies of one access at a time, some steps in flight; never over another that is in flight.
    void copy_step(WarpAccess access) {
        if (!copy_.empty()) {
            for (uint32_t lane = 0; lane < 32; ++lane) addresses_[lane] = copy_[lane];
            access = copy_access_;
            if (!(running_ >> access.warp & 1)) return;
            access.addresses = addresses_;
            complete_copy(shadow_, access);
            copy_.clear();
            for_each_byte(access, [&](int lane, Byte& byte, uint32_t) {
                byte.pending = -1;
                byte.written = true;
                record(byte, oracle_.next(access.warp * 32 + lane, copy_access_.site, Op::write), access);
            });
            return;
        }
        std::set<uint32_t> taken;
        for (int lane = 0; lane < 32; ++lane) {
            if ((access.mask >> lane & 1) && !taken.insert(addresses_[lane]).second)
                access.mask &= ~(1u << lane);
        }
        begin_copy(shadow_, access);
        copy_.assign(addresses_, addresses_ + 32);
        copy_access_ = access;
        apply(access, Op::write);
        for_each_byte(access, [&](int lane, Byte& byte, uint32_t) {
            byte.pending = access.warp * 32 + lane;
            byte.pending_op = step_;
        });
    }

    template <class Visit>
    void for_each_byte(const WarpAccess& access, Visit&& visit) {
        for (int lane = 0; lane < 32; ++lane) {
            if (!(access.mask >> lane & 1)) continue;
            for (uint32_t i = 0; i < access.bytes; ++i) {
                visit(lane, oracle_.bytes[access.addresses[lane] + i], i);
            }
        }
    }

    void record(Byte& byte, const Event& event, const WarpAccess& access) {
        byte.events.push_back(event);
        if (event.kind == Op::read || event.kind == Op::span) return;
        byte.owner = {
            .warp = uint8_t(access.warp),
            .lane = uint8_t(event.thread % 32),
            .epoch = oracle_.epoch[access.warp],
            .site = event.op};
    }

    // What the oracle finds for the access, against what the shadow reported.
    void apply(const WarpAccess& access, Op kind) {
        std::vector<Pair> pairs;
        std::vector<Event> own(32);
        bool first_race = false, uninitialised = false, pending = false;
        std::vector<std::pair<uint32_t, Event>> added;
        for (int lane = 0; lane < 32; ++lane) {
            if (access.mask >> lane & 1) own[lane] = oracle_.next(access.warp * 32 + lane, step_, kind);
        }
        for_each_byte(access, [&](int lane, Byte& byte, uint32_t i) {
            const auto address = uint32_t(&byte - oracle_.bytes.data());
            if (byte.pending >= 0) {
                pending = true;
                return;
            }
            Event event = own[lane];
            event.value = uint8_t(values_[16 * lane + i % 16]);
            if (kind != Op::write && !byte.written) uninitialised = true;
            for (const Event& before : byte.events) {
                if (!conflict(before, event) || oracle_.ordered(before, event.thread)) continue;
                pairs.push_back({before, event, address});
            }
            for (const auto& [at, other] : added) {
                bool differ = kind == Op::write && at == address && other.value != event.value;
                if (differ) pairs.push_back({other, event, address});
            }
            // Lanes of one store that leave equal values in one place count as one write, by the last of
            // them.
            if (kind == Op::write)
                std::erase_if(added, [&](const auto& other) { return other.first == address; });
            added.emplace_back(address, event);
        });
        for (const auto& [address, event] : added) {
            record(oracle_.bytes[address], event, access);
            if (kind == Op::write || kind == Op::atomic) oracle_.bytes[address].written |= kind == Op::write;
        }
        if (kind == Op::atomic) {
            for (const auto& [address, event] : added) oracle_.bytes[address].written = true;
        }
        for (const Pair& pair : pairs) {
            Byte& byte = oracle_.bytes[pair.byte];
            if (!byte.raced) ++counts.raced_bytes;
            first_race |= !byte.raced;
        }
        for (const Pair& pair : pairs) oracle_.bytes[pair.byte].raced = true;
        compare(pairs, first_race, uninitialised, pending);
        compare_owner();
    }

    void compare(const std::vector<Pair>& pairs, bool first_race, bool uninitialised, bool pending) {
        bool race_seen = false, uninitialised_seen = false, pending_seen = false;
        for (; seen_ < shadow_.incidents.size(); ++seen_) {
            const Incident& incident = shadow_.incidents[seen_];
            if (incident.kind == Incident::Kind::uninitialised_read) {
                uninitialised_seen = true;
                ++counts.uninitialised;
                EXPECT_EQ(incident.first.site, step_);
            } else if (incident.kind == Incident::Kind::async_copy_wait) {
                pending_seen = true;
                ++counts.pending;
                EXPECT_EQ(incident.first.site, copy_access_.site);
                EXPECT_EQ(incident.second.site, step_);
            } else {
                race_seen = true;
                ++counts.races;
                check_witness(incident, pairs);
            }
        }
        EXPECT_EQ(uninitialised_seen, uninitialised) << "step " << step_;
        EXPECT_EQ(pending_seen, pending) << "step " << step_;
        EXPECT_TRUE(race_seen || !first_race) << "a race was missed at step " << step_;
        EXPECT_FALSE(race_seen && pairs.empty()) << "a false race at step " << step_;
    }

    void check_witness(const Incident& incident, const std::vector<Pair>& pairs) {
        bool same_warp = incident.kind == Incident::Kind::race_warp;
        EXPECT_EQ(incident.first.warp == incident.second.warp, same_warp);
        EXPECT_EQ(incident.second.site, step_);
        (incident.first.lanes ? counts.exact_witnesses : counts.vague_witnesses) += 1;
        bool real = std::any_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
            const uint32_t lane = 1u << pair.first.thread % 32;
            bool first = pair.first.thread / 32 == incident.first.warp &&
                (!incident.first.lanes ||
                 ((incident.first.lanes & lane) && pair.first.op == incident.first.site));
            // An incident whose first value is not known has no bytes there; here nobody keeps memory.
            const uint64_t bytes = std::max(incident.first.bytes, 1u);
            bool place = pair.byte >= incident.first.address && pair.byte < incident.first.address + bytes;
            return first && place && (incident.second.lanes >> pair.second.thread % 32 & 1);
        });
        EXPECT_TRUE(real) << "false witness at step " << step_ << ": " << incident.detail << ", sites "
                          << incident.first.site << " and " << incident.second.site << ", warps "
                          << incident.first.warp << " and " << incident.second.warp << ", address "
                          << incident.first.address;
    }

    void compare_owner() {
        const auto address = uint32_t(pick(int(oracle_.bytes.size())));
        const Byte& byte = oracle_.bytes[address];
        if (byte.pending >= 0) return;
        const capture::Owner owner = owner_of(shadow_, address, 1);
        EXPECT_EQ(owner.warp, byte.owner.warp) << "step " << step_ << " byte " << address;
        EXPECT_EQ(owner.lane, byte.owner.lane) << "step " << step_ << " byte " << address;
        EXPECT_EQ(owner.site, byte.owner.site) << "step " << step_ << " byte " << address;
        EXPECT_EQ(owner.epoch, byte.owner.epoch) << "step " << step_ << " byte " << address;
    }

    std::mt19937_64 random_;
    Sizes sizes_;
    Oracle oracle_;
    Shadow shadow_;
    std::vector<Barrier> barriers_;
    std::array<Mbarrier, 2> mbarriers_;
    uint32_t running_ = 0, step_ = 1;
    size_t seen_ = 0;
    uint32_t addresses_[32] = {};
    std::byte values_[16 * 32] = {};
    std::vector<uint32_t> copy_;
    WarpAccess copy_access_;
};

}  // namespace wl::emulator
