// Time travel: a debug build's variables at any instant of a warp, forward and back.
#include "instrumentation/base/error.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/travel/instant.h"
#include "instrumentation/travel/search.h"
#include "tests/travel/travel_hash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace wl::travel {
namespace {

// Line numbers matter: the tests go to them.
const char* const kSource = R"(struct Pair { int low; float high; };
__device__ __noinline__ int depth(int n) {
    int mine = n * 10;
    return n == 0 ? mine : mine + depth(n - 1);
}
extern "C" __global__ void k(const float* in, float* out, int n) {
    __shared__ float words[64];  // not in what NVRTC says of variables
    int i = threadIdx.x; float* tile = words;
    tile[i] = in[i] * 2.0f;
    __syncthreads();
    float sum = 0.0f;
    float history[4] = {};
    Pair pair = {i, 0.5f};
    for (int round = 0; round < n; ++round) {
        float x = tile[(i + round) % 64];
        sum += x;
        history[round % 4] = sum;
        if (i % 2 == 0) pair.low += round;
    }
    out[i] = sqrtf(40.0f - sum) + history[1] + pair.low + depth(i % 3);
}
)";

struct Travel : testing::Test {
    ptx::Module module;
    Route route;

    void SetUp() override {
        const auto path =
            std::filesystem::temp_directory_path() / ("travel_" + std::to_string(getpid()) + ".cu");
        std::ofstream(path) << kSource;
        compile::CompileOptions options;
        options.source_path = path.string();
        options.display_path = "k.cu";
        options.debug = true;
        module = ptx::parse(compile::compile(options).ptx);
        std::filesystem::remove(path);
        start({});
    }
    // From the block's start, with these key frames and this schedule.
    void start(emulator::ReplaySpec journey) {
        journey.program = emulator::lower(module, "k");
        journey.launch.block = {64, 1, 1};
        journey.launch.grid = {1, 1, 1};
        std::vector<std::byte> in(256), out(256);
        for (int i = 0; i < 64; ++i) {
            const auto value = static_cast<float>(i);
            std::memcpy(in.data() + static_cast<size_t>(i) * 4, &value, 4);
        }
        const uint64_t addresses[] = {
            allocate(journey.memory, "in", in), allocate(journey.memory, "out", out)};
        const int n = 5;
        journey.launch.params.resize(20);
        std::memcpy(journey.launch.params.data(), addresses, 16);
        std::memcpy(journey.launch.params.data() + 16, &n, 4);
        route = make_route(module, std::move(journey));
    }
    Found to(int warp, int line, int64_t hit, const std::string& when = "") {
        Wanted wanted;
        wanted.warp = warp;
        wanted.line = line;
        wanted.hit = hit;
        if (!when.empty()) wanted.when = watch::parse(when);
        return go(route, wanted);
    }
    std::string lane(const std::string& expression, int which) {
        const watch::Environment environment = environment_here(route);
        return watch::text_of(watch::evaluate(watch::parse(expression), environment), which, environment);
    }
    // Of every instant of all warps in the order of execution: registers, and the tile in shared memory.
    std::vector<uint64_t> hashes() {
        std::vector<uint64_t> all;
        emulator::run_until(*route.traveller, -1, [&](const emulator::Here& here) {
            EXPECT_EQ(here.order, all.size());
            all.push_back(hash_of_all());
            return false;
        });
        return all;
    }
    uint64_t hash_of_all() {
        uint64_t h = hash();
        std::array<std::byte, 256> words{};
        emulator::read_memory(*route.traveller, {ptx::Space::shared, 0, 0}, words);
        for (const std::byte b : words) h = (h ^ static_cast<uint64_t>(b)) * 1099511628211u;
        return h;
    }
    // Of every register of the running function in all lanes.
    uint64_t hash() { return hash_of_registers(route); }
};

TEST_F(Travel, VariablesOfEachLaneHaveTheirValuesAtTheLine) {
    ASSERT_TRUE(to(1, 17, 2).found);  // history[round % 4] = sum, for the third time
    EXPECT_EQ(lane("round", 0), "2");
    EXPECT_EQ(lane("i", 5), "37");
    EXPECT_EQ(lane("sum", 0), "198");  // 2 (32 + 33 + 34)
    EXPECT_EQ(lane("x", 3), "74");
    EXPECT_EQ(lane("history", 0), "[64, 130, 0, 0]");
    EXPECT_EQ(lane("history[round - 1]", 1), "134");
    EXPECT_EQ(lane("tile[i]", 31), "126");
    EXPECT_EQ(lane("in[i] * 0.5", 2), "17");
    EXPECT_EQ(lane("pair.low - threadIdx.x", 2), "1");
    EXPECT_EQ(lane("pair", 3), "{low 35, high 0.5}");
    EXPECT_EQ(lane("warp.max(sum)", 0), "372");  // 2 (61 + 62 + 63)
    EXPECT_EQ(lane("n + blockDim.x", 0), "69");
    EXPECT_EQ(origin_of(route, "sum").find("source variable in %"), 0u) << origin_of(route, "sum");
}

