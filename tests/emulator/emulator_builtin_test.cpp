// What the machine provides: printf, assert, malloc and free, as CUDA kernels call them.
#include "instrumentation/emulator/memory/heap.h"
#include "tests/emulator/emulator_cuda.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

std::string text_of(const RunResult& result) {
    std::string text;
    for (const Printed& p : result.printed) text += p.text;
    return text;
}

TEST(EmulatorBuiltin, PrintfPutsEveryKindOfValue) {
    KernelRun run(
        ptx_of(R"(
extern "C" __global__ void k(int* out) {
    const int used = printf("%d %5u|%-5d|%05d %lld %llu %x %#X %c %s %%\n", -7, 8u, 9, 10, -(1ll << 40),
                            1ull << 63, 0xbeef, 0xbeef, 'q', "text");
    printf("%f %.2e %g %8.3f|%-8.1f|%+d %*d %.3s %p\n", 1.5, 12345.678, 0.1f, 3.14159, 2.5, 3, 6, 4, "abcdef",
           (void*)0x1234);
    out[0] = used;
    out[1] = printf("none\n");
}
)"),
        1
    );
    run.out<int>("out", 2).go();
    EXPECT_EQ(told(run.result), "");
    EXPECT_EQ(
        text_of(run.result),
        "-7     8|9    |00010 -1099511627776 9223372036854775808 beef 0XBEEF q text %\n"
        "1.500000 1.23e+04 0.1    3.142|2.5     |+3      4 abc 0x1234\nnone\n"
    );
    EXPECT_EQ(run.get<int>("out"), (std::vector<int>{10, 0}));
}

TEST(EmulatorBuiltin, TextComesByBlockWhateverTheNumberOfWorkers) {
    const std::string text = ptx_of(
        "extern \"C\" __global__ void k() { if (threadIdx.x % 40 == 3) printf(\"%d.%d;\", blockIdx.x, "
        "threadIdx.x); }"
    );
    std::string want;
    for (int block = 0; block < 300; ++block) want += fmt::format("{0}.3;{0}.43;", block);
    for (const int threads : {1, 4}) {
        KernelRun run(text, 64, 300);
        run.options.threads = threads;
        run.go();
        EXPECT_EQ(text_of(run.result), want);
        EXPECT_EQ(run.result.prints_lost, 0u);
    }
}

TEST(EmulatorBuiltin, AClockPassesCyclesAndATimerNanoseconds) {
    KernelRun run(
        ptx_of(R"(
extern "C" __global__ void k(long long* out) {
    unsigned long long from, to;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(from));
    const long long begin = clock64();
    while (clock64() - begin < 800000) {}
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(to));
    out[0] = to - from;
}
)"),
        32
    );
    run.out<int64_t>("out", 1).go();
    EXPECT_NEAR(static_cast<double>(run.result.warp_instructions), 100000, 200) << "8 cycles each";
    EXPECT_NEAR(static_cast<double>(run.get<int64_t>("out")[0]), 400000, 800) << "2 cycles a nanosecond";
}

TEST(EmulatorBuiltin, WhatIsBeyondTheBufferIsSaidToBeLost) {
    KernelRun run(ptx_of(R"(extern "C" __global__ void k() { printf("%1000d", blockIdx.x); })"), 32, 50);
    run.options.threads = 3;
    run.go();
    EXPECT_EQ(run.result.printed.size(), (1u << 20) / 1000);
    EXPECT_EQ(run.result.prints_lost, 32 * 50 - (1u << 20) / 1000);
    EXPECT_EQ(run.result.printed.back().block, (1 << 20) / 32000);
}

TEST(EmulatorBuiltin, AFailedAssertionSaysWhatAndWhere) {
    KernelRun run(
        ptx_of(
            "extern \"C\" __global__ void k(int* x) {\n    assert(x[threadIdx.x] < 3);\n    x[64] = 1;\n}\n"
        ),
        64
    );
    run.in<int>("x", std::vector<int>(65)).go();
    EXPECT_EQ(told(run.result), "");
    KernelRun fails(
        ptx_of(
            "extern \"C\" __global__ void k(int* x) {\n    assert(x[threadIdx.x] < 3);\n    x[64] = 1;\n}\n"
        ),
        64
    );
    std::vector<int> x(65);
    x[37] = 3;
    fails.in<int>("x", x).go();
    const auto found = fails.incidents(Kind::assertion);
    ASSERT_EQ(found.size(), 1u);
    const std::string want = "k.cu:2: void k(int *): thread 37: assertion `x[threadIdx.x] < 3` failed";
    EXPECT_TRUE(found[0].detail.ends_with(want)) << found[0].detail;
    EXPECT_EQ(found[0].first.warp, 1);
    EXPECT_EQ(found[0].first.lanes, 1u << 5);
    EXPECT_EQ(line_of(*fails.program, found[0].first.site), 2);
}

