// Hazards that tell flags from data, variables from each other, and barriers by their places; and the values
// that both accesses of a race are told with.
#include "tests/emulator/emulator_cuda.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

// The body of a kernel over x and out, run by `blocks` blocks of 64 threads.
std::vector<Incident> found(Kind kind, const std::string& body, uint32_t blocks = 1) {
    KernelRun run(
        ptx_of(
            "extern \"C\" __global__ void k(int* x, int* out) {\n"
            "    const int i = threadIdx.x, b = blockIdx.x;\n" +
            body + "\n}\n"
        ),
        64,
        blocks
    );
    run.options.threads = 1;
    run.in<int>("x", std::vector<int>(4096)).in<int>("out", std::vector<int>(4096)).go();
    return run.incidents(kind);
}
std::vector<Incident> races(const std::string& body) { return found(Kind::race_shared, body); }

// ---- volatile accesses

const std::string kFlag =
    "__shared__ volatile int flag; __shared__ int data; if (i == 0) flag = 0; __syncthreads();\n";

TEST(SharedFlags, ThatAreAwaitedOrderWhatAFenceCovers) {
    const std::string wait = "if (i == 0) { while (flag == 0) {} out[b] = data; }";
    EXPECT_TRUE(
        races(kFlag + "if (i == 32) { data = x[3] + 7; __threadfence_block(); flag = 1; }" + wait).empty()
    );
    const auto bare = races(kFlag + "if (i == 32) { data = x[3] + 7; flag = 1; }" + wait);
    ASSERT_EQ(bare.size(), 1u) << "the data race, the flag does not";
    EXPECT_EQ(bare[0].first.value, 7u);
}

TEST(SharedFlags, ThatStopALoopNeedNoFence) {
    EXPECT_TRUE(races(kFlag + "if (i == 32) flag = 1; if (i == 0) while (flag == 0) __nanosleep(20);").empty()
    );
    EXPECT_EQ(races(kFlag + "if (i == 32) flag = 1; if (i == 0) out[b] = flag;").size(), 1u)
        << "who looks but once sees either";
}

TEST(SharedFlags, AreNoDataOfAWarp) {
    const std::string tile = "__shared__ volatile int s[64]; s[i] = x[i];";
    EXPECT_EQ(found(Kind::race_warp, tile + "out[i] = s[i ^ 1];").size(), 1u);
    EXPECT_EQ(found(Kind::race_warp, tile + "__threadfence_block(); out[i] = s[i ^ 1];").size(), 1u)
        << "a fence lets no lane wait";
    const std::string late = "__shared__ volatile int s[64]; __threadfence_block(); s[i] = x[i];";
    EXPECT_EQ(found(Kind::race_warp, late + "out[i] = s[i ^ 1];").size(), 1u);
    EXPECT_TRUE(found(Kind::race_warp, tile + "__syncwarp(); out[i] = s[i ^ 1];").empty());
    const std::string sort = "for (int k = 0; k < x[0] + 3; ++k) if (s[i ^ 1] <= s[i]) s[i] = k;";
    EXPECT_FALSE(found(Kind::race_warp, tile + "__syncwarp();" + sort + "out[i] = s[i];").empty())
        << "a loop that stores does not poll";
    const auto together = found(Kind::race_warp, "__shared__ volatile int s[2]; s[i / 32] = i;");
    ASSERT_EQ(together.size(), 1u);
    EXPECT_EQ(together[0].detail, "lanes write to one place");
    EXPECT_FALSE(races(tile + "out[i] = s[63 - i];").empty());
}

TEST(SharedFlags, ThatAreStoredTwiceAreARaceWhateverTheyHold) {
    const std::string twice = kFlag + "if (i % 32 == 3) flag = 1; __syncthreads(); out[i] = flag;";
    EXPECT_EQ(races(twice).size(), 1u);
    EXPECT_EQ(races(twice + "if (x[0] == 1) atomicAdd((int*)&flag, 1);").size(), 1u)
        << "an atomic, or a fence, elsewhere in the program changes nothing of it";
    EXPECT_TRUE(races(kFlag + "if (i == 35) flag = 1; __syncthreads(); out[i] = flag;").empty());
}

