// Steps by line, mark, stage and barrier: both ways through the same instants.
#include "instrumentation/travel/steps.h"

#include "instrumentation/base/error.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/travel/arrivals.h"
#include "instrumentation/travel/fragment_memory.h"
#include "instrumentation/travel/landmarks.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace wl::travel {
namespace {

// Line numbers matter: the tests step to them.
const char* const kSource = R"(__device__ __noinline__ float twice(float x) {
    float y = x * 2.0f;
    return y;
}
extern "C" __global__ void k(float* out, int n) {
    int i = threadIdx.x;
    float sum = 0.0f;
    for (int round = 0; round < n; ++round) {
        sum += twice(sum + round);
        if (i % 2 == 0)
            sum += 1.0f;
        else
            sum -= 1.0f;
        __syncthreads();
    }
    out[i] = sum;
}
)";
constexpr int kRounds = 5;

const char* const kParted = R"(__device__ __noinline__ int deep(int inner) {
    return inner * inner + 1;
}
extern "C" __global__ void k(int* out, int n) {
    int outer = threadIdx.x;
    if (outer < 16) out[outer] = deep(outer * 10);
}
)";

// One block of that many threads, over an array of 256 bytes and the number of rounds.
Route route_of(const char* source, ptx::Module& module, uint32_t threads = 32) {
    const auto path = std::filesystem::temp_directory_path() / ("steps_" + std::to_string(getpid()) + ".cu");
    std::ofstream(path) << source;
    compile::CompileOptions options;
    options.source_path = path.string();
    options.display_path = "k.cu";
    options.debug = true;
    module = ptx::parse(compile::compile(options).ptx);
    std::filesystem::remove(path);
    emulator::ReplaySpec journey;
    journey.program = emulator::lower(module, "k");
    journey.launch.block = {threads, 1, 1};
    journey.launch.grid = {1, 1, 1};
    journey.key_frame_interval = 100;
    const uint64_t out = allocate(journey.memory, "out", std::vector<std::byte>(256));
    journey.launch.params.resize(12);
    std::memcpy(journey.launch.params.data(), &out, 8);
    std::memcpy(journey.launch.params.data() + 8, &kRounds, 4);
    return make_route(module, std::move(journey));
}

struct Steps : testing::Test {
    ptx::Module module;
    Route route;

    void SetUp() override { route = route_of(kSource, module, 64); }
    // The warp's arrival of that number, from 0, at the line.
    void at_line(int warp, int line, int64_t hit = 0) {
        Wanted wanted;
        wanted.warp = warp, wanted.line = line, wanted.hit = hit;
        ASSERT_TRUE(go(route, wanted).found);
    }
    const emulator::Here& here() const { return emulator::here(*route.traveller); }
    int line() const { return route.sites[here().site].line; }
    bool step(StepKind stride, bool back = false, int lane = -1) {
        Move move;
        move.stride = stride, move.back = back;
        return make(route, move, lane);
    }
    // Instants to which such steps lead from here, this one first.
    std::vector<uint64_t> instants(StepKind stride, bool back) {
        std::vector<uint64_t> orders{here().order};
        while (step(stride, back)) orders.push_back(here().order);
        return orders;
    }
};

// What the window's worker does while nobody asks: little by little, to the block's end, and every instant
// once.
TEST_F(Steps, LookingOnKnowsTheWholeBlockAndLeavesStepsAsTheyAre) {
    int times = 0;
    while (look_on(route, 100)) ++times;
    EXPECT_GE(times, 3);
    EXPECT_TRUE(route.trace.complete);
    EXPECT_FALSE(look_on(route, 100)) << "there is no more";
    uint64_t instants = 0;
    emulator::run_from(*route.traveller, 0, -1, [&](const emulator::Here&) {
        ++instants;
        return false;
    });
    EXPECT_EQ(route.trace.end, instants);
    ASSERT_TRUE(emulator::go_to(*route.traveller, 0));
    Move over;
    over.stride = StepKind::over;
    EXPECT_TRUE(make(route, over, 0));
}

TEST_F(Steps, OverStaysInTheFunctionIntoEntersItOutLeavesIt) {
    at_line(1, 9);
    ASSERT_TRUE(step(StepKind::over));
    EXPECT_EQ(line(), 10);
    EXPECT_EQ(here().warp, 1) << "the other warp's instants are not the step's";
    ASSERT_TRUE(step(StepKind::over, true));
    EXPECT_EQ(line(), 9);
    ASSERT_TRUE(step(StepKind::into));
    EXPECT_EQ(here().depth, 1U);
    EXPECT_LE(line(), 2);
    while (line() != 3) ASSERT_TRUE(step(StepKind::over));
    EXPECT_EQ(here().depth, 1U);
    const uint64_t inside = here().order;
    ASSERT_TRUE(step(StepKind::out));
    EXPECT_EQ(line(), 9);
    EXPECT_EQ(here().depth, 0U);
    ASSERT_TRUE(step(StepKind::into, true));
    EXPECT_EQ(here().depth, 1U) << "back into the end of what was called";
    EXPECT_GE(here().order, inside);
    ASSERT_TRUE(step(StepKind::out, true));
    EXPECT_EQ(line(), 9);
    EXPECT_LT(here().order, inside) << "where the call is made";
}

