// Dynamic slices: exactly the inputs that an element is made of, through shared memory, shuffles, calls,
// atomics, asynchronous copies and matrix instructions.
#include "instrumentation/travel/slice.h"

#include "instrumentation/compile/compile.h"
#include "instrumentation/travel/search.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

namespace wl::travel {
namespace {

const char* const kSource = R"(#include <mma.h>
#include <cuda_pipeline.h>
__device__ __noinline__ float weigh(float x, float weight) { return x * weight; }

extern "C" __global__ void shared_memory(const float* in, float* out) {
    __shared__ float words[64];
    const int i = threadIdx.x;
    words[i] = in[i];
    __syncthreads();
    out[i] = words[i] + words[(i + 3) % 64];
}
extern "C" __global__ void shuffles(const float* in, float* out) {
    const int i = threadIdx.x;
    float x = in[i];
    for (int offset = 4; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffff, x, offset);
    out[i] = x;
}
extern "C" __global__ void calls(const float* in, float* out) {
    const int i = threadIdx.x;
    float x = weigh(in[i], in[63]);
    if (i % 2 == 0) x = weigh(x, in[62]);
    out[i] = x;
}
extern "C" __global__ void atomics(const float* in, float* out) {
    const int i = threadIdx.x;
    __shared__ float sum[4];
    if (i < 4) sum[i] = 0.0f;
    __syncthreads();
    atomicAdd(&sum[i % 4], in[i]);
    __syncthreads();
    out[i] = sum[i / 16];
}
extern "C" __global__ void copies(const float* in, float* out) {
    __shared__ __align__(16) float words[64];
    const int i = threadIdx.x;
    if (i < 16) __pipeline_memcpy_async(&words[4 * i], &in[60 - 4 * i], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = words[i];
}
extern "C" __global__ void bulk(const float* in, float* out) {
    __shared__ __align__(16) float words[64];
    __shared__ unsigned long long bar;
    const int i = threadIdx.x;
    const auto at = [](const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); };
    if (i == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&bar)));
        asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], 192; }" ::"r"(at(&bar)));
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 192, [%2];" ::"r"(
                at(words)
            ),
            "l"(in + 16),
            "r"(at(&bar))
        );
    }
    __syncthreads();
    asm volatile(
        "{ .reg .pred p; L: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra L; }" ::"r"(at(&bar))
    );
    out[i] = words[i % 48];
}
extern "C" __global__ void product(const float* in, float* out) {
    using namespace nvcuda;
    __shared__ __align__(32) __half a[256], b[256];
    __shared__ __align__(32) float d[256];
    for (int k = threadIdx.x; k < 256; k += 32) {
        a[k] = __float2half(in[k]);
        b[k] = __float2half(in[256 + k]);
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(d, z, 16, wmma::mem_row_major);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += 32) out[k] = d[k];
}
extern "C" __global__ void chosen(const float* in, float* out) {
    const int i = threadIdx.x;
    const int index = static_cast<int>(in[i]) * 8 + 1;
    float x = in[index];
    if (in[63 - i] > 2.0f) {
        x *= 3.0f;
        out[256 + i] = x;
    }
    out[i] = x;
}
extern "C" __global__ void counted(const float* in, float* out) {
    const int i = threadIdx.x;
    float x = 0.0f;
#pragma unroll 1
    for (int k = 0; k < i; ++k)
        x += in[k];
    out[i] = x;
}
extern "C" __global__ void indirect(const float* in, float* out) {
    __shared__ int index[64];
    const int i = threadIdx.x;
    index[i] = static_cast<int>(in[i]);
    __syncthreads();
    const float y = in[index[63 - i]], z = in[100 + i];
    const float other = in[200 + i];
    out[i] = other > 2.0f ? y : z;
}
extern "C" __global__ void padded(const float* in, float* out) {
    __shared__ __align__(16) float words[64];
    const int i = threadIdx.x;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&words[4 * (i % 16)]));
    const int bytes = i == 3 ? 4 : 16;
    if (i < 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(&in[4 * i]), "r"(bytes));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = words[i] + words[(i + 1) % 64];
}
)";

struct Slices : testing::Test {
    ptx::Module module;
    Route route;
    uint64_t out = 0;