TEST(SharedFlags, ByAtomicAccessesOfAnOrderAreNoRace) {
    const std::string store = R"(asm volatile("st.release.cta.shared.s32 [%0], 1;" :: "r"(at) : "memory");)";
    const std::string load =
        R"(int now; do asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(now) : "r"(at) : "memory");)"
        "while (now == 0);";
    const std::string at = "unsigned at = __cvta_generic_to_shared((int*)&flag);";
    const std::string reader = "if (i == 0) {" + load + "out[b] = data; }";
    EXPECT_TRUE(races(kFlag + at + "if (i == 32) { data = x[3] + 7;" + store + "}" + reader).empty());
    EXPECT_EQ(races(kFlag + at + "if (i == 32) {" + store + "data = x[3] + 7; }" + reader).size(), 1u);
}

TEST(SharedFlags, MayBeReadOnceBesideAtomics) {
    EXPECT_TRUE(races(kFlag + "if (i == 32) atomicExch((int*)&flag, 1); if (i == 0) out[b] = flag;").empty());
}

TEST(SharedFlags, AreConfirmedByAnExchange) {
    const std::string n = "__shared__ int n; if (i == 0) n = 0; __syncthreads();";
    EXPECT_TRUE(
        races(
            n +
            "int old = n, seen; do { seen = old; old = atomicCAS(&n, seen, seen + i); } while (old != "
            "seen);"
        )
            .empty()
    );
    EXPECT_FALSE(races(n + "out[i] = n; atomicAdd(&n, 1);").empty());
    const std::string other =
        "__shared__ int m; if (i == 0) m = 0; __syncthreads(); if (i == 32) atomicExch(&m, 9); if (i < 32) "
        "atomicCAS(&n, m, i);";
    EXPECT_FALSE(races(n + other).empty()) << "the exchange is of another place";
}

TEST(SharedStores, OfWhatIsThereAreNone) {
    const std::string any = "__shared__ int any; if (i == 0) any = 0; __syncthreads();";
    EXPECT_TRUE(races(any + "if (i % 8 == 3) any = 1; __syncthreads(); out[i] = any;").empty());
    const std::string five = "__shared__ int s; if (i == 0) s = 5; __syncthreads();";
    EXPECT_EQ(
        found(Kind::race_warp, five + "if (i < 2) s = 7 - 2 * i; __syncthreads(); out[i] = s;").size(), 1u
    ) << "one of the two stores what is there, but not both";
    EXPECT_EQ(races(any + "if (i % 32 == 3) any = 1 + i; __syncthreads(); out[i] = any;").size(), 1u);
}

// ---- both values

TEST(Values, OfARaceWithAnAtomicAreTold) {
    const auto r = races(
        "__shared__ int n; if (i == 0) n = 3; __syncthreads(); if (i == 0) n = 5; if (i == 32) atomicAdd(&n, "
        "4);"
    );
    ASSERT_EQ(r.size(), 1u);
    const bool store_first = r[0].second.value == 9;
    EXPECT_EQ(r[0].first.value, store_first ? 5u : 7u);
    EXPECT_EQ(r[0].second.value, store_first ? 9u : 5u);
}

TEST(Values, OfARaceWithACopyAreTold) {
    const auto r = races(
        "__shared__ int s[64]; s[i] = 40 + i; __syncthreads(); if (i >= 32) out[i] = s[i - 32];"
        "if (i == 2) { x[2] = 77; unsigned at = __cvta_generic_to_shared(&s[2]);"
        R"(asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at), "l"(x + 2) : "memory");)"
        R"(asm volatile("cp.async.wait_all;" ::: "memory"); })"
    );
    ASSERT_EQ(r.size(), 1u);
    EXPECT_EQ(r[0].first.value, r[0].second.write ? 42u : 77u);
    EXPECT_EQ(r[0].second.value, 77u);
}

TEST(Values, OfARaceWithAMatrixStoreAreTold) {
    const auto r = races(
        "__shared__ alignas(16) unsigned s[32]; if (i < 32) s[i] = 500 + i; __syncthreads();"
        "if (i < 32) out[i] = s[31 - i];"
        "if (i >= 32) { unsigned at = __cvta_generic_to_shared(&s[i % 8 * 4]);"
        R"(asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(at), "r"(i) : "memory"); })"
    );
    ASSERT_EQ(r.size(), 1u);
    ASSERT_TRUE(r[0].second.write);
    EXPECT_EQ(r[0].first.value & 0xffff, 500u) << "what the load has found, before the matrix";
    EXPECT_EQ(r[0].second.value & 0xffff, 32u);
}

// ---- memory of malloc, surfaces

