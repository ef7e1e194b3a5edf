// Races in global memory: between blocks and between warps of a block, what orders them, and the witnesses.
#include "tests/emulator/emulator_cuda.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

// The body of a kernel over x, flag and out, run by `blocks` blocks of 64 threads on so many workers.
KernelRun run_of(const std::string& body, uint32_t blocks = 4, int threads = 1) {
    KernelRun run(
        ptx_of(
            "extern \"C\" __global__ void k(int* x, int* flag, int* out) {\n"
            "    const int i = threadIdx.x, b = blockIdx.x, last = gridDim.x - 1;\n" +
            body + "\n}\n"
        ),
        64,
        blocks
    );
    run.options.threads = threads;
    run.in<int>("x", std::vector<int>(4096)).in<int>("flag", std::vector<int>(64));
    run.in<int>("out", std::vector<int>(4096)).go();
    return run;
}

std::vector<Incident> races(const std::string& body, uint32_t blocks = 4, int threads = 1) {
    return run_of(body, blocks, threads).incidents(Kind::race_global);
}

TEST(GlobalRaces, DisjointOutputsAndSharedInputsAreNone) {
    EXPECT_TRUE(races("out[b * 64 + i] = x[i] + x[63 - i];").empty());
    EXPECT_TRUE(races("out[b * 64 + i] = x[i] + x[63 - i];", 40, 2).empty());
}

TEST(GlobalRaces, AStoreAndAReadOfTwoBlocksAreOneInEitherOrder) {
    const auto later = races("if (b == 0) x[i] = 1 + i; else out[b * 64 + i] = x[i];");
    ASSERT_EQ(later.size(), 1u);
    EXPECT_EQ(later[0].detail, "read after write");
    EXPECT_TRUE(later[0].first.write && !later[0].second.write);
    EXPECT_EQ(later[0].first.block, 0);
    EXPECT_EQ(later[0].second.block, 1);
    EXPECT_EQ(later[0].first.memory, "global x");
    EXPECT_EQ(later[0].first.value, 1u) << "what the store has left there";
    EXPECT_GT(later[0].count, 1u);
    const auto earlier = races("if (b == last) x[i] = 1 + i; else out[b * 64 + i] = x[i];");
    ASSERT_EQ(earlier.size(), 1u);
    EXPECT_EQ(earlier[0].detail, "write after read");
    EXPECT_EQ(earlier[0].second.block, 3);
    EXPECT_EQ(earlier[0].second.value, 1u);
}

// Another access has come in between, or another lane's bytes are beside: `bytes` says how many are told.
TEST(GlobalRaces, WhatAStoreLeftIsToldWhereMemoryHoldsIt) {
    const std::string second = "if (b == 1 && i == 0) atomicAdd(x, 10);";
    const auto held = races("if (b == 0 && i == 0) x[0] = 7; " + second, 2);
    ASSERT_EQ(held.size(), 1u);
    EXPECT_EQ(held[0].first.value, 7u);
    EXPECT_EQ(held[0].first.bytes, 4u);
    const auto hidden = races("if (b == 0 && i == 0) { x[0] = 7; atomicAdd(x, 1); } " + second, 2);
    ASSERT_EQ(hidden.size(), 1u);
    EXPECT_TRUE(hidden[0].first.write);
    EXPECT_EQ(hidden[0].first.bytes, 0u) << "8 was never stored";
    const auto wide = races(
        "if (b == 0 && i < 2) x[i] = 1 + i;\n"
        "if (b == 1 && i == 0) { const int2 v = *(const int2*)x; out[0] = v.x + v.y; }",
        2
    );
    ASSERT_EQ(wide.size(), 1u);
    EXPECT_EQ(wide[0].first.lanes, 1u);
    EXPECT_EQ(wide[0].first.bytes, 4u) << "the other four are lane 1's";
    EXPECT_EQ(wide[0].second.bytes, 8u);
}

TEST(GlobalRaces, AreTheSameWhateverTheNumberOfWorkers) {
    const std::string body = "if (i == 5) x[7] = b; out[b * 64 + i] = i;";
    const auto one = races(body, 12, 1);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].detail, "write after write");
    for (const int threads : {2, 3}) {
        const auto many = races(body, 12, threads);
        ASSERT_EQ(many.size(), 1u);
        EXPECT_EQ(many[0].first.block, one[0].first.block);
        EXPECT_EQ(many[0].second.block, one[0].second.block);
        EXPECT_EQ(many[0].first.lanes, one[0].first.lanes);
        EXPECT_EQ(many[0].second.value, one[0].second.value);
        EXPECT_EQ(many[0].count, one[0].count);
    }
}

TEST(GlobalRaces, AStoreOfWhatIsThereIsNone) {
    EXPECT_TRUE(races("if (i == 0) x[7] = 3; out[b * 64 + i] = i;").empty());
}

