// Time travel in runs of other schedules: every instruction of a block finds the registers and the shared
// memory that it found in the run, whatever made its schedule so.
#include "instrumentation/emulator/global/explore.h"
#include "instrumentation/emulator/global/turn_log.h"
#include "instrumentation/emulator/hash.h"
#include "instrumentation/emulator/machine/block.h"
#include "tests/travel/travel_launch.h"

#include <algorithm>
#include <bit>
#include <set>
#include <sstream>

namespace wl::travel {
namespace {

using emulator::PairOrder;

// An instruction about to be executed, and all that its lanes hold.
struct Seen {
    int warp = 0;
    uint64_t time = 0;
    uint32_t site = 0, lanes = 0;
    uint64_t held = 0;
    bool operator==(const Seen&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Seen& s) {
    return out << "warp " << s.warp << ", time " << s.time << ", site " << s.site << ", lanes " << s.lanes
               << ", hash " << s.held;
}

// Who looks over the executors' shoulders; they are functions, so there is one at a time.
struct Spy {
    std::shared_ptr<const emulator::Program> original;
    int64_t block = 0;
    std::vector<Seen> seen;
};
Spy* spying = nullptr;

const emulator::Instr* look_and_go_on(emulator::Warp& w, const emulator::Instr* i) {
    const emulator::Block& block = *w.block;
    const auto index = static_cast<size_t>(i - block.context.program->code[block.now.variant].data());
    if (block.now.index == spying->block) {
        emulator::Hash hash;
        add(hash, std::as_bytes(std::span(w.frame->storage)));
        add(hash, block.shared);
        add(hash, w.stack.bytes);
        spying->seen.push_back({w.index, emulator::time_at(w, i), i->site, w.mask, hash.value});
    }
    return spying->original->code[block.now.variant][index].exec(w, i);
}

// A launch whose program is spied on, in every run and on every route.
struct Spied : Launched {
    Spy spy;

