// Whole warps against bytes: what the shadow of global memory makes of accesses that it looks at in lines and
// runs is what one entry a byte, looked at byte by byte, makes of them, wherever allocations begin and end.
#include "instrumentation/emulator/global/global_records.h"
#include "instrumentation/emulator/global/global_units.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace wl::emulator {
namespace {

constexpr int kBlocks = 3, kWarps = 3;
constexpr uint64_t kBytes = 4 * kPageBytes - 96;

struct Piece {
    uint64_t base = 0, bytes = 0;
};
using Pieces = std::vector<Piece>;

// A launch as the shadow sees it.
struct Side {
    GlobalMemory memory;
    GlobalShadow shadow;
    std::vector<std::unique_ptr<Shadow>> blocks;
    std::vector<std::unique_ptr<GlobalActor>> actors;

    explicit Side(
        LookFor look_for,
        const Pieces& pieces =
            {
                {kGlobalBase, kBytes}
    }
    ) {
        for (const Piece& p : pieces) execution::place(memory, "a", p.base, std::vector<std::byte>(p.bytes));
        start(shadow, memory, look_for);
        for (int b = 0; b < kBlocks; ++b) {
            blocks.push_back(std::make_unique<Shadow>());
            start(*blocks.back(), {.block = b, .threads = kWarps * 32, .bytes = 64});
            actors.push_back(std::make_unique<GlobalActor>());
            begin(*actors.back(), shadow, b, *blocks.back());
        }
    }
    void barrier(size_t block) {
        for (int warp = 0; warp < kWarps; ++warp) arrive(*blocks[block], 0, warp, true);
        complete(*blocks[block], 0);
    }
};

struct Step {
    size_t block = 0;
    GlobalRecord record;
    uint32_t mask = 0, bytes = 0;
    std::array<uint64_t, 32> at{};  // addresses
};

// One byte of a conflict: where, the lane that comes second, and site, block and lane of the first one, which
// of an access that meets several lanes is told of the first.
constexpr int kUntold = -2;
using Clash = std::tuple<uint64_t, int, uint32_t, uint32_t, int>;

std::set<Clash> taken(GlobalActor& actor) {
    std::set<Clash> out;
    const bool all = actor.conflicts.size() < kMostConflicts;
    for (const GlobalConflict& c : actor.conflicts)
        for (uint32_t k = 0; all && k < c.bytes; ++k)
            out.insert(
                {c.allocation->base + c.offset + k,
                 c.lane,
                 c.first.site,
                 c.first.block,
                 k < c.first_bytes ? c.first_lane : kUntold}
            );
    actor.conflicts.clear();
    return out;
}

std::set<Clash> whole(Side& side, const Step& step, bool& cut) {
    GlobalActor& actor = *side.actors[step.block];
    GlobalTouch t{step.record, step.mask, step.bytes, step.at};
    touch(actor, t);
    cut = actor.conflicts.size() >= kMostConflicts;
    return taken(actor);
}

// Pages of bytes, of the oracle. A byte is of one allocation alone.
struct Bytes {
    std::map<uint64_t, std::unique_ptr<GlobalPage>> pages;
    GlobalPage& page(uint64_t address) {
        auto& page = pages[address / kPageBytes];
        if (page == nullptr) page = std::make_unique<GlobalPage>(), page->shift = 0;
        return *page;
    }
};

// The lanes after `lane` that touch the same as it, up to the first that does not.
bool has_followers(const Step& step, int lane) {
    for (int next = lane + 1; next < 32; ++next)
        if ((step.mask >> next & 1) != 0)
            return step.at[static_cast<size_t>(next)] == step.at[static_cast<size_t>(lane)];
    return false;
}

std::set<Clash> byte_by_byte(Side& side, Bytes& bytes, const Step& step, bool& cut) {
    GlobalActor& actor = *side.actors[step.block];
    GlobalRecord record = step.record;
    record.at = now(actor.order, record.warp);
    const uint32_t number = number_of(actor, record);
    uint64_t last = ~uint64_t{0};
    std::set<Clash> out;
    cut = false;
    for (int lane = 0; lane < 32; ++lane) {
        const uint64_t at = step.at[static_cast<size_t>(lane)];
        if ((step.mask >> lane & 1) == 0 || at == last || at % step.bytes != 0) continue;
        const auto& all = side.memory.allocations;
        const auto holder = std::find_if(all.begin(), all.end(), [&](const Allocation& a) {
            const uint64_t into = at - a.base, size = a.bytes.size();
            return into < size && step.bytes <= size - into;
        });
        if (holder == all.end()) continue;
        last = at;
        const NowTouched now{actor, record, *holder, number};
        for (uint64_t k = at; k < at + step.bytes; ++k) {
            touch_unit(now, bytes.page(k), k % kPageBytes, {k, 1, lane, has_followers(step, lane)});
            cut = cut || actor.conflicts.size() >= kMostConflicts;
            out.merge(taken(actor));
        }
    }
    return out;
}

// The same bytes, and where the first lane is told the same one.
bool agree(const std::set<Clash>& got, const std::set<Clash>& wanted) {
    const auto untold = [](const std::set<Clash>& all) {
        std::set<Clash> out;
        for (Clash c : all) std::get<4>(c) = kUntold, out.insert(c);
        return out;
    };
    return untold(got) == untold(wanted) && std::all_of(got.begin(), got.end(), [&](const Clash& c) {
               return std::get<4>(c) == kUntold || wanted.contains(c);
           });
}

std::string beside(const std::set<Clash>& one, const std::set<Clash>& other) {
    std::vector<Clash> out;
    std::set_difference(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(out));
    out.resize(std::min<size_t>(out.size(), 20));
    return testing::PrintToString(out);
}

class Accesses {
public:
    explicit Accesses(
        uint32_t seed,
        Pieces pieces =
            {
                {kGlobalBase, kBytes}
    }
    ) :
        random_(seed), pieces_(std::move(pieces)) {}
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
    Step next() {
        Step s;
        s.block = below(kBlocks);
        s.record.block = static_cast<uint32_t>(s.block);
        s.record.warp = static_cast<uint8_t>(below(kWarps));
        s.record.site = below(4);
        if (below(3) == 0) s.record.flags |= GlobalRecord::kWrite;
        if (below(5) == 0) s.record.flags |= GlobalRecord::kStrong;
        if ((s.record.flags & GlobalRecord::kStrong) != 0 && below(2) == 0)
            s.record.flags |= GlobalRecord::kWrite | GlobalRecord::kUpdate | GlobalRecord::kOrdered;
        constexpr std::array<uint32_t, 8> kSizes{1, 2, 4, 4, 4, 4, 8, 16};
        s.bytes = kSizes[below(8)];
        s.mask = below(3) == 0 ? random_() : below(4) == 0 ? ~0u << below(32) : ~0u;
        if (s.mask == 0) s.mask = 1;
        place(s);
        return s;
    }

private:
    std::mt19937 random_;
    Pieces pieces_;
    // Rows of whole lines, rows that begin anywhere, one place for all, strides; of some the last lanes lie
    // outside, or in the next allocation; and the very first and last bytes. Some from the last lane to the
    // first, some in any order.
    void place(Step& s) {
        const Piece& piece = pieces_[below(static_cast<uint32_t>(pieces_.size()))];
        const uint32_t kind = below(10), span = 32 * s.bytes;
        const auto spans = static_cast<uint32_t>(piece.bytes / span + 1);
        uint64_t start = piece.base / span * span + uint64_t{below(spans)} * span, step = s.bytes;
        if (kind == 5) start += s.bytes * below(32);
        if (kind == 6) step = 0;
        if (kind == 7) step = uint64_t{s.bytes} * (2 + below(5));
        if (kind == 8) start = piece.base / s.bytes * s.bytes;
        if (kind == 9) start = (piece.base + piece.bytes) / s.bytes * s.bytes - uint64_t{s.bytes} * below(33);
        if (below(64) == 0) start += below(16);
        for (size_t l = 0; l < 32; ++l) s.at[l] = start + l * step;
        if (below(6) == 0) std::reverse(s.at.begin(), s.at.end());
        if (below(12) == 0) std::shuffle(s.at.begin(), s.at.end(), random_);
    }
};

class GlobalRuns : public testing::TestWithParam<bool> {};

// Allocations that begin and end anywhere: most of them touch their neighbour, or share a unit of 8 or 16
// bytes with it; some are empty, some of a few bytes.
Pieces pieces_of(uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    constexpr std::array<uint64_t, 4> kStarts{
        1, kPageBytes, kGlobalBase, 0x00ff'ffff'ffff'0000};  // the last: where global memory ends
    const uint64_t start = kStarts[seed % kStarts.size()];
    uint64_t at = start + below(32);
    Pieces out;
    for (int k = 0; k < 4; ++k) {
        const uint32_t kind = below(5);
        const uint64_t bytes = kind == 0 ? below(20) : kind == 1 ? 0 : 1 + below(3 * kPageBytes);
        out.push_back({at, bytes});
        at += bytes + (below(3) == 0 ? below(40) : 0);
        if (bytes == 0) ++at;
    }
    return out;
}

TEST_P(GlobalRuns, FindWhatBytesFind) {
    size_t clashes = 0;
    for (uint32_t seed = 1; seed <= 24; ++seed) {
        const LookFor look_for{.witnesses = true, .blocks_ordered = GetParam()};
        const Pieces pieces = seed <= 8 ? Pieces{{kGlobalBase, kBytes}} : pieces_of(seed);
        Side one(look_for, pieces), other(look_for, pieces);
        Bytes bytes;
        Accesses accesses(seed, pieces);
        for (int k = 0; k < 250; ++k) {
            if (accesses.below(6) == 0) {
                const size_t block = accesses.below(kBlocks);
                one.barrier(block), other.barrier(block);
            }
            const Step step = accesses.next();
            bool one_cut = false, other_cut = false;
            const std::set<Clash> got = whole(one, step, one_cut),
                                  wanted = byte_by_byte(other, bytes, step, other_cut);
            clashes += wanted.size();
            if (one_cut || other_cut) continue;
            ASSERT_TRUE(agree(got, wanted)) << "seed " << seed << ", access " << k << ": found "
                                            << beside(got, wanted) << ", not " << beside(wanted, got);
        }
    }
    EXPECT_GT(clashes, 10000u);
}

INSTANTIATE_TEST_SUITE_P(Orders, GlobalRuns, testing::Bool());

// A page whose lines are touched whole keeps an entry a line, and none a unit until somebody comes otherwise.
TEST(GlobalRuns, LinesAreOneEntryEach) {
    Side side({.witnesses = true});
    Step step;
    step.mask = ~0u, step.bytes = 4;
    step.record.flags = GlobalRecord::kWrite;
    for (size_t l = 0; l < 32; ++l) step.at[l] = kGlobalBase + 128 + 4 * l;
    bool cut = false;
    EXPECT_TRUE(whole(side, step, cut).empty());
    const GlobalPage& page = *side.shadow.regions[0].pages[0].load();
    EXPECT_TRUE(page.by_line);
    EXPECT_EQ(page.writer.size(), size_t{kPageBytes / 128});
    step.mask = 2;
    EXPECT_TRUE(whole(side, step, cut).empty());
    EXPECT_FALSE(page.by_line);
    ASSERT_EQ(page.writer.size(), size_t{kPageBytes / 4});
    EXPECT_EQ(lane_of(page.writer[33]), 1);
    EXPECT_EQ(lane_of(page.writer[63]), 31);
    EXPECT_EQ(page.writer[64], 0u);
}

// The bytes of an allocation, touched by lane 0 of warp 0.
size_t clashes_of(Side& side, size_t block, uint8_t flags, uint64_t at) {
    Step step;
    step.block = block, step.mask = 1, step.bytes = 4, step.at[0] = kGlobalBase + at;
    step.record.block = static_cast<uint32_t>(block), step.record.flags = flags;
    step.record.site = flags;
    bool cut = false;
    return whole(side, step, cut).size();
}

// What malloc gives out anew has neither writer nor readers, nor the plain store that atomics came behind;
// and the piece beside it keeps its own.
TEST(GlobalRuns, WhatIsForgottenMeetsNobody) {
    constexpr uint8_t kRead = 0, kStore = GlobalRecord::kWrite,
                      kAtomic = GlobalRecord::kWrite | GlobalRecord::kUpdate | GlobalRecord::kStrong |
        GlobalRecord::kOrdered;
    const std::vector<std::vector<uint8_t>> pasts{
        {kStore  },
        {       kStore, kAtomic},
        {       kRead       },
        { kAtomic,        kRead}
    };
    for (size_t k = 0; k < pasts.size(); ++k)
        for (const uint8_t now : {kStore, kAtomic, kRead}) {
            Side side({.witnesses = true, .blocks_ordered = true}), kept({.witnesses = true});
            for (const uint64_t at : {64u, 80u})
                for (const uint8_t flags : pasts[k])
                    clashes_of(side, 0, flags, at), clashes_of(kept, 0, flags, at);
            forget(side.shadow, kGlobalBase + 64, 16);
            EXPECT_EQ(clashes_of(side, 1, now, 64), 0u) << "past " << k << ", now " << int{now};
            const size_t beside = clashes_of(side, 1, now, 80);
            EXPECT_EQ(beside, clashes_of(kept, 1, now, 80));
            const bool reads_only = pasts[k].back() == kRead && pasts[k].size() == 1 && now == kRead;
            EXPECT_EQ(beside > 0, !reads_only) << "past " << k << ", now " << int{now};
        }
}

}  // namespace
}  // namespace wl::emulator