    // The inputs of out[element] of a kernel with so many threads, as indices in `in`.
    Slice of(
        const std::string& kernel,
        uint32_t threads,
        uint64_t element,
        bool debug = false,
        SliceOptions wanted = {}
    ) {
        const auto path =
            std::filesystem::temp_directory_path() / ("slice_" + std::to_string(getpid()) + ".cu");
        std::ofstream(path) << kSource;
        compile::CompileOptions options;
        options.source_path = path.string();
        options.display_path = "slice.cu";
        options.debug = debug;
        module = ptx::parse(compile::compile(options).ptx);
        std::filesystem::remove(path);
        emulator::Journey journey;
        journey.program = emulator::lower(module, kernel);
        journey.launch.block = {threads, 1, 1};
        journey.launch.grid = {1, 1, 1};
        journey.key_frame_interval = 64;
        std::vector<std::byte> in(2048);
        for (size_t i = 0; i < 512; ++i) {
            const auto value = static_cast<float>(i % 7);
            std::memcpy(in.data() + i * 4, &value, 4);
        }
        const uint64_t addresses[] = {
            allocate(journey.memory, "in", in),
            allocate(journey.memory, "out", std::vector<std::byte>(1024))};
        out = addresses[1];
        journey.launch.params.resize(16);
        std::memcpy(journey.launch.params.data(), addresses, 16);
        route = make_route(module, std::move(journey));
        wanted.from.address = out + 4 * element;
        wanted.from.bytes = 4;
        return slice(route, take_tiles(route), wanted);
    }
};

SliceInput input(const Slice& s, const std::string& name) {
    for (const SliceInput& i : s.inputs)
        if (i.memory == name) return i;
    return {};
}

TEST_F(Slices, GoThroughSharedMemoryToTheLanesThatWrote) {
    for (const bool debug : {false, true}) {
        const Slice s = of("shared_memory", 64, 5, debug);
        EXPECT_EQ(input(s, "in").bytes, 8u) << "in[5] and in[8]";
        EXPECT_EQ(input(s, "in").first, 20u);
        EXPECT_EQ(input(s, "in").last, 35u);
        EXPECT_EQ(s.inputs.size(), 1u);
        EXPECT_TRUE(s.not_followed.empty());
    }
}

TEST_F(Slices, GoToTheLanesThatAShuffleReads) {
    const Slice s = of("shuffles", 32, 13);
    EXPECT_EQ(input(s, "in").bytes, 32u) << "the eight lanes 8 to 15";
    EXPECT_EQ(input(s, "in").first, 32u);
    EXPECT_EQ(input(s, "in").last, 63u);
}

TEST_F(Slices, GoThroughCallsByTheirParametersAndResults) {
    for (const bool debug : {false, true}) {
        const Slice odd = of("calls", 64, 7, debug);
        EXPECT_EQ(input(odd, "in").bytes, 8u) << "in[7], in[63]";
        EXPECT_EQ(input(odd, "in").first, 28u);
        const Slice even = of("calls", 64, 8, debug);
        EXPECT_EQ(input(even, "in").bytes, 12u) << "in[8], in[62], in[63]";
        EXPECT_EQ(input(even, "in").first, 32u);
    }
}

TEST_F(Slices, GoThroughEveryAtomicOnTheSameWord) {
    const Slice s = of("atomics", 64, 33);  // sum[2] of in[2], in[6], ...
    EXPECT_EQ(input(s, "in").bytes, 64u);
    EXPECT_EQ(input(s, "in").first, 8u);
    EXPECT_EQ(input(s, "in").last, 4u * 62 + 3);
}

TEST_F(Slices, GoThroughAsynchronousCopiesByTheByte) {
    const Slice s = of("copies", 64, 9);  // words[9] is in[52 + 1]
    EXPECT_EQ(input(s, "in").bytes, 4u);
    EXPECT_EQ(input(s, "in").first, 4u * 53);
}

TEST_F(Slices, GoThroughACopyOfManyBytes) {
    const Slice s = of("bulk", 64, 50);  // words[2] is in[16 + 2]
    EXPECT_EQ(input(s, "in").bytes, 4u);
    EXPECT_EQ(input(s, "in").first, 4u * 18);
    EXPECT_TRUE(s.not_followed.empty());
}

