// Directed schedules: two accesses in the one order and in the other, wherever a GPU could have both.
#include "instrumentation/emulator/global/explore.h"
#include "tests/emulator/emulator_cuda.h"

#include <bit>
#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

struct Directed {
    bool in_order = false, finished = false;
    std::vector<int> out;
};

// The body of a kernel over out, run by blocks of 64 threads.
struct Subject {
    KernelRun run;
    explicit Subject(const std::string& body, uint32_t blocks = 1) :
        run(ptx_of(
                "extern \"C\" __global__ void k(volatile int* x, int* out) {\n"
                "    __shared__ volatile int s[64];\n"
                "    const int i = threadIdx.x, b = blockIdx.x;\n"
                "    s[i] = 0;\n    __syncthreads();\n" +
                body + "\n}\n"
            ),
            64,
            blocks) {
        run.in<int>("x", std::vector<int>(64)).in<int>("out", std::vector<int>(64, -1));
    }
    // The instruction so named that a line of the body begins with or holds; 1: its first line.
    uint32_t site(int line, const std::string& name) const {
        const std::vector<capture::Site> all = sites(*run.program);
        for (uint32_t k = 0; k < all.size(); ++k)
            if (line_of(*run.program, k) == 5 + line && all[k].text.find(name) != std::string::npos) return k;
        ADD_FAILURE() << "no " << name << " in line " << line;
        return 0;
    }
    // The two accesses of its race, in the order in which they came.
    std::optional<PairOrder> race() {
        KernelRun checked = run;
        checked.go();
        for (const Incident& i : checked.result.incidents) {
            if (i.kind != Kind::race_shared && i.kind != Kind::race_warp && i.kind != Kind::race_global)
                continue;
            const auto point = [](const Access& a) {
                return AccessPoint{a.site, a.block, a.warp, std::countr_zero(a.lanes)};
            };
            return PairOrder{point(i.first), point(i.second), std::min(i.first.epoch, i.second.epoch)};
        }
        return {};
    }
    Directed in(const PairOrder& order, bool checks = false) const {
        KernelRun again = run;
        again.options.schedule_seed =
            directed_seed(order, schedule_space(*again.program, again.launch)).value_or(0);
        if (!checks) again.options.checks = {false, false, false};
        again.go();
        return {again.result.in_order, again.result.blocks == again.launch.grid.x, again.get<int>("out")};
    }
};

PairOrder reversed(const PairOrder& o) { return {o.then, o.first, o.epoch}; }

TEST(DirectedSeeds, SayAgainWhatTheyWereMadeOf) {
    const ScheduleSpace space{3000, 4096, 8};
    const PairOrder orders[] = {
        {{17, 5, 3, 0}, {2999, 4095, 7, 0}, 0  },
        {{17, 5, 3, 0}, {18, 5, 7, 0},      900},
        {{17, 5, 3, 9}, {17, 5, 3, 31},     12 },
    };
    for (const PairOrder& o : orders) {
        const auto seed = directed_seed(o, space);
        ASSERT_TRUE(seed);
        EXPECT_TRUE(is_directed(*seed));
        EXPECT_FALSE(is_random(*seed));
        EXPECT_LT(*seed, uint64_t{1} << 63);
        EXPECT_EQ(directed_by(*seed, space), o);
        EXPECT_NE(directed_seed(reversed(o), space), seed);
    }
    EXPECT_FALSE(directed_seed(orders[0], {uint64_t{1} << 20, uint64_t{1} << 20, 32})) << "beyond 62 bits";
    EXPECT_FALSE(directed_by(7, space));
    EXPECT_FALSE(is_directed(7));
    EXPECT_TRUE(is_random(7));
}

TEST(DirectedSchedules, BringWarpsOfABlockIntoEitherOrder) {
    Subject k("if (i == 0) s[5] = 1;\nif (i == 40) out[0] = s[5];");
    const auto race = k.race();
    ASSERT_TRUE(race);
    EXPECT_EQ(k.in(*race).out[0], 1);
    const Directed other = k.in(reversed(*race));
    EXPECT_TRUE(other.in_order);
    EXPECT_TRUE(other.finished);
    EXPECT_EQ(other.out[0], 0) << "the load comes before the store";
    EXPECT_EQ(k.in(reversed(*race), true).out[0], 0) << "with every check on, too";
}