TEST_F(Travel, EveryInstantIsKeptAsItWas) {
    using Fields = std::array<uint64_t, 8>;
    const auto fields = [](const emulator::Here& h) {
        return Fields{
            static_cast<uint64_t>(h.warp),
            h.time,
            h.site,
            h.lanes,
            h.order,
            h.nth,
            h.depth,
            static_cast<uint64_t>(h.epoch)};
    };
    std::vector<Fields> live, kept;
    emulator::run_until(*route.traveller, -1, [&](const emulator::Here& here) {
        live.push_back(fields(here));
        return false;
    });
    each_instant(route, -1, [](const emulator::Here&, bool) { return false; });
    each_instant(route, -1, [&](const emulator::Here& here, bool is_live) {
        EXPECT_FALSE(is_live);
        kept.push_back(fields(here));
        return false;
    });
    EXPECT_EQ(kept, live);
}

// Every arrival once live, once known; and with a trace that holds but a part of the block.
TEST_F(Travel, AnArrivalIsTheSameWhetherTheBlockRunsOrWasKept) {
    const auto orders = [&] {
        std::vector<uint64_t> all;
        const auto ask = [&](int warp, int line, int64_t hit, const std::string& when = "") {
            const Found found = to(warp, line, hit, when);
            EXPECT_TRUE(found.found) << line;
            const emulator::Here& h = emulator::here(*route.traveller);
            all.insert(all.end(), {h.order, h.time, h.site, h.lanes, static_cast<uint64_t>(found.arrivals)});
        };
        for (const int64_t hit : {2, -2}) ask(1, 17, hit);
        ask(0, 3, 1);
        ask(-1, 15, 7);
        ask(0, 16, 0, "round == 3 && sum > 100");
        return all;
    };
    const std::vector<uint64_t> kept = orders();
    EXPECT_TRUE(route.trace.complete);
    EXPECT_LT(route.trace.runs.size(), route.trace.end / 2) << "instructions in a row are one run";
    EXPECT_EQ(orders(), kept);
    for (const uint64_t most : {uint64_t{0}, 20 * sizeof(StraightRun)}) {
        start({});
        route.trace.most_bytes = most;
        EXPECT_EQ(orders(), kept) << most;
        EXPECT_EQ(orders(), kept) << most;
        EXPECT_FALSE(route.trace.complete);
    }
}

TEST_F(Travel, SharedArraysThatNothingDescribesAreTakenFromThePtx) {
    ASSERT_TRUE(to(1, 17, 2).found);
    EXPECT_EQ(lane("words[i]", 31), "126");
    EXPECT_EQ(lane("words[40] - tile[40]", 0), "0");
    EXPECT_EQ(lane("words[64]", 0), "-") << "it has 64 elements";
    const std::string origin = origin_of(route, "words");
    EXPECT_EQ(origin.find("shared variable _ZZ1kE5words of the PTX, float by"), 0u) << origin;
}

TEST_F(Travel, HitsAreCountedFromEitherEnd) {
    EXPECT_EQ(to(0, 16, 0).found, true);
    EXPECT_EQ(lane("round", 0), "0");
    EXPECT_EQ(to(0, 16, -1).found, true);
    EXPECT_EQ(lane("round", 0), "4");
    EXPECT_EQ(to(0, 16, -2).found, true);
    EXPECT_EQ(lane("round", 0), "3");
    const Found none = to(0, 16, 5);
    EXPECT_FALSE(none.found);
    EXPECT_EQ(none.arrivals, 5);
    EXPECT_FALSE(to(0, 999, 0).found);
}

TEST_F(Travel, AConditionStopsWhereItFirstHolds) {
    ASSERT_TRUE(to(0, 17, 0, "warp.any(sum > 100)").found);
    EXPECT_EQ(lane("round", 0), "1");  // lane 31: 62 + 64
    EXPECT_EQ(lane("sum", 31), "126");
    EXPECT_THROW(to(0, 17, 0, "sun > 1"), Error);
}

