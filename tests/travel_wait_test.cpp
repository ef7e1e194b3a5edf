// Time travel in blocks that wait for other blocks: what they found among the others they find again alone.
#include "instrumentation/base/error.h"
#include "instrumentation/travel/instant.h"
#include "tests/emulator_cuda.h"
#include "tests/travel_hash.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <tuple>

namespace wl::travel {
namespace {

using emulator::Here;

// A launch of the kernel k over words of global memory, and a route through one of its blocks.
struct Waiting {
    ptx::Module module;
    std::shared_ptr<const emulator::Program> program;
    emulator::Launch launch;
    emulator::GlobalMemory memory;  // before the launch
    Route route;

    explicit Waiting(const std::string& ptx) :
        module(ptx::parse(ptx)), program(emulator::lower(module, "k")) {}

    // An argument of zeros.
    void words(const char* name, size_t count) {
        const uint64_t address = allocate(memory, name, std::vector<std::byte>(count * 4));
        const size_t at = launch.params.size();
        launch.params.resize(at + 8);
        std::memcpy(launch.params.data() + at, &address, 8);
    }
    emulator::Journey journey(int64_t block, uint64_t seed = 0) const {
        emulator::Journey j;
        j.program = program, j.launch = launch, j.memory = memory;
        j.block = block, j.schedule_seed = seed;
        j.key_frame_interval = 200;
        return j;
    }
    void travel(int64_t block, uint64_t seed = 0) { route = make_route(module, journey(block, seed)); }
    emulator::RunResult record(int64_t block, uint64_t seed, emulator::GlobalMemory& after) const {
        emulator::RunOptions options;
        options.blocks = {block};
        options.record = true;
        options.schedule_seed = seed;
        options.checks = {false, false, false};
        options.threads = 2;
        after = memory;
        return emulator::run(*program, launch, after, options);
    }
    // Of one in 29 instants: all registers of the running function in all lanes.
    static constexpr uint64_t kStep = 29;
    std::vector<uint64_t> hashes() {
        std::vector<uint64_t> some;
        emulator::run_until(*route.traveller, -1, [&](const Here& here) {
            if (here.order % kStep == 0) some.push_back(hash());
            return false;
        });
        return some;
    }
    uint64_t hash() const { return hash_of_registers(route); }
};

// Who stores what, when: warp, time, instruction, lane; and the word.
using Stores = std::map<std::tuple<int, uint64_t, uint32_t, int>, uint64_t>;

bool is_store(const Route& route, uint32_t site) {
    const ptx::Instruction& in = *route.instructions[site];
    return in.op == ptx::Op::st && in.operands.size() == 2 &&
        in.operands[1].kind == ptx::Operand::Kind::reg && in.guard.reg < 0;
}

Stores recorded_stores(const Waiting& w, const capture::BlockRecord& record) {
    Stores out;
    for (const capture::Event& e : record.events)
        if (e.kind == capture::EventKind::global_write && is_store(w.route, e.site))
            out[{e.warp, e.time, e.site, e.lane}] = e.value;
    return out;
}

// The registers that the same stores find when the block is travelled.
Stores travelled_stores(Waiting& w) {
    Stores out;
    emulator::run_until(*w.route.traveller, -1, [&](const Here& here) {
        const ptx::Instruction& in = *w.route.instructions[here.site];
        if (!is_store(w.route, here.site) || in.modifiers.space == ptx::Space::shared) return false;
        const emulator::LaneBits bits = emulator::register_bits(
            *w.route.traveller, 0, *w.route.function_of_site[here.site], in.operands[1].index
        );
        for (int lane = 0; lane < 32; ++lane)
            if ((here.lanes >> lane & 1) != 0)
                out[{here.warp, here.time, here.site, lane}] = bits[static_cast<size_t>(lane)];
        return false;
    });
    return out;
}

void expect_same_block(Waiting& w, int64_t block, uint64_t seed = 0) {
    emulator::GlobalMemory after;
    const emulator::RunResult result = w.record(block, seed, after);
    ASSERT_EQ(emulator::test::told(result), "");
    w.travel(block, seed);
    const Stores want = recorded_stores(w, result.records.at(0));
    EXPECT_FALSE(want.empty());
    EXPECT_EQ(travelled_stores(w), want) << "block " << block << ", schedule " << seed;
}

void expect_every_instant_again(Waiting& w) {
    const std::vector<uint64_t> first = w.hashes();
    ASSERT_GT(emulator::key_frame_orders(*w.route.traveller).size(), 3U);
    const size_t step = first.size() / 61 + 1;
    for (size_t back = 0; back < first.size(); back += step) {
        const size_t k = first.size() - 1 - back;
        ASSERT_TRUE(emulator::go_to(*w.route.traveller, k * Waiting::kStep)) << k;
        EXPECT_EQ(w.hash(), first[k]) << k << " of " << first.size();
    }
    EXPECT_EQ(w.hashes(), first) << "forward once more";
}

const char* const kGridSync = R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned* x, unsigned* y) {
    cg::grid_group grid = cg::this_grid();
    const unsigned me = grid.thread_rank(), all = grid.num_threads();
    x[me] = me * me;
    for (int phase = 0; phase < 3; ++phase) {
        grid.sync();
        y[me] = x[(me + 37) % all] + 1;
        grid.sync();
        x[me] = y[(me + 101) % all];
    }
}
)";

