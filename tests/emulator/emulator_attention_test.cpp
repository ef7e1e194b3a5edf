// The shipped attention kernels, compiled and emulated: right where they are right, and each planted fault
// leaves the incident that tells it.
#include "instrumentation/compile/compile.h"
#include "instrumentation/emulator/run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace wl::emulator::test {
namespace {

struct Case {
    std::string kernel = "v2c_3";
    std::string fault;  // macro of the fault's switch
    int seq = 128, depth = 64;
    bool causal = false;
    bool debug = false;  // nvcc -G: every helper a call, every variable in local memory
};

struct Attention {
    Case shape;
    int rows, keys;               // of a tile
    std::vector<double> q, k, v;  // (heads, seq, depth)
    GlobalMemory memory;
    ptx::Module module;
    std::shared_ptr<const Program> program;
    RunResult result;
};
constexpr int kHeads = 2;

std::vector<std::byte> normal_halves(std::vector<double>& values, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<std::byte> bytes(values.size() * 2);
    for (size_t i = 0; i < values.size(); ++i) {
        from_double(DType::f16, normal(random), &bytes[2 * i]);
        values[i] = to_double(DType::f16, &bytes[2 * i]);
    }
    return bytes;
}

Attention prepare(const Case& shape) {
    Attention a;
    a.shape = shape;
    a.rows = shape.depth == 64 ? 64 : 48;
    a.keys = shape.depth == 64 ? 64 : 32;
    compile::CompileOptions options;
    options.source_path = WL_SOURCE_DIR "/kernels/" + shape.kernel + ".cu";
    options.display_path = "kernels/" + shape.kernel + ".cu";
    options.debug = shape.debug;
    const auto number = [](int x) { return std::to_string(x); };
    options.defines = {
        {"D",      number(shape.depth) },
        {"M",      number(a.rows)      },
        {"N",      number(a.keys)      },
        {"CAUSAL", number(shape.causal)}
    };
    if (!shape.fault.empty()) options.defines.emplace_back(shape.fault, "1");
    a.module = ptx::parse(compile::compile(options).ptx);
    a.program = lower(a.module, shape.kernel);
    const auto n = static_cast<size_t>(kHeads * shape.seq * shape.depth);
    a.q.resize(n);
    a.k.resize(n);
    a.v.resize(n);
    return a;
}

void execute(Attention& a, const RunOptions& options) {
    Launch launch;
    const int m = a.rows, n = a.keys, d = a.shape.depth;
    launch.grid = {static_cast<uint32_t>((a.shape.seq + m - 1) / m), kHeads, 1};
    launch.block = {256, 1, 1};
    launch.dynamic_shared =
        static_cast<uint32_t>(2 * (m + 4 * n) * (d + 8) + 4 * m * n + 4 * m * (d + 8) + 12 * m);
    const uint64_t arguments[] = {
        allocate(a.memory, "Q", normal_halves(a.q, 1)),
        allocate(a.memory, "K", normal_halves(a.k, 2)),
        allocate(a.memory, "V", normal_halves(a.v, 3)),
        allocate(a.memory, "O", std::vector<std::byte>(a.q.size() * 2), false),
        static_cast<uint64_t>(a.shape.seq)};
    launch.params.resize(sizeof(arguments));
    std::memcpy(launch.params.data(), arguments, sizeof(arguments));
    a.result = run(*a.program, launch, a.memory, options);
}

double output(const Attention& a, size_t i) {
    return to_double(DType::f16, &a.memory.allocations[3].bytes[2 * i]);
}

// Largest difference to attention in double precision.
double worst_difference(const Attention& a) {
    const int s = a.shape.seq, d = a.shape.depth;
    double worst = 0;
    for (int row = 0; row < kHeads * s; ++row) {
        const int head = row / s, keys = a.shape.causal ? row % s + 1 : s;
        const auto at = [&](const std::vector<double>& x, int r, int c) {
            return x[static_cast<size_t>((head * s + r) * d + c)];
        };
        std::vector<double> p(static_cast<size_t>(keys));
        double sum = 0;
        for (int key = 0; key < keys; ++key) {
            double dot = 0;
            for (int c = 0; c < d; ++c) dot += at(a.q, row % s, c) * at(a.k, key, c);
            sum += p[static_cast<size_t>(key)] = std::exp(dot / std::sqrt(d));
        }
        for (int c = 0; c < d; ++c) {
            double exact = 0;
            for (int key = 0; key < keys; ++key) exact += p[static_cast<size_t>(key)] / sum * at(a.v, key, c);
            const double difference = std::abs(output(a, static_cast<size_t>(row * d + c)) - exact);
            if (!(difference <= worst)) worst = difference;
        }
    }
    return worst;
}

std::vector<Incident> of_kind(const Attention& a, Incident::Kind kind) {
    std::vector<Incident> found;
    for (const Incident& i : a.result.incidents)
        if (i.kind == kind) found.push_back(i);
    return found;
}

TEST(EmulatorAttention, TheDebugBuildAnswersAsTheReleaseBuildDoes) {
    Attention release = prepare({"v2c_3", "", 64, 64, false}),
              debug = prepare({"v2c_3", "", 64, 64, false, true});
    execute(release, {});
    execute(debug, {});
    EXPECT_TRUE(debug.result.incidents.empty()) << debug.result.incidents[0].detail;
    EXPECT_LE(worst_difference(debug), 1e-3);
    EXPECT_GT(debug.result.warp_instructions, 2 * release.result.warp_instructions);
    // Only the contraction of products and sums into fma differs: less than one unit in the last place of the
    // result's format, 2^-10 of its size at most.
    for (size_t i = 0; i < release.q.size(); ++i)
        EXPECT_NEAR(
            output(debug, i), output(release, i), 0x1p-10 * std::max(1.0, std::abs(output(release, i)))
        );
}

TEST(EmulatorAttention, ShippedKernelsAreRightAndClean) {
    for (const std::string kernel : {"v2b", "v2c_3"}) {
        for (const Case& shape : {
                 Case{kernel, "", 128, 64,  false},
                 Case{kernel, "", 150, 64,  true },
                 Case{kernel, "", 96,  128, false}
        }) {
            Attention a = prepare(shape);
            execute(a, {});
            EXPECT_LE(worst_difference(a), 1e-3) << kernel;
            EXPECT_TRUE(a.result.incidents.empty()) << kernel << ": " << a.result.incidents[0].detail;
        }
    }
}

TEST(EmulatorAttention, SchedulesDoNotChangeTheResult) {
    Attention fixed = prepare({}), random = prepare({});
    execute(fixed, {});
    RunOptions options;
    options.schedule_seed = 5;
    execute(random, options);
    EXPECT_EQ(fixed.memory.allocations[3].bytes, random.memory.allocations[3].bytes);
    EXPECT_TRUE(random.result.incidents.empty());
}

TEST(EmulatorAttention, The32xFaultIsAUniformReduction) {
    Attention a = prepare({"v2c_3", "WL_FAULT_32X"});
    execute(a, {});
    ASSERT_EQ(a.result.incidents.size(), 1u);
    const Incident& i = a.result.incidents[0];
    EXPECT_EQ(i.kind, Incident::Kind::uniform_reduction);
    EXPECT_EQ(i.group.size(), 10u);
    const auto all = sites(*a.program);
    capture::Site site = all[i.group.back()];
    while (site.inlined_at >= 0 && site.function.find("softmax_rows") == std::string::npos)
        site = all[static_cast<size_t>(site.inlined_at)];
    EXPECT_NE(site.function.find("softmax_rows"), std::string::npos) << "the sum is called from there";
}

TEST(EmulatorAttention, TheSyncFaultIsARace) {
    Attention a = prepare({"v2c_3", "WL_FAULT_SYNC"});
    execute(a, {});
    EXPECT_FALSE(of_kind(a, Incident::Kind::race_shared).empty());
}

TEST(EmulatorAttention, TheWarp7FaultLeavesItsRowsUnwritten) {
    Attention a = prepare({"v2b", "WL_FAULT_WARP7"});
    execute(a, {});
    for (int row = 0; row < 64; ++row)
        EXPECT_EQ(std::isnan(output(a, static_cast<size_t>(row * 64))), row >= 56) << row;
}

TEST(EmulatorAttention, WholeRunWithoutIncidentsWhenChecksAreOff) {
    Attention a = prepare({"v2c_3", "WL_FAULT_32X"});
    RunOptions options;
    options.checks = {false, false, false};
    execute(a, options);
    EXPECT_TRUE(a.result.incidents.empty());
}

}  // namespace
}  // namespace wl::emulator::test