const std::string kShelf =
    "__shared__ int* p; if (i == 0) p = (int*)malloc(256); __syncthreads(); p[i] = x[i] + i;";

TEST(HeapRaces, AreFoundWithinABlock) {
    EXPECT_TRUE(found(Kind::race_global, kShelf + "__syncthreads(); out[i] = p[63 - i];").empty());
    const auto r = found(Kind::race_global, kShelf + "out[i] = p[63 - i];");
    ASSERT_FALSE(r.empty());
    EXPECT_EQ(r[0].first.memory, "global heap");
}

TEST(HeapRaces, AreNoneWhereMemoryIsGivenOutAgain) {
    EXPECT_TRUE(
        found(
            Kind::race_global,
            "for (int k = 0; k < 40; ++k) { int* p = (int*)malloc(1 << 16); p[0] = k + i; p[4000] = b; "
            "out[b * 64 + i] = p[0]; free(p); }",
            4
        )
            .empty()
    );
}

// ---- one variable of shared memory

TEST(SharedVariables, EndWhereTheNextOneBegins) {
    const std::string two =
        "__shared__ int a[64]; __shared__ int c[64]; a[i] = 1; c[i] = 2; __syncthreads();";
    EXPECT_TRUE(found(Kind::out_of_bounds, two + "out[i] = a[63 - i] + c[i];").empty());
    const auto behind = found(Kind::out_of_bounds, two + "out[i] = a[i + 1] + c[i];");
    ASSERT_EQ(behind.size(), 1u);
    EXPECT_EQ(behind[0].first.lanes, 1u << 31);
    EXPECT_EQ(behind[0].first.warp, 1);
    EXPECT_EQ(found(Kind::out_of_bounds, two + "atomicAdd(&c[i - 1], 1); out[i] = a[i];").size(), 1u);
}

TEST(SharedVariables, MayBeChosenByAPointer) {
    const std::string two =
        "__shared__ int a[64]; __shared__ int c[64]; a[i] = 1; c[i] = 2; __syncthreads();";
    EXPECT_TRUE(found(Kind::out_of_bounds, two + "int* p = x[i] > 0 ? a : c; out[i] = p[63 - i];").empty());
    EXPECT_TRUE(found(
                    Kind::out_of_bounds,
                    two +
                        "int *p = a, *q = c; for (int k = 0; k < x[0] + 3; ++k) { q[i] = p[63 - i]; "
                        "__syncthreads(); int* t = p; p = q; q = t; } out[i] = p[i];"
    )
                    .empty());
    EXPECT_TRUE(found(Kind::out_of_bounds, two + "int* one = a - 1; out[i] = one[i + 1] + c[i];").empty());
}

// ---- barriers at two places

TEST(Barriers, OfTwoPlacesAreToldWithBoth) {
    const auto apart = found(
        Kind::divergent_barrier, "if (i < 32) { __syncthreads(); out[i] = 1; } else {\n__syncthreads(); }"
    );
    ASSERT_EQ(apart.size(), 1u);
    EXPECT_NE(apart[0].first.site, apart[0].second.site);
    EXPECT_NE(apart[0].first.warp, apart[0].second.warp);
    EXPECT_TRUE(
        found(Kind::divergent_barrier, "for (int k = 0; k < 5; ++k) { __syncthreads(); out[i] = k; }").empty()
    );
    EXPECT_TRUE(found(
                    Kind::divergent_barrier,
                    R"(if (i < 32) { asm volatile("bar.sync 1;" ::: "memory"); out[i] = 1; })"
                    "\n"
                    R"(else { out[i] = 2; asm volatile("bar.sync 1;" ::: "memory"); out[i] = 3; })"
    )
                    .empty()
    ) << "a named barrier is made for it";
}

// ---- what orders lanes of one warp

TEST(LanesInTurn, AreOrderedByALock) {
    const std::string turn =
        "for (int lane = 0; lane < 32; ++lane) if (i == lane) { while (atomicExch(x, 1)) {}";
    const std::string body = "out[0] = out[0] * 3 + lane;";
    EXPECT_TRUE(
        found(Kind::race_global, turn + "__threadfence();" + body + "__threadfence(); atomicExch(x, 0); }")
            .empty()
    );
    EXPECT_FALSE(found(Kind::race_global, turn + body + "atomicExch(x, 0); }").empty());
}

}  // namespace
}  // namespace wl::emulator::test