TEST(GlobalRaces, BytesOfOneWordAreApart) {
    EXPECT_TRUE(races("if (i == 0) ((char*)x)[b] = 1 + b;").empty());
    EXPECT_EQ(races("if (i == 0) ((char*)x)[b / 2] = 1 + b;").size(), 1u);
    EXPECT_EQ(races("if (i == 0) { if (b == 0) x[0] = 9; else ((short*)x)[b - 1] = 7 + b; }").size(), 1u);
}

TEST(GlobalRaces, WarpsOfABlockNeedABarrier) {
    const auto found = races("x[b * 64 + i] = i; out[b * 64 + i] = x[b * 64 + 63 - i];");
    ASSERT_EQ(found.size(), 2u) << "whichever warp comes first, it stores before it reads";
    EXPECT_EQ(found[0].first.block, found[0].second.block);
    EXPECT_NE(found[0].first.warp, found[0].second.warp);
    EXPECT_TRUE(races("x[b * 64 + i] = i; __syncthreads(); out[b * 64 + i] = x[b * 64 + 63 - i];").empty());
}

TEST(GlobalRaces, AtomicsAreNoneAmongThemselvesButWithPlainAccesses) {
    EXPECT_TRUE(races("atomicAdd(&x[i], 1);").empty());
    EXPECT_FALSE(races("atomicAdd(&x[i], 1); out[b * 64 + i] = x[i];").empty());
    EXPECT_FALSE(races("if (b == 1) x[i] = 5; else atomicAdd(&x[i], 1);").empty());
}

TEST(GlobalRaces, OfAPlainStoreAreNotHiddenByAtomicsBehindIt) {
    for (const char* barrier : {"", "__syncthreads();"}) {
        const auto found =
            races(std::string("if (b == 0 && i == 0) *flag = 0;") + barrier + "atomicAdd(flag, 1);");
        ASSERT_EQ(found.size(), 1u) << barrier;
        EXPECT_EQ(found[0].first.block, 0);
        EXPECT_NE(found[0].second.block, 0) << "two blocks rather than two warps of one";
        EXPECT_TRUE(found[0].first.write);
    }
    EXPECT_TRUE(races("if (i == 0) x[b] = 0; __syncthreads(); atomicAdd(&x[b], 1);").empty()) << "own block";
    EXPECT_EQ(
        races("if (b == 0 && i == 0) { *flag = 7; atomicAdd(flag, 1); } else if (b == 1) out[i] = *flag;")
            .size(),
        2u
    ) << "a plain read meets both";
}

TEST(GlobalRaces, AtomicsForOneBlockAloneDoNotReachAnother) {
    EXPECT_EQ(races("atomicAdd_block(&x[i], 1);").size(), 1u);
}

const std::string kTicket = R"(
    __shared__ bool chosen;
    x[b * 64 + i] = b + 1;
    FENCE_ALL;
    __syncthreads();
    if (i == 0) { FENCE_ONE; chosen = atomicAdd(flag, 1) == last; }
    __syncthreads();
    if (chosen) {
        int sum = 0;
        for (int k = 0; k <= last; ++k) sum += x[k * 64 + i];
        out[i] = sum;
        if (i == 0) *flag = 0;
    }
)";
std::string ticket(const std::string& all, const std::string& one) {
    std::string text = kTicket;
    text.replace(text.find("FENCE_ALL"), 9, all);
    return text.replace(text.find("FENCE_ONE"), 9, one);
}

TEST(GlobalRaces, ATicketBehindAFenceOrdersTheBlocks) {
    EXPECT_TRUE(races(ticket("", "__threadfence()"), 6).empty());
    EXPECT_TRUE(races(ticket("__threadfence()", ""), 6).empty()) << "each thread fences what it wrote";
    EXPECT_TRUE(races(ticket("", "__threadfence_system()"), 6).empty());
}

TEST(GlobalRaces, ATicketWithoutAFenceOrdersNothing) {
    for (const char* fence : {"", "__threadfence_block()"}) {
        const auto found = races(ticket("", fence), 6);
        ASSERT_FALSE(found.empty()) << fence;
        for (const Incident& race : found) {
            EXPECT_EQ(race.detail, "read after write");
            EXPECT_EQ(race.second.block, 5) << "the last block reads what the others have not handed on";
        }
    }
}

TEST(GlobalRaces, OnlyWhatItsBarrierBroughtIsBehindAFence) {
    const std::string early =
        "x[b * 64 + i] = 1; __shared__ bool c; if (i == 0) { __threadfence(); c = atomicAdd(flag, 1) == "
        "last; }"
        "__syncthreads(); if (c) out[i] = x[((b + 1) % gridDim.x) * 64 + i];";
    const auto found = races(early);
    ASSERT_FALSE(found.empty()) << "warp 1 stored with no barrier before warp 0's fence";
    EXPECT_EQ(found[0].first.warp, 1);
}