TEST(DirectedSchedules, BringBlocksIntoEitherOrder) {
    Subject k("if (i == 0 && b == 1) x[5] = 1;\nif (i == 0 && b == 2) out[0] = x[5];", 4);
    const PairOrder order{
        {k.site(1, "st."), 1, 0, 0},
        {k.site(2, "ld."), 2, 0, 0},
        0
    };
    const Directed one = k.in(order), other = k.in(reversed(order));
    EXPECT_TRUE(one.in_order && other.in_order);
    EXPECT_TRUE(one.finished && other.finished);
    EXPECT_EQ(one.out[0], 1);
    EXPECT_EQ(other.out[0], 0) << "block 2 reads before block 1 stores";
}

TEST(DirectedSchedules, BringLanesOfAWarpIntoEitherOrder) {
    Subject k("if (i < 32) { s[i] = i + 1;\nout[i] = s[(i + 1) % 32]; }");
    const auto race = k.race();
    ASSERT_TRUE(race);
    ASSERT_EQ(race->first.warp, race->then.warp);
    const auto reader = static_cast<size_t>(race->then.lane);
    EXPECT_EQ(k.in(*race).out[reader], static_cast<int>((reader + 1) % 32) + 1);
    PairOrder other = reversed(*race);
    other.then.lane = static_cast<int>((reader + 1) % 32);
    const Directed turned = k.in(other);
    EXPECT_TRUE(turned.in_order);
    EXPECT_TRUE(turned.finished);
    EXPECT_EQ(turned.out[reader], 0) << "its neighbour has not stored yet";
}

TEST(DirectedSchedules, OfLaterEpochsLeaveTheEarlierOnesAsTheyAre) {
    Subject k(
        "#pragma unroll 1\nfor (int r = 1; r <= 2; ++r) {\nif (i == 0) s[5] = r;\nif (i == 40) out[r] = "
        "s[5];\n "
        "__syncthreads(); }"
    );
    auto race = k.race();
    ASSERT_TRUE(race);
    const int first = race->epoch;
    race->epoch = first + 1;
    const std::vector<int> out = k.in(reversed(*race)).out;
    EXPECT_EQ(out[1], 1);
    EXPECT_EQ(out[2], 1) << "turned round in the second round";
}

TEST(DirectedSchedules, NeverWaitForWhatABarrierPutsBehind) {
    Subject k("if (i == 0) s[5] = 1;\n__syncthreads();\nif (i == 40) out[0] = s[5];");
    const Directed d = k.in({
        {k.site(3, "ld."), 0, 1, 8},
        {k.site(1, "st."), 0, 0, 0},
        0
    });
    EXPECT_FALSE(d.in_order);
    EXPECT_TRUE(d.finished) << "the store goes first after all";
    EXPECT_EQ(d.out[0], 1);
}

TEST(DirectedSchedules, NeverWaitForAnAccessThatDoesNotCome) {
    Subject k("if (i == 0) s[5] = 1;\nif (i == 40) out[0] = s[5];", 3);
    auto race = k.race();
    ASSERT_TRUE(race);
    for (const AccessPoint& never : {
             AccessPoint{race->first.site, 2, 1, 0},
             AccessPoint{race->then.site,  2, 0, 0}
    }) {
        const Directed d = k.in({never, race->then, 0});
        EXPECT_FALSE(d.in_order);
        EXPECT_TRUE(d.finished);
    }
}

TEST(DirectedSchedules, DoNotStarveAWarpThatTheOthersWaitFor) {
    Subject k("if (i == 0) { while (s[6] == 0) {}\ns[5] = 1; }\nif (i == 40) { out[0] = s[5];\ns[6] = 1; }");
    const Directed d = k.in({
        {k.site(2, "st."), 0, 0, 0},
        {k.site(3, "ld."), 0, 1, 8},
        0
    });
    EXPECT_TRUE(d.finished) << "the spinning warp gets what it waits for in the end";
    EXPECT_FALSE(d.in_order);
    EXPECT_EQ(d.out[0], 0);
}

}  // namespace
}  // namespace wl::emulator::test