TEST_F(Steps, ForwardAndBackLeadThroughTheSameInstants) {
    for (const StepKind stride : {StepKind::into, StepKind::over, StepKind::barrier}) {
        at_line(0, 7);
        std::vector<uint64_t> on = instants(stride, false);
        ASSERT_GT(on.size(), static_cast<size_t>(kRounds));
        std::vector<uint64_t> back = instants(stride, true);
        on.erase(on.begin());  // barriers: line 7 is none
        const auto first = std::find(back.rbegin(), back.rend(), on.front());
        ASSERT_NE(first, back.rend());
        EXPECT_EQ(std::vector<uint64_t>(first, back.rend()), on) << static_cast<int>(stride);
    }
}

TEST_F(Steps, ALaneThatIsNamedIsFollowedWhereTheLanesPart) {
    for (const int lane : {0, 1}) {
        at_line(0, 10);
        ASSERT_TRUE(step(StepKind::over, false, lane));
        EXPECT_EQ(line(), lane == 0 ? 11 : 13);
        EXPECT_NE(here().lanes >> lane & 1, 0U);
        ASSERT_TRUE(step(StepKind::over, true, lane));
        EXPECT_EQ(line(), 10);
    }
}

TEST_F(Steps, TheMiddleOfALineGoesBackToItsFirstInstruction) {
    at_line(0, 10, 2);
    const uint64_t first = here().order;
    ASSERT_TRUE(step(StepKind::instruction));
    ASSERT_EQ(line(), 10);
    ASSERT_TRUE(step(StepKind::over, true));
    EXPECT_EQ(here().order, first);
}

TEST_F(Steps, RunToALineComesToEachOfItsArrivals) {
    at_line(0, 7);
    Move move;
    move.stride = StepKind::line, move.line = 9;
    std::vector<uint64_t> on, back;
    while (make(route, move, -1)) on.push_back(here().order);
    EXPECT_EQ(on.size(), static_cast<size_t>(kRounds));
    move.back = true;
    while (make(route, move, -1)) back.push_back(here().order);
    std::reverse(back.begin(), back.end());
    EXPECT_EQ(back, std::vector<uint64_t>(on.begin(), on.end() - 1));
}

TEST_F(Steps, BreakpointsHoldTheirConditionOverLanesAndWarps) {
    at_line(0, 7);
    Move move;
    move.stride = StepKind::stop;
    move.at.push_back({"k.cu", 14, watch::parse("round == 3 && lane == 5")});
    ASSERT_TRUE(make(route, move, -1));
    EXPECT_EQ(line(), 14);
    EXPECT_EQ(here().warp, 0);
    EXPECT_EQ(here().epoch, 3);
    EXPECT_FALSE(make(route, move, -1)) << "it is met once by a warp";
    EXPECT_EQ(here().epoch, 3) << "and the route stands where it stood";
    move.any_warp = true;
    move.at = {
        {"", 14, watch::parse("round == 2 && warp == 1")}
    };
    move.back = true;
    ASSERT_TRUE(make(route, move, -1));
    EXPECT_EQ(here().warp, 1);
    EXPECT_EQ(here().epoch, 2);
    move.at = {
        {"", 14, watch::parse("rounds == 2")}
    };
    EXPECT_THROW(make(route, move, -1), Error);
    EXPECT_EQ(here().epoch, 2);
}

// Every write of out[40] by thread 40, of warp 1: one, at line 16.
TEST_F(Steps, ABreakpointOnDataStopsWhereAnyWarpWritesIt) {
    const auto out = emulator::allocation_named(*route.traveller, "out");
    ASSERT_TRUE(out);
    at_line(0, 7);
    Move move;
    move.stride = StepKind::stop;
    Breakpoint data;
    data.element = "out[40]", data.written = {out->first + 40 * 4, 4};
    move.at = {data};
    ASSERT_TRUE(make(route, move, -1));
    EXPECT_EQ(here().warp, 1);
    EXPECT_EQ(line(), 16);
    const uint64_t written = here().order;
    EXPECT_FALSE(make(route, move, -1)) << "nobody writes it again";
    EXPECT_EQ(here().order, written);
    move.at.push_back({"k.cu", 14, watch::parse("round == 4")});  // of the warp that stands there
    move.back = true;
    ASSERT_TRUE(make(route, move, -1));
    EXPECT_EQ(line(), 14);
    EXPECT_EQ(here().warp, 1);
    move.back = false;
    ASSERT_TRUE(make(route, move, -1));
    EXPECT_EQ(here().order, written) << "what comes first of a line and of data";
    while (step(StepKind::over)) {}
    move.back = true, move.at = {data};
    ASSERT_TRUE(make(route, move, -1));
    EXPECT_EQ(here().order, written);
    move.at.front().when = watch::parse("lane == 8 && sum < 0");
    EXPECT_FALSE(make(route, move, -1)) << "its condition is of the lanes that write";
}