TEST(GlobalRaces, AFlagHandsOnWhatAFenceCovers) {
    const auto flagged = [](const std::string& fence) {
        return "volatile int* f = flag; if (b == 0) { x[i] = i; " + fence +
            "; __syncthreads(); if (i == 0) *f = 1; }"
            "else { if (i == 0) while (*f == 0) {} __syncthreads(); out[b * 64 + i] = x[i]; }";
    };
    EXPECT_TRUE(races(flagged("__threadfence()")).empty());
    EXPECT_FALSE(races(flagged("")).empty());
}

// Data that are volatile as well do not race with their reader, and yet may come after the flag.
TEST(GlobalRaces, AFenceHandsOnWhatStandsBeforeItAlone) {
    const auto flagged = [](const std::string& first, const std::string& fence) {
        return "volatile int *f = flag, *v = x; if (i == 0 && b == 0) { " + first + " v[0] = 7; " + fence +
            " *f = 1; }\nif (i == 0 && b == 1) { while (*f == 0) {}\nout[64] = v[0]; }";
    };
    EXPECT_TRUE(races(flagged("", "__threadfence();")).empty());
    EXPECT_FALSE(races(flagged("", "")).empty());
    EXPECT_FALSE(races(flagged("__threadfence();", "")).empty()) << "it covers nothing";
    EXPECT_FALSE(races(flagged("out[0] = 1; __threadfence(); out[1] = 2;", "")).empty())
        << "it covers what was before";
}

TEST(GlobalRaces, ALockOrdersItsHolders) {
    const auto locked = [](const std::string& before, const std::string& behind) {
        return "if (i == 0) { while (atomicCAS(flag, 0, 1) != 0) {} " + before + "; *x = *x + 1; " + behind +
            "; atomicExch(flag, 0); }";
    };
    EXPECT_TRUE(races(locked("__threadfence()", "__threadfence()")).empty());
    EXPECT_FALSE(races(locked("", "")).empty());
}

// The first read is a guess, also where the compiler computes its address twice: in generic memory for the
// assembly, in global memory for the exchange.
TEST(GlobalRaces, AnExchangeConfirmsAGuessAtTheSameAddress) {
    const auto added = [](const std::string& element) {
        return "int old; asm volatile(\"ld.cg.u32 %0, [%1];\" : \"=r\"(old) : \"l\"(x + i));"
               "for (int seen = ~old; seen != old;) {"
               "    seen = old; old = atomicCAS(x + " +
            element +
            ", seen, seen + 1);"
            "}";
    };
    const KernelRun run = run_of(added("i"));
    EXPECT_TRUE(run.incidents(Kind::race_global).empty());
    EXPECT_EQ(run.get<int>("x")[63], 4);
    EXPECT_FALSE(races(added("(i ^ 1)")).empty());
}

TEST(GlobalRaces, ReleaseAndAcquireOrderWithoutAFence) {
    const auto handed = [](const std::string& store) {
        return "if (b == 0) { x[i] = i; __syncthreads(); if (i == 0) asm volatile(\"st." + store +
            ".gpu.global.u32 [%0], %1;\" :: \"l\"(flag), \"r\"(1) : \"memory\"); } else {"
            "if (i == 0) { int seen = 0; while (seen == 0) asm volatile(\"ld.acquire.gpu.global.u32 %0, "
            "[%1];\""
            " : \"=r\"(seen) : \"l\"(flag) : \"memory\"); } __syncthreads(); out[b * 64 + i] = x[i]; }";
    };
    EXPECT_TRUE(races(handed("release")).empty());
    EXPECT_FALSE(races(handed("relaxed")).empty());
}

TEST(GlobalRaces, LanesOfOneStoreMeetInOneElement) {
    const auto found = races("if (i < 32) x[b * 64 + i / 2] = 7 * i;");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].detail, "lanes write to one place");
    EXPECT_EQ(found[0].first.lanes, 1u);
    EXPECT_EQ(found[0].second.lanes, 2u);
    EXPECT_EQ(found[0].count, 4u * 16u);
    EXPECT_TRUE(races("if (i < 32) x[b * 64 + i / 2] = 7 * (i / 2);").empty()) << "the same value";
    EXPECT_TRUE(races("if (i < 32) x[b * 64 + 31 - i] = 7 * i;").empty()) << "each its own";
    EXPECT_EQ(races("if (i < 32) x[b * 64 + i / 2] = 7 * i;", 12, 2).size(), 1u) << "on several workers, too";
}