    explicit Spied(const char* source) : Launched(emulator::test::ptx_of(source)) {
        spy.original = program;
        auto copy = std::make_shared<emulator::Program>(*program);
        for (auto& code : copy->code)
            for (emulator::Instr& i : code) i.exec = look_and_go_on;
        program = copy;
    }
    std::vector<Seen> seen_of(int64_t block, const std::function<void()>& run) {
        spy.block = block;
        spy.seen.clear();
        spying = &spy;
        run();
        spying = nullptr;
        return std::move(spy.seen);
    }
    std::vector<Seen> in_the_launch(int64_t block, uint64_t seed, bool checked) {
        return seen_of(block, [&] {
            execution::RunOptions options;
            options.schedule_seed = seed;
            if (!checked) options.checks = {false, false, false};
            execution::GlobalMemory after = memory;
            emulator::run(*program, launch, after, options);
        });
    }
    std::vector<Seen> when_recorded(int64_t block, uint64_t seed) {
        return seen_of(block, [&] {
            execution::GlobalMemory after;
            EXPECT_EQ(emulator::test::told(record(block, seed, after)), "");
        });
    }
    void start(int64_t block, uint64_t seed, uint64_t interval) {
        emulator::ReplaySpec j = journey(block, seed);
        if (interval == 0) j.key_frame_bytes = 0;
        j.key_frame_interval = interval;
        spying = &spy;
        route = make_route(module, std::move(j));
    }
    std::vector<Seen> on_the_route() {
        return seen_of(spy.block, [&] {
            emulator::run_until(*route.traveller, -1, [](const emulator::Here&) { return false; });
        });
    }
    // The instant is reached, and the instruction then executed.
    Seen at(uint64_t order) {
        const std::vector<Seen> some = seen_of(spy.block, [&] {
            EXPECT_TRUE(emulator::go_to(*route.traveller, order));
            spy.seen.clear();
            emulator::run_from(*route.traveller, order, -1, [&](const emulator::Here& here) {
                return here.order > order;
            });
        });
        return some.empty() ? Seen{} : some.front();
    }
};

// Where two ways through a block part.
std::string difference(const std::vector<Seen>& is, const std::vector<Seen>& want) {
    const auto [a, b] = std::mismatch(is.begin(), is.end(), want.begin(), want.end());
    if (a == is.end() && b == want.end()) return "";
    std::ostringstream text;
    text << "instant " << a - is.begin() << " of " << is.size() << " and " << want.size();
    if (a != is.end()) text << "; is " << *a;
    if (b != want.end()) text << "; want " << *b;
    return text.str();
}

// The block sees in the launch, when it is recorded and on its way again the same; each instant for itself,
// too, with states kept and without, forward and back.
void expect_the_same_instants(Spied& k, int64_t block, uint64_t seed) {
    SCOPED_TRACE("block " + std::to_string(block) + ", schedule " + std::to_string(seed));
    const std::vector<Seen> run = k.in_the_launch(block, seed, false);
    ASSERT_GE(run.size(), 100U);
    EXPECT_EQ(difference(k.in_the_launch(block, seed, true), run), "") << "with every check";
    EXPECT_EQ(difference(k.when_recorded(block, seed), run), "") << "recorded";
    for (const uint64_t interval : {0, 23}) {
        k.start(block, seed, interval);
        ASSERT_EQ(difference(k.on_the_route(), run), "") << "interval " << interval;
        const size_t step = interval == 0 ? run.size() / 7 : 1 + run.size() / 97;
        for (size_t n = 0, order = 0; order < run.size(); order += step, ++n) {
            const size_t to = n % 2 == 0 ? order : run.size() - 1 - order;  // restored over later states
            ASSERT_EQ(k.at(to), run[to]) << "instant " << to << ", interval " << interval;
        }
        for (size_t order = run.size() / 3; order < run.size() / 3 + 50; ++order)
            ASSERT_EQ(k.at(order), run[order]) << "stopped at each one, interval " << interval;
        EXPECT_EQ(difference(k.on_the_route(), run), "") << "once more, interval " << interval;
    }
}

// Runs that differ from the fixed order in what the block's lanes hold, not only in when warps have a turn.
bool differs(Spied& k, int64_t block, uint64_t seed) {
    const auto held = [](const std::vector<Seen>& all) {
        std::multiset<std::pair<uint32_t, uint64_t>> out;
        for (const Seen& s : all) out.insert({s.site, s.held});
        return out;
    };
    return held(k.in_the_launch(block, seed, false)) != held(k.in_the_launch(block, 0, false));
}

// The races of the launch, each in both orders, as seeds.
std::vector<uint64_t> directed_seeds(const Spied& k) {
    execution::RunOptions options;
    execution::GlobalMemory after = k.memory;
    const execution::RunResult result = emulator::run(*k.spy.original, k.launch, after, options);
    std::vector<uint64_t> seeds;
    for (const execution::Incident& i : result.incidents) {
        const auto point = [](const execution::Access& a) {
            return emulator::AccessPoint{a.site, a.block, a.warp, std::countr_zero(a.lanes)};
        };
        const int epoch = std::min(i.first.epoch, i.second.epoch);
        for (const PairOrder& order : {
                 PairOrder{point(i.first),  point(i.second), epoch},
                 PairOrder{point(i.second), point(i.first),  epoch}
        }) {
            const auto seed = directed_seed(order, schedule_space(*k.program, k.launch));
            if (seed) seeds.push_back(*seed);
        }
    }
    return seeds;
}

// Warps of a block hand words on in shared memory, and nothing orders them.
const char* const kWarps = R"(
extern "C" __global__ void k(unsigned* x, unsigned* y) {
    __shared__ unsigned s[256];
    const unsigned i = threadIdx.x, me = blockIdx.x * blockDim.x + i;
    s[i] = i;
    unsigned sum = 0;
    for (int round = 0; round < 6; ++round) {
        sum = sum * 31 + s[(i + 32) % blockDim.x] + x[me];
        if ((i & 3) == round % 4) s[i] = sum;
        y[me] = sum;
    }
}
)";

// Blocks read and write each other's words.
const char* const kBlocks = R"(
extern "C" __global__ void k(unsigned* x, unsigned* y) {
    const unsigned i = threadIdx.x, me = blockIdx.x * blockDim.x + i, all = gridDim.x * blockDim.x;
    unsigned sum = me;
    for (int round = 0; round < 5; ++round) {
        sum = sum * 17 + x[(me + 40) % all];
        x[me] = sum;
        y[me] = sum ^ x[(me + 200) % all];
    }
}
)";

// Counters that lose updates, and one that does not.
const char* const kCounters = R"(
extern "C" __global__ void k(unsigned* x, unsigned* y) {
    unsigned mine = 0;
    for (int round = 0; round < 4; ++round) {
        if (threadIdx.x % 32 == 0) x[round] += 1;
        if (threadIdx.x == 5) mine += atomicAdd(&x[7], 1u);
        mine = mine * 3 + x[round];
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}
)";

// The same between barriers of the block and of warps.
const char* const kBarriers = R"(
extern "C" __global__ void k(unsigned* x, unsigned* y) {
    __shared__ unsigned s[128];
    const unsigned i = threadIdx.x;
    s[i] = i;
    __syncthreads();
    unsigned sum = x[i];
    for (int round = 0; round < 4; ++round) {
        sum = sum * 31 + s[(i + 32) % blockDim.x];
        __syncwarp();
        s[i] = sum + __shfl_xor_sync(0xffffffffu, sum, 1);
        if (i % 32 < 16) __syncwarp(0xffffu);
        if (round == 2) __syncthreads();
        sum += s[(i + 64) % blockDim.x];
    }
    y[i] = sum;
}
)";