TEST_F(Steps, EveryWarpStandsSomewhereAndWaitsForWhoIsMissing) {
    at_line(0, 14, 2);
    std::vector<Standing> all = standing_warps(route);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].line, 14);
    EXPECT_EQ(all[0].waits, "") << "it has not come to the barrier yet";
    at_line(1, 9, 2);
    all = standing_warps(route);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].line, 14);
    EXPECT_EQ(all[0].waits, "barrier 0: warps not there yet: 1");
    EXPECT_EQ(all[1].line, 9);
    EXPECT_EQ(all[1].waits, "");
    EXPECT_EQ(all[1].here.lanes, UINT32_MAX);
}

// The other warp's own variables, and nothing of it is left behind.
TEST_F(Steps, AnotherWarpIsReadWhereItStands) {
    at_line(1, 9, 2);
    const emulator::Here before = here();
    const auto value_of_i = [&](int lane) {
        const watch::Environment environment = environment_here(route);
        const watch::Value i = watch::evaluate(watch::parse("i"), environment);
        return watch::text_of(i, lane, environment);
    };
    EXPECT_EQ(value_of_i(3), "35");
    {
        const emulator::Glance glance(*route.traveller, standing_warps(route)[0].here);
        EXPECT_EQ(value_of_i(3), "3");
        EXPECT_EQ(here().warp, 0);
    }
    EXPECT_EQ(value_of_i(3), "35");
    EXPECT_EQ(here().order, before.order);
    ASSERT_TRUE(step(StepKind::over)) << "and it goes on from where it stood";
    EXPECT_EQ(here().warp, 1);
}

// A warp whose lanes have parted stands at two places, in two functions; each is read in its own.
TEST(Parted, TheOtherLanesAreReadWhereTheyStandAndNothingOfThatIsLeft) {
    ptx::Module module;
    Route route = route_of(kParted, module);
    Wanted wanted;
    wanted.line = 2;
    ASSERT_TRUE(go(route, wanted).found);
    const auto value = [&](const char* name, int lane) {
        const watch::Environment environment = environment_here(route);
        return watch::text_of(watch::evaluate(watch::parse(name), environment), lane, environment);
    };
    const std::vector<Standing> all = standing_warps(route);
    ASSERT_EQ(all.size(), 2U);
    const Standing& other = all[all[0].line == 2 ? 1 : 0];
    EXPECT_EQ(other.here.lanes, 0xffff0000U);
    EXPECT_EQ(value("inner", 3), "30");
    {
        const emulator::Glance glance(*route.traveller, other.here);
        EXPECT_EQ(value("outer", 20), "20");
        EXPECT_THROW(value("inner", 20), Error);
    }
    EXPECT_EQ(value("inner", 3), "30");
}

TEST_F(Steps, IterationsOfNoStageAreRefused) {
    at_line(0, 9);
    EXPECT_THROW(step(StepKind::iteration), Error);
    EXPECT_FALSE(step(StepKind::mark));
    EXPECT_EQ(line(), 9);
}

TEST_F(Steps, AnInstantIsFoundAgainByThePlacesAroundIt) {
    at_line(1, 9, 3);
    const emulator::Here there = here();
    const Between between = between_at(anchors_around(route, 1, there.time), there.time);
    EXPECT_EQ(between.after, "released#2");
    EXPECT_EQ(between.before, "barrier#3");
    EXPECT_EQ(time_at(anchors_up_to(route, 1, between), between), there.time);
    EXPECT_EQ(between_from(text_of(between)).after, "released#2");
    EXPECT_THROW(between_from("released#2"), Error);
}

// Of what it moved out of a loop the compiler may name a file, and no line.
TEST(Place, IsUnknownWhereTheCompilerNamesNoLine) {
    ptx::Module module;
    Route route = route_of(kSource, module);
    const auto named = std::find_if(route.sites.begin(), route.sites.end(), [](const capture::Site& s) {
        return s.source == 0 && s.line == 16;
    });
    ASSERT_NE(named, route.sites.end());
    const auto site = static_cast<uint32_t>(named - route.sites.begin());
    EXPECT_TRUE(user_place(route, site).ends_with(".cu:16")) << user_place(route, site);
    named->line = 0;
    EXPECT_EQ(user_place(route, site), "");
}

}  // namespace
}  // namespace wl::travel