TEST_F(Travel, StepsGoForwardAndBack) {
    ASSERT_TRUE(to(0, 16, 1).found);
    const emulator::Here start = emulator::here(*route.traveller);
    const uint64_t at_start = hash();
    ASSERT_TRUE(step(route, 7));
    const emulator::Here later = emulator::here(*route.traveller);
    EXPECT_NE(later.site, start.site);
    EXPECT_NE(hash(), at_start);
    ASSERT_TRUE(step(route, -7));
    EXPECT_EQ(emulator::here(*route.traveller).time, start.time);
    EXPECT_EQ(emulator::here(*route.traveller).site, start.site);
    EXPECT_EQ(hash(), at_start);
    for (const int64_t far : {-100000, 100000}) {
        EXPECT_FALSE(step(route, far));
        EXPECT_EQ(hash(), at_start) << "it stands where it stood";
    }
}

TEST_F(Travel, EveryInstantHoldsWhatTheFirstRunHeld) {
    std::map<uint64_t, uint64_t> first;
    emulator::run_until(*route.traveller, 1, [&](const emulator::Here& here) {
        first[here.time] = hash();
        return false;
    });
    ASSERT_GT(first.size(), 100u);
    size_t k = 0;
    for (const auto& [time, expected] : first) {
        if (k++ % 13 != 0) continue;
        Wanted wanted;
        wanted.warp = 1;
        wanted.time = time;
        ASSERT_TRUE(go(route, wanted).found);
        EXPECT_EQ(hash(), expected) << "time " << time;
    }
}

TEST_F(Travel, KeyFramesChangeNothingThatAnInstantHolds) {
    for (const uint64_t seed : {0, 5}) {
        emulator::ReplaySpec plain;
        plain.schedule_seed = seed;
        plain.key_frame_bytes = 0;
        start(plain);
        const std::vector<uint64_t> first = hashes();
        EXPECT_EQ(emulator::key_frame_orders(*route.traveller).size(), 1u);
        ASSERT_TRUE(emulator::go_to(*route.traveller, first.size() / 2));
        EXPECT_EQ(hash_of_all(), first[first.size() / 2]) << "from the start again";

        plain.key_frame_bytes = 64 << 20;
        plain.key_frame_interval = 37;
        start(plain);
        EXPECT_EQ(hashes(), first);
        EXPECT_GT(emulator::key_frame_orders(*route.traveller).size(), first.size() / 40);
        // Back and forth, so that states are restored, gone on from, and restored over later ones.
        for (size_t k = 0; k < first.size(); k += 23) {
            const size_t order = k % 2 == 0 ? first.size() - 1 - k : k;
            ASSERT_TRUE(emulator::go_to(*route.traveller, order));
            ASSERT_EQ(hash_of_all(), first[order]) << "instant " << order << ", schedule " << seed;
            EXPECT_EQ(emulator::here(*route.traveller).order, order);
        }
        EXPECT_EQ(hashes(), first);
    }
}

TEST_F(Travel, StoppingAndGoingOnChangesNothing) {
    start({});
    const std::vector<uint64_t> first = hashes();
    for (size_t order = 0; order < first.size(); order += 1 + order % 7) {
        ASSERT_TRUE(emulator::go_to(*route.traveller, order));
        ASSERT_EQ(hash_of_all(), first[order]) << order;
    }
    EXPECT_FALSE(emulator::go_to(*route.traveller, first.size()));
}

TEST_F(Travel, KeyFramesKeepToTheirMemory) {
    emulator::ReplaySpec journey;
    journey.key_frame_bytes = 1 << 20;
    journey.key_frame_interval = 10;
    start(journey);
    const std::vector<uint64_t> first = hashes();
    EXPECT_LE(emulator::key_frame_bytes(*route.traveller), journey.key_frame_bytes);
    const std::vector<uint64_t> orders = emulator::key_frame_orders(*route.traveller);
    EXPECT_GE(orders.size(), 3u);
    EXPECT_EQ(orders.front(), 0u);
    ASSERT_TRUE(emulator::go_to(*route.traveller, first.size() / 2));
    EXPECT_EQ(hash_of_all(), first[first.size() / 2]);
}

TEST_F(Travel, AReturnIntoALineIsNoNewArrival) {
    ASSERT_TRUE(to(0, 20, 0).found);  // out[i] = ... + depth(i % 3)
    const Found again = to(0, 20, 1);
    EXPECT_FALSE(again.found) << "depth() returned into the line";
    EXPECT_EQ(again.arrivals, 1);
}