// Lanes of a warp on two ways.
const char* const kLanesApart = R"(
extern "C" __global__ void k(unsigned* x, unsigned* y) {
    __shared__ unsigned s[64];
    const unsigned i = threadIdx.x;
    s[i] = i;
    unsigned mine = x[i] + 1;
    if (i % 2 == 0) { s[i ^ 1] = mine * 5; mine += 2; }
    else { mine += s[i]; }
    for (int round = 0; round < 4; ++round) mine = mine * 7 + x[(mine + i) % 64];
    y[i] = mine + s[i];
}
)";

// A block waits for the one before it, and polls as it does.
const char* const kChain = R"(
extern "C" __global__ void k(unsigned* x, unsigned* y) {
    __shared__ unsigned before;
    volatile unsigned* flag = x;
    if (threadIdx.x == 0) {
        while (blockIdx.x != 0 && flag[blockIdx.x - 1] == 0) {}
        __threadfence();
        before = blockIdx.x == 0 ? 1 : y[(blockIdx.x - 1) * blockDim.x];
    }
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = before * 3 + threadIdx.x;
    __syncthreads();
    __threadfence();
    if (threadIdx.x == 0) flag[blockIdx.x] = 1;
}
)";

Spied subject(const char* source, uint32_t blocks, uint32_t threads) {
    Spied k(source);
    k.launch.grid = {blocks, 1, 1}, k.launch.block = {threads, 1, 1};
    k.words("x", 512), k.words("y", 512);
    return k;
}

TEST(TravelSchedules, WarpsThatRaceInSharedMemory) {
    Spied k = subject(kWarps, 2, 128);
    for (const uint64_t seed : {1, 2, 3, 77}) {
        EXPECT_TRUE(differs(k, 1, seed)) << seed;
        expect_the_same_instants(k, 1, seed);
    }
}