// Each block looks back at the sums of later blocks, none of which has begun when it begins.
const char* const kLookBack = R"(
extern "C" __global__ void k(unsigned long long* state, unsigned* out) {
    __shared__ unsigned before;
    const unsigned tile = gridDim.x - 1 - blockIdx.x;
    if (threadIdx.x == 0) {
        const unsigned total = 3 * tile + 1;
        atomicExch(&state[tile], (1ull << 32) | total);
        unsigned sum = 0;
        for (int t = static_cast<int>(tile) - 1; t >= 0;) {
            const unsigned long long s = atomicAdd(&state[t], 0ull);
            if (s >> 32 == 0) continue;
            sum += static_cast<unsigned>(s);
            if (s >> 32 == 2) break;
            --t;
        }
        before = sum;
        atomicExch(&state[tile], (2ull << 32) | (sum + total));
    }
    __syncthreads();
    out[tile * blockDim.x + threadIdx.x] = before + threadIdx.x;
}
)";

Waiting grid_sync() {
    Waiting w(emulator::test::ptx_of(kGridSync));
    w.launch.grid = {5, 1, 1}, w.launch.block = {64, 1, 1};
    w.launch.cooperative = true;
    w.words("x", 5 * 64), w.words("y", 5 * 64);
    return w;
}

Waiting look_back() {
    Waiting w(emulator::test::ptx_of(kLookBack));
    w.launch.grid = {9, 1, 1}, w.launch.block = {64, 1, 1};
    w.words("state", 2 * 9), w.words("out", 9 * 64);
    return w;
}

TEST(TravelWait, BlocksOfAGridBarrierFindWhatTheyFoundWhenTheyWereRecorded) {
    Waiting w = grid_sync();
    for (const int64_t block : {0, 2, 4}) expect_same_block(w, block);
}

TEST(TravelWait, ALookBackFindsTheSumsThatLaterBlocksLeft) {
    Waiting w = look_back();
    for (const int64_t block : {0, 4, 8}) expect_same_block(w, block);
    // Block 0 has tile 8: before it lie the totals 3 t + 1 of tiles 0 to 7.
    w.travel(0);
    Wanted wanted;
    wanted.warp = 1;
    wanted.line = 20;
    ASSERT_TRUE(go(w.route, wanted).found);
    const watch::Environment environment = environment_here(w.route);
    const watch::Value before = watch::evaluate(watch::parse("before"), environment);
    EXPECT_EQ(watch::text_of(before, 7, environment), "[92]");
}

TEST(TravelWait, EveryInstantOfAWaitingBlockIsThereAgain) {
    Waiting sync = grid_sync(), back = look_back();
    sync.travel(1);
    expect_every_instant_again(sync);
    back.travel(2);
    expect_every_instant_again(back);
    sync.travel(1, 77);
    expect_every_instant_again(sync);
}

TEST(TravelWait, WhatOthersWriteHasALimitThatIsNamed) {
    Waiting w = look_back();
    emulator::Journey j = w.journey(0);
    j.turn_bytes = 64;
    try {
        make_route(w.module, std::move(j));
        FAIL() << "64 bytes do not hold nine sums";
    } catch (const Unsupported& unsupported) {
        EXPECT_NE(
            std::string(unsupported.what()).find("while block (0,0,0) waits for them"), std::string::npos
        ) << unsupported.what();
    }
}

}  // namespace
}  // namespace wl::travel