TEST(EmulatorBuiltin, MemoryFromTheHeapBelongsToItsThread) {
    KernelRun run(
        ptx_of(R"(
extern "C" __global__ void k(unsigned* out) {
    const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned* mine = (unsigned*)malloc(40);
    for (int k = 0; k < 10; ++k) mine[k] = me * 10 + k;
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 10; ++k) sum += ((volatile unsigned*)mine)[k];
    out[me] = sum;
    free(mine);
}
)"),
        64,
        2000
    );
    run.options.threads = 3;
    run.out<uint32_t>("out", 64 * 2000).go();
    EXPECT_EQ(told(run.result), "");
    const auto out = run.get<uint32_t>("out");
    for (uint32_t me = 0; me < out.size(); ++me) ASSERT_EQ(out[me], 100 * me + 45);
}

// One block takes the room that another one gave back: what that one did there is no access of its own. Two
// pieces of 5 MiB do not fit beside each other.
std::string told_of_two_blocks(const std::string& use, bool gives_back) {
    KernelRun run(
        ptx_of(
            "extern \"C\" __global__ void k(int* out) {\n    int* p = (int*)malloc(5 << 20);\n" + use +
            (gives_back ? "    free(p);\n" : "") + "}\n"
        ),
        1,
        2
    );
    run.out<int>("out", 2).go();
    return told(run.result);
}

TEST(EmulatorBuiltin, RoomThatIsGivenOutAgainHasNoPast) {
    const std::string beside = "    if (p == nullptr) { out[blockIdx.x] = 1; return; }\n";
    for (const char* use :
         {"    *(volatile int*)p = 1;\n",
          "    *(volatile int*)p = 1; out[blockIdx.x] = *(volatile int*)p;\n",
          "    *p = 1; atomicAdd(p, 1); out[blockIdx.x] = atomicAdd(p, 1);\n",
          "    p[0] = p[1] = p[2] = 5; out[blockIdx.x] = atomicExch(p + 1, 2);\n"})
        EXPECT_EQ(told_of_two_blocks(beside + use, true), "") << use;
}

// Kind of the one incident, and what it says.
std::pair<int, std::string> one_incident(const std::string& body) {
    KernelRun run(
        ptx_of(
            "extern \"C\" __global__ void k(int* out) {\n    volatile int* p = (int*)malloc(20);\n" + body +
            "}\n"
        ),
        1
    );
    run.out<int>("out", 4).go();
    EXPECT_EQ(run.result.incidents.size(), 1u) << told(run.result);
    if (run.result.incidents.empty()) return {};
    const Incident& i = run.result.incidents[0];
    return {static_cast<int>(i.kind), i.first.memory + i.detail};
}

TEST(EmulatorBuiltin, MisuseOfTheHeapIsFound) {
    EXPECT_EQ(
        one_incident("p[5] = 1;"),
        std::pair(
            static_cast<int>(Kind::out_of_bounds), std::string("heap, 0 bytes past 20 bytes that malloc gave")
        )
    );
    EXPECT_EQ(
        one_incident("p[2] = 1; free((void*)p); out[0] = p[2];"),
        std::pair(
            static_cast<int>(Kind::out_of_bounds), std::string("heap, byte 8 of 20 bytes that were freed")
        )
    );
    EXPECT_EQ(one_incident("free((void*)p); free((void*)p);").first, static_cast<int>(Kind::bad_free));
    EXPECT_EQ(one_incident("free((void*)(p + 1));").first, static_cast<int>(Kind::bad_free));
    EXPECT_EQ(one_incident("out[0] = p[1];").first, static_cast<int>(Kind::uninitialised_read));
}

TEST(EmulatorBuiltin, AFullHeapGivesNothing) {
    GlobalMemory memory;
    make_heap(memory);
    Heap& heap = *memory.heap;
    const uint64_t all = take(heap, kHeapBytes);
    EXPECT_EQ(all, kHeapBase);
    EXPECT_EQ(take(heap, 1), 0u);
    EXPECT_EQ(give_back(heap, all), "");
    std::vector<uint64_t> parts;
    for (uint64_t part = take(heap, 1000); part != 0; part = take(heap, 1000)) parts.push_back(part);
    EXPECT_EQ(parts.size(), kHeapBytes / 1008);
    EXPECT_EQ(give_back(heap, parts[700]), "");
    EXPECT_FALSE(find(heap, parts[700], 1)) << "freed";
    EXPECT_EQ(take(heap, 1000), parts[700]) << "the only room that is left";
    EXPECT_TRUE(find(heap, parts[700] + 999, 1));
    EXPECT_FALSE(find(heap, parts[700] + 999, 2));
    EXPECT_EQ(take(heap, ~uint64_t{0}), 0u);
}

}  // namespace
}  // namespace wl::emulator::test
