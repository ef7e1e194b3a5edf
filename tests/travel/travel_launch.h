// A launch of a kernel k, recorded and travelled: what its blocks store when they are recorded, and what they
// store again on a route.
#pragma once

#include "instrumentation/travel/instant.h"
#include "tests/emulator/emulator_cuda.h"
#include "tests/travel/travel_hash.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

namespace wl::travel {

// A launch of the kernel k over words of global memory, and a route through one of its blocks.
struct Launched {
    ptx::Module module;
    std::shared_ptr<const emulator::Program> program;
    execution::Launch launch;
    execution::GlobalMemory memory;  // before the launch
    Route route;

    explicit Launched(const std::string& ptx) :
        module(ptx::parse(ptx)), program(emulator::lower(module, "k")) {}

    // An argument of zeros.
    void words(const char* name, size_t count) {
        const uint64_t address = allocate(memory, name, std::vector<std::byte>(count * 4));
        const size_t at = launch.params.size();
        launch.params.resize(at + 8);
        std::memcpy(launch.params.data() + at, &address, 8);
    }
    emulator::ReplaySpec journey(int64_t block, uint64_t seed = 0) const {
        emulator::ReplaySpec j;
        j.program = program, j.launch = launch, j.memory = memory;
        j.block = block, j.schedule_seed = seed;
        j.key_frame_interval = 200;
        return j;
    }
    void travel(int64_t block, uint64_t seed = 0) { route = make_route(module, journey(block, seed)); }
    execution::RunResult record(int64_t block, uint64_t seed, execution::GlobalMemory& after) const {
        execution::RunOptions options;
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
        emulator::run_until(*route.traveller, -1, [&](const emulator::Here& here) {
            if (here.order % kStep == 0) some.push_back(hash());
            return false;
        });
        return some;
    }
    uint64_t hash() const { return hash_of_registers(route); }
};

// Who stores what, when: warp, time, instruction, lane, word; in the order in which the block executes them.
using Stores = std::vector<std::tuple<int, uint64_t, uint32_t, int, uint64_t>>;

inline bool is_store(const Route& route, uint32_t site) {
    const ptx::Instruction& in = *route.instructions[site];
    return in.op == ptx::Op::st && in.operands.size() == 2 &&
        in.operands[1].kind == ptx::Operand::Kind::reg && in.guard.reg < 0;
}

inline Stores recorded_stores(const Launched& w, const capture::BlockRecord& record) {
    Stores out;
    for (const capture::Event& e : record.events)
        if (e.kind == capture::EventKind::global_write && is_store(w.route, e.site))
            out.emplace_back(e.warp, e.time, e.site, e.lane, e.value);
    return out;
}

// The registers that the same stores find when the block is travelled.
inline Stores travelled_stores(Launched& w) {
    Stores out;
    emulator::run_until(*w.route.traveller, -1, [&](const emulator::Here& here) {
        const ptx::Instruction& in = *w.route.instructions[here.site];
        if (!is_store(w.route, here.site) || in.modifiers.space == ptx::Space::shared) return false;
        const emulator::LaneBits bits = emulator::register_bits(
            *w.route.traveller, 0, *w.route.function_of_site[here.site], in.operands[1].index
        );
        for (int lane = 0; lane < 32; ++lane)
            if ((here.lanes >> lane & 1) != 0)
                out.emplace_back(here.warp, here.time, here.site, lane, bits[static_cast<size_t>(lane)]);
        return false;
    });
    return out;
}

inline void expect_same_block(Launched& w, int64_t block, uint64_t seed = 0) {
    execution::GlobalMemory after;
    const execution::RunResult result = w.record(block, seed, after);
    ASSERT_EQ(emulator::test::told(result), "");
    w.travel(block, seed);
    const Stores want = recorded_stores(w, result.records.at(0));
    EXPECT_FALSE(want.empty());
    EXPECT_EQ(travelled_stores(w), want) << "block " << block << ", schedule " << seed;
}

inline void expect_every_instant_again(Launched& w) {
    const std::vector<uint64_t> first = w.hashes();
    ASSERT_GT(emulator::key_frame_orders(*w.route.traveller).size(), 3U);
    const size_t step = first.size() / 61 + 1;
    for (size_t back = 0; back < first.size(); back += step) {
        const size_t k = first.size() - 1 - back;
        ASSERT_TRUE(emulator::go_to(*w.route.traveller, k * Launched::kStep)) << k;
        EXPECT_EQ(w.hash(), first[k]) << k << " of " << first.size();
    }
    EXPECT_EQ(w.hashes(), first) << "forward once more";
}

}  // namespace wl::travel