TEST(GlobalRaces, LanesOfAWarpNeedASyncwarp) {
    const auto turned = [](const std::string& between) {
        return "if (i < 32) { x[b * 64 + i] = 1 + i; " + between +
            "; out[b * 64 + i] = x[b * 64 + (i ^ 1)]; }";
    };
    const auto found = races(turned(""));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].detail, "read after write");
    EXPECT_EQ(found[0].first.warp, found[0].second.warp);
    EXPECT_NE(found[0].first.lanes, found[0].second.lanes);
    EXPECT_EQ(found[0].first.value, found[0].second.value);
    EXPECT_TRUE(races(turned("__syncwarp()")).empty());
    EXPECT_TRUE(
        races("x[b * 64 + i] = 1 + i; __syncthreads(); out[b * 64 + i] = x[b * 64 + (i ^ 1)];").empty()
    );
    EXPECT_TRUE(
        races("x[b * 64 + i] = 1 + i; out[b * 64 + i] = x[b * 64 + i] * 2; x[b * 64 + i] = 5;").empty()
    ) << "a lane's own accesses come in its order";
}

TEST(GlobalRaces, ReadersOfOneWarpHideNoneOfAnotherBlock) {
    EXPECT_FALSE(races("out[b * 64 + i] = x[i / 32]; if (b == last && i == 0) x[0] = 9;").empty());
}

// ---- shared memory

std::vector<Incident> shared_races(const std::string& body) {
    return run_of("__shared__ int s[64]; __shared__ unsigned flag_here;" + body, 2)
        .incidents(Kind::race_shared);
}

std::string relayed(const std::string& fence, const std::string& set) {
    return "if (i == 0) flag_here = 0; __syncthreads(); if (i == 40) { s[5] = b + 3; " + fence + "; " + set +
        "; } if (i == 0) { while (atomicAdd(&flag_here, 0u) == 0) {} " + fence + "; out[b] = s[5]; }";
}

TEST(GlobalRaces, LanesBehindThoseThatShareAPlaceAreSeen) {
    const auto found = races("if (b < last) out[b * 64 + i] = x[i < 4 ? 0 : i]; else if (i == 0) x[9] = 1;");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.lanes, 1u << 9);
}

TEST(GlobalRaces, AReaderThatIsOrderedBehindTwoOthersTakesTheirPlace) {
    // Blocks 2 and 3 come behind what 0 and 1 have read; nothing orders 3 behind 2.
    const auto found = races(R"(
        if (b >= 2 && i == 0) while (atomicAdd(flag, 0) < 2);
        __syncthreads();
        if (b == 3) x[i] = 5; else out[b * 64 + i] = x[i];
        __threadfence();
        __syncthreads();
        if (b < 2 && i == 0) atomicAdd(flag, 1);
    )");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.block, 2);
    EXPECT_EQ(found[0].second.block, 3);
}

TEST(SharedRaces, AFlagHandsOnWhatAFenceCovers) {
    EXPECT_TRUE(shared_races(relayed("__threadfence_block()", "atomicExch(&flag_here, 1u)")).empty());
    EXPECT_TRUE(shared_races(relayed("__threadfence()", "atomicAdd(&flag_here, 1u)")).empty());
    const auto found = shared_races(relayed("", "atomicExch(&flag_here, 1u)"));
    ASSERT_EQ(found.size(), 1u) << "nothing is handed on without a fence";
    EXPECT_EQ(found[0].detail, "read after write");
}

TEST(SharedRaces, TellBothValues) {
    const auto values = [](const std::string& body) {
        const auto found = shared_races(body);
        EXPECT_EQ(found.size(), 1u);
        return found.empty() ? std::pair<uint64_t, uint64_t>()
                             : std::pair(found[0].first.value, found[0].second.value);
    };
    const std::string begin = "s[i] = 100 + i; __syncthreads();";
    EXPECT_EQ(values(begin + "if (i == 3) s[9] = 7; if (i == 40) out[b] = s[9];"), std::pair(7ul, 7ul));
    EXPECT_EQ(values(begin + "if (i == 3) out[b] = s[9]; if (i == 40) s[9] = 7;"), std::pair(109ul, 7ul));
    EXPECT_EQ(
        values(begin + "if (i == 3) s[9] = 7; if (i == 40) s[9] = 8; __syncthreads(); out[i] = s[9];"),
        std::pair(7ul, 8ul)
    );
}

TEST(GlobalRaces, AreNotLookedForWhereRacesAreOff) {
    KernelRun run(ptx_of("extern \"C\" __global__ void k(int* x) { *x = threadIdx.x + blockIdx.x; }"), 64, 4);
    run.options.checks.races = false;
    run.in<int>("x", {0}).go();
    EXPECT_TRUE(run.incidents(Kind::race_global).empty());
}

}  // namespace
}  // namespace wl::emulator::test