TEST_F(Travel, EachActivationHasItsOwnVariables) {
    ASSERT_TRUE(to(0, 4, 0, "n == 1").found);
    EXPECT_EQ(lane("mine", 1), "10");
    EXPECT_EQ(lane("mine", 2), "20");
    ASSERT_TRUE(to(0, 4, 1, "n == 1").found);  // one call deeper
    EXPECT_EQ(lane("mine", 2), "10");
    EXPECT_EQ(lane("mine", 0), "-") << "this lane needs no further call";
    const auto active = emulator::activations(*route.traveller);
    ASSERT_EQ(active.size(), 3u);
    EXPECT_NE(active.front().name.find("depth"), std::string::npos);
    EXPECT_EQ(active.back().name, "k");
}

TEST_F(Travel, DivergedLanesAreNotThere) {
    ASSERT_TRUE(to(0, 18, 0, "lane % 2 == 0 && round == 3").found);
    const uint32_t lanes = emulator::here(*route.traveller).lanes;
    for (int k = 0; k < 32; ++k) EXPECT_EQ(lane("round", k), (lanes >> k & 1) != 0 ? "3" : "-");
}

TEST_F(Travel, AWarpThatIsHeldBackBeforeABarrierComesToItOnce) {
    for (const uint64_t seed : {0, 5}) {
        emulator::ReplaySpec journey;
        journey.schedule_seed = seed;
        start(std::move(journey));
        std::map<int, int> arrivals;  // by warp
        emulator::run_until(*route.traveller, -1, [&](const emulator::Here& here) {
            const std::string& m = route.instructions[here.site]->mnemonic;
            arrivals[here.warp] += m.starts_with("bar.sync") || m.starts_with("barrier.sync");
            return false;
        });
        EXPECT_EQ(
            arrivals,
            (std::map<int, int>{
                {0, 1},
                {1, 1}
        })
        ) << seed;
    }
}

TEST_F(Travel, UnknownNamesSayWhatIsNear) {
    ASSERT_TRUE(to(0, 16, 0).found);
    try {
        lane("histroy[0]", 0);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean history?"), std::string::npos) << error.what();
    }
}

TEST_F(Travel, ArrivalsAreCountedFromAnAnchor) {
    std::vector<uint64_t> orders;
    for (int64_t hit = 0; to(1, 17, hit).found; ++hit)
        orders.push_back(emulator::here(*route.traveller).order);
    ASSERT_EQ(orders.size(), 5U) << "rounds";
    const auto from = [&](Wanted::Side side, uint64_t anchor, int64_t hit) {
        Wanted wanted;
        wanted.warp = 1;
        wanted.line = 17;
        wanted.side = side;
        wanted.anchor = anchor;
        wanted.hit = hit;
        return go(route, wanted).found ? emulator::here(*route.traveller).order : UINT64_MAX;
    };
    constexpr auto kBefore = Wanted::Side::before, kBehind = Wanted::Side::behind;
    EXPECT_EQ(from(kBefore, orders[2], 0), orders[1]) << "an arrival at the anchor is not before it";
    EXPECT_EQ(from(kBefore, orders[2] + 1, 0), orders[2]);
    EXPECT_EQ(from(kBehind, orders[2], 0), orders[2]);
    EXPECT_EQ(from(kBehind, orders[2] + 1, 0), orders[3]);
    EXPECT_EQ(from(kBefore, orders[2], 2), orders[3]);
    EXPECT_EQ(from(kBehind, orders[2], -2), orders[0]);
    EXPECT_EQ(from(kBefore, 0, 0), orders[0]) << "none is before: the first behind";
    EXPECT_EQ(from(kBehind, UINT64_MAX, 0), orders[4]) << "none is behind: the last before";
    EXPECT_EQ(from(kBefore, orders[2], 4), UINT64_MAX) << "so many do not follow";
    EXPECT_EQ(from(kBehind, orders[2], -3), UINT64_MAX) << "so many do not come before";
}

TEST_F(Travel, TheLastWriteBeforeAnInstantIsNotTheOneAtIt) {
    const Bytes word{emulator::kSharedBase, 4};  // words[0], written once
    ASSERT_TRUE(next_write(route, word, 0));
    const uint64_t write = emulator::here(*route.traveller).order;
    EXPECT_FALSE(last_write(route, word, write));
    ASSERT_TRUE(last_write(route, word, write + 1));
    EXPECT_EQ(emulator::here(*route.traveller).order, write);
    EXPECT_TRUE(next_write(route, word, write));
    EXPECT_FALSE(next_write(route, word, write + 1));
}

}  // namespace
}  // namespace wl::travel