TEST(TravelSchedules, WarpsThatRaceBetweenBarriers) {
    Spied k = subject(kBarriers, 1, 128);
    EXPECT_TRUE(differs(k, 0, 1));
    for (const uint64_t seed : {0, 1, 5}) expect_the_same_instants(k, 0, seed);
    for (const uint64_t seed : directed_seeds(k)) expect_the_same_instants(k, 0, seed);
}

TEST(TravelSchedules, BlocksThatRaceInGlobalMemory) {
    Spied k = subject(kBlocks, 5, 64);
    for (const uint64_t seed : {1, 2, 8}) {
        EXPECT_TRUE(differs(k, 2, seed)) << seed;
        for (const int64_t block : {0, 2, 4}) expect_the_same_instants(k, block, seed);
    }
}

TEST(TravelSchedules, CountersThatLoseUpdates) {
    Spied k = subject(kCounters, 6, 64);
    for (const uint64_t seed : {4, 5}) expect_the_same_instants(k, 3, seed);
}

TEST(TravelSchedules, LanesOfAWarpOnTwoWays) {
    Spied k = subject(kLanesApart, 1, 64);
    for (const uint64_t seed : {1, 6}) expect_the_same_instants(k, 0, seed);
}

TEST(TravelSchedules, BlocksThatWaitForEachOther) {
    Spied k = subject(kChain, 6, 64);
    for (const uint64_t seed : {1, 9}) expect_the_same_instants(k, 4, seed);
}

TEST(TravelSchedules, StoresThatNobodyTellsOfAreFoundInAllOfMemory) {
    const Launched k = subject(kChain, 6, 64);
    const Launched again(emulator::test::ptx_of(kChain));
    emulator::Program untold = *again.program;
    untold.memory_spans.clear();
    const auto pieces = [&](const emulator::Program& program) {
        std::vector<std::tuple<size_t, size_t, size_t, std::vector<std::byte>>> all;
        const emulator::TurnLog log = emulator::log_turns({program, k.launch, 4, 0, 0, 1 << 20}, k.memory);
        for (size_t turn = 0; turn < log.turns.size(); ++turn)
            for (const emulator::Piece& p : log.turns[turn].pieces)
                all.emplace_back(turn, p.memory, p.offset, p.bytes);
        std::sort(all.begin(), all.end());
        return all;
    };
    EXPECT_GE(pieces(*again.program).size(), 2U) << "what block 3 left, and its flag";
    EXPECT_EQ(pieces(untold), pieces(*again.program));
}

TEST(TravelSchedules, EitherOrderOfTwoWarpsThatADirectedSeedAsksFor) {
    Spied k = subject(kWarps, 2, 96);
    const std::vector<uint64_t> seeds = directed_seeds(k);
    ASSERT_GE(seeds.size(), 2U);
    EXPECT_TRUE(std::any_of(seeds.begin(), seeds.end(), [&](uint64_t s) { return differs(k, 0, s); }));
    for (const uint64_t seed : seeds) expect_the_same_instants(k, 0, seed);
}

TEST(TravelSchedules, EitherOrderOfTwoBlocksThatADirectedSeedAsksFor) {
    for (const char* source : {kBlocks, kCounters}) {
        Spied k = subject(source, 4, 64);
        const std::vector<uint64_t> seeds = directed_seeds(k);
        ASSERT_GE(seeds.size(), 2U);
        bool any = false;
        for (const uint64_t seed : seeds)
            for (const int64_t block : {0, 1, 3}) {
                any = any || differs(k, block, seed);
                expect_the_same_instants(k, block, seed);
            }
        EXPECT_TRUE(any);
    }
}

TEST(TravelSchedules, EitherOrderOfTwoLanesThatADirectedSeedAsksFor) {
    Spied k = subject(kLanesApart, 1, 64);
    const std::vector<uint64_t> seeds = directed_seeds(k);
    ASSERT_GE(seeds.size(), 2U);
    for (const uint64_t seed : seeds) expect_the_same_instants(k, 0, seed);
}

}  // namespace
}  // namespace wl::travel