TEST_F(Slices, GoToTheRowAndTheColumnOfAProduct) {
    const Slice s = of("product", 32, 16 * 3 + 9);
    EXPECT_EQ(input(s, "in").bytes, 4u * 32) << "16 elements of a's row and 16 of b's column";
    EXPECT_EQ(input(s, "in").first, 4u * 48);
    EXPECT_EQ(input(s, "in").last, 4u * (256 + 16 * 15 + 9) + 3);
    EXPECT_TRUE(s.not_followed.empty());
}

// Lines that decided about steps at a line, as "address 75" or "guard 77", once each.
std::set<std::string> deciders_at(const Route& route, const Slice& s, int line) {
    std::set<std::string> found;
    for (const Decider& d : s.deciders)
        if (route.sites[d.of].line == line)
            found.insert(
                (d.kind == Decider::Kind::address ? "address " : "guard ") +
                std::to_string(route.sites[d.step.site].line)
            );
    return found;
}

int line_of(const std::string& text) {
    const std::string source = kSource;
    const size_t at = source.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    return 1 +
        static_cast<int>(std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

SliceOptions with_deciders(bool deep = false) {
    SliceOptions options;
    options.deciders = true, options.deep = deep;
    return options;
}

TEST_F(Slices, ToldApartAreTheIndexOfALoadAndTheConditionOfAWrite) {
    const std::string index = std::to_string(line_of("const int index")),
                      guard = std::to_string(line_of("if (in[63"));
    for (const bool debug : {false, true}) {
        // in[8] is 1: out[256 + 8] is 3 * in[9], for in[55] is 6.
        const Slice s = of("chosen", 64, 256 + 8, debug, with_deciders());
        EXPECT_EQ(input(s, "in").bytes, 4u) << "index and condition are no values of the chain";
        EXPECT_EQ(input(s, "in").first, 36u);
        const auto load = deciders_at(route, s, line_of("float x = in[index]"));
        EXPECT_TRUE(load.contains("address " + index)) << debug;
        EXPECT_FALSE(load.contains("guard " + guard)) << debug;
        const auto write = deciders_at(route, s, line_of("out[256 + i] = x"));
        EXPECT_TRUE(write.contains("guard " + guard)) << debug;
        EXPECT_EQ(write.contains("address " + index), !debug) << "optimised code shares 4 * i";
        const auto behind = deciders_at(
            route,
            of("chosen", 64, 8, debug, with_deciders()),
            line_of("    out[i] = x;\n}\nextern \"C\" __global__ void counted")
        );
        EXPECT_FALSE(behind.contains("guard " + guard)) << "it is executed either way";
    }
}

TEST_F(Slices, AWriteThatIsLeftOutIsAskedForWhereThatIsWanted) {
    const int line = line_of("if (i % 2 == 0) x = weigh");
    for (const bool debug : {false, true})
        for (const bool kept : {false, true}) {
            SliceOptions options = with_deciders(true);
            options.kept = kept;
            const Slice s = of("calls", 64, 3, debug, options);  // of an odd thread
            const bool found = std::any_of(s.deciders.begin(), s.deciders.end(), [&](const Decider& d) {
                return route.sites[d.step.site].line == line;
            });
            EXPECT_EQ(found, kept) << debug;
        }
}

TEST_F(Slices, AnIndexIsFollowedToTheMemoryThatItWasReadFromAndFurtherWhenAsked) {
    const auto reads_of = [&](bool deep) {
        const Slice s = of("chosen", 64, 8, false, with_deciders(deep));
        std::set<uint64_t> offsets;
        for (const Decider& d : s.deciders)
            if (d.kind == Decider::Kind::address && d.step.read_bytes == 4)
                if (const auto at = emulator::allocation_at(*route.traveller, d.step.read_address); at)
                    offsets.insert(at->second);
        return offsets;
    };
    EXPECT_EQ(reads_of(false), std::set<uint64_t>{4 * 8}) << "in[8] gives the index";
    EXPECT_TRUE(reads_of(true).contains(4 * 8));
}

TEST_F(Slices, AnIndexOutOfSharedMemoryEndsThereUnlessMoreIsAsked) {
    const auto reads = [&](bool deep) {
        const Slice s = of("indirect", 64, 6, false, with_deciders(deep));
        std::set<std::string> memories;
        for (const Decider& d : s.deciders) {
            if (d.kind != Decider::Kind::address || d.step.read_bytes == 0) continue;
            const auto at = emulator::allocation_at(*route.traveller, d.step.read_address);
            memories.insert(at ? at->first + " " + std::to_string(at->second / 4) : "shared");
        }
        return memories;
    };
    EXPECT_EQ(reads(false), std::set<std::string>{"shared"});
    EXPECT_TRUE(reads(true).contains("in 57")) << "index[57] was made of in[57]";
}

TEST_F(Slices, TheConditionOfASelectIsAGuard) {
    const Slice s = of("indirect", 64, 5, false, with_deciders());  // in[205] is 2, so that z is taken
    EXPECT_EQ(input(s, "in").bytes, 4u);
    EXPECT_EQ(input(s, "in").first, 4u * 105);
    std::set<uint64_t> offsets;
    for (const Decider& d : s.deciders)
        if (d.kind == Decider::Kind::guard && d.step.read_bytes != 0)
            if (const auto at = emulator::allocation_at(*route.traveller, d.step.read_address); at)
                offsets.insert(at->second / 4);
    EXPECT_EQ(offsets, std::set<uint64_t>{205});
}

TEST_F(Slices, TheGuardOfALoopsBodyIsTheLoopsOwnCondition) {
    const Slice s = of("counted", 64, 5, false, with_deciders());
    EXPECT_EQ(input(s, "in").bytes, 20u);
    const std::string loop = std::to_string(line_of("for (int k = 0; k < i; ++k)\n        x +="));
    const auto body = deciders_at(route, s, line_of("        x += in[k]"));
    EXPECT_TRUE(body.contains("guard " + loop));
    uint64_t times = 0;
    for (const Decider& d : s.deciders)
        if (d.kind == Decider::Kind::guard && !route.instructions[d.step.site]->operands.empty())
            times += d.step.times;
    EXPECT_GT(times, 0u);
}

TEST_F(Slices, BytesThatACopyFillsWithZeroComeFromNowhere) {
    const Slice s = of("padded", 64, 12);  // words[12] is read, words[13] is zero
    EXPECT_EQ(input(s, "in").bytes, 4u);
    EXPECT_EQ(input(s, "in").first, 48u);
}

TEST_F(Slices, WhatOneLoadAloneIsMadeOf) {
    const Slice whole = of("shared_memory", 64, 5);
    SliceOptions options;
    for (const SliceStep& step : whole.steps)
        if (step.read_bytes != 0 && (step.read_address & 0xff00'0000'0000'0000) == emulator::kSharedBase)
            options.through.push_back(step.site);
    ASSERT_EQ(options.through.size(), 2u);
    const Slice s = of("shared_memory", 64, 5, false, options);
    std::set<uint64_t> first;
    for (const auto& inputs : s.through) {
        ASSERT_EQ(inputs.size(), 1u);
        EXPECT_EQ(inputs[0].bytes, 4u);
        first.insert(inputs[0].first);
    }
    EXPECT_EQ(first, (std::set<uint64_t>{20, 32})) << "in[5] by one, in[8] by the other";
    EXPECT_EQ(
        input(s, "in").runs,
        (std::vector<std::pair<uint64_t, uint64_t>>{
            {20, 23},
            {32, 35}
    })
    );
}

TEST_F(Slices, WhoWritesAnAddressIsFoundForwardAndBack) {
    of("atomics", 64, 0);
    const Bytes word{emulator::kSharedBase + 4, 4};
    ASSERT_TRUE(next_write(route, word, 0));
    EXPECT_EQ(route.sites[emulator::here(*route.traveller).site].line, 27);
    const uint64_t first = emulator::here(*route.traveller).order;
    ASSERT_TRUE(next_write(route, word, first + 1));
    EXPECT_EQ(route.sites[emulator::here(*route.traveller).site].line, 29);
    ASSERT_TRUE(last_write(route, word, UINT64_MAX));
    EXPECT_EQ(emulator::here(*route.traveller).warp, 1);
    ASSERT_TRUE(last_write(route, word, first + 1));
    EXPECT_EQ(emulator::here(*route.traveller).order, first);
    EXPECT_FALSE(last_write(route, word, first));
}

}  // namespace
}  // namespace wl::travel
