// Litmus tests of the PTX memory model (Lustig, Sahasrabuddhe, Giroux, "A Formal Analysis of the NVIDIA PTX
// Memory Consistency Model", ASPLOS 2019; PTX ISA 9.0, 8.8 to 8.10): message passing, store buffering, load
// buffering and IRIW, with scopes. Data that the model leaves unordered are a race; what strong accesses may
// not show never shows in any schedule, and the model's other outcomes show as far as some interleaving of
// the threads has them.
#include "tests/emulator/emulator_kernel.h"

#include <array>
#include <gtest/gtest.h>
#include <set>

namespace wl::emulator::test {
namespace {

// ---- message passing: x is data, f a flag; %rd0, %rd1, %rd2 point to x, f and what was read

struct Passing {
    const char* name;
    const char *before, *raise;  // of the writer, after its store of x
    const char *look, *after;    // of the reader, before its load of x; %r10 is what it finds
    bool ordered;
    bool one_block;  // both are warps of one block
};

constexpr const char* kNone = "";
// Fences of the device, the block, the system; as `membar`.
constexpr const char *kFence = "fence.acq_rel.gpu;", *kBlockFence = "fence.acq_rel.cta;",
                     *kSystemFence = "fence.acq_rel.sys;", *kStrictFence = "fence.sc.gpu;",
                     *kMembar = "membar.gl;", *kBlockMembar = "membar.cta;";
// What raises the flag, and what looks at it.
constexpr const char *kRaise = "st.relaxed.gpu.global.u32 [%rd1], 1;",
                     *kLook = "ld.relaxed.gpu.global.u32 %r10, [%rd1];",
                     *kRelease = "st.release.gpu.global.u32 [%rd1], 1;",
                     *kAcquire = "ld.acquire.gpu.global.u32 %r10, [%rd1];",
                     *kAdd = "red.relaxed.gpu.global.add.u32 [%rd1], 1;",
                     *kAddZero = "atom.relaxed.gpu.global.add.u32 %r10, [%rd1], 0;",
                     *kSystemRaise = "st.relaxed.sys.global.u32 [%rd1], 1;",
                     *kSystemLook = "ld.relaxed.sys.global.u32 %r10, [%rd1];",
                     *kVolatileRaise = "st.volatile.global.u32 [%rd1], 1;",
                     *kVolatileLook = "ld.volatile.global.u32 %r10, [%rd1];",
                     *kBlockRaise = "st.relaxed.cta.global.u32 [%rd1], 1;",
                     *kBlockLook = "ld.relaxed.cta.global.u32 %r10, [%rd1];",
                     *kBlockRelease = "st.release.cta.global.u32 [%rd1], 1;",
                     *kBlockAcquire = "ld.acquire.cta.global.u32 %r10, [%rd1];",
                     *kBlockAdd = "red.relaxed.cta.global.add.u32 [%rd1], 1;",
                     *kBlockAddZero = "atom.relaxed.cta.global.add.u32 %r10, [%rd1], 0;";

const Passing kPassing[] = {
    {"fences of the device",              kFence,       kRaise,         kLook,         kFence,       true,  false},
    {"a release and an acquire",          kNone,        kRelease,       kAcquire,      kNone,        true,  false},
    {"of the system",                     kSystemFence, kSystemRaise,   kSystemLook,   kSystemFence, true,  false},
    {"sequentially consistent fences",    kStrictFence, kRaise,         kLook,         kStrictFence, true,  false},
    {"membar and volatile",               kMembar,      kVolatileRaise, kVolatileLook, kMembar,      true,  false},
    {"atomics and fences",                kFence,       kAdd,           kAddZero,      kFence,       true,  false},
    {"no fence of the writer",            kNone,        kRaise,         kLook,         kFence,       false, false},
    {"an acquire without a release",      kNone,        kRaise,         kAcquire,      kNone,        false, false},
    {"the writer's fence is the block's", kBlockFence,  kRaise,         kLook,         kFence,       false, false},
    {"the reader's fence is the block's", kFence,       kRaise,         kLook,         kBlockFence,  false, false},
    {"membar.cta of the reader",          kMembar,      kVolatileRaise, kVolatileLook, kBlockMembar, false, false},
    {"a release of the block",            kNone,        kBlockRelease,  kAcquire,      kNone,        false, false},
    {"an acquire of the block",           kNone,        kRelease,       kBlockAcquire, kNone,        false, false},
    {"atomics of the block",              kFence,       kBlockAdd,      kBlockAddZero, kFence,       false, false},
    {"fences within a block",             kBlockFence,  kBlockRaise,    kBlockLook,    kBlockFence,  true,  true },
    {"a release within a block",          kNone,        kBlockRelease,  kBlockAcquire, kNone,        true,  true },
    {"no fence within a block",           kNone,        kRaise,         kLook,         kNone,        false, true },
};

KernelRun passed(const Passing& p) {
    // Who is 0 writes: a block, or a warp of one.
    const std::string who = p.one_block ? "shr.u32 %r9, %r0, 5;\n" : "mov.u32 %r9, %r1;\n";
    const std::string first =
        "and.b32 %r8, %r0, 31;\nsetp.ne.u32 %p3, %r8, 0;\n@%p3 ret;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra "
        "READS;\n";
    const std::string text = who + first + "st.global.u32 [%rd0], 7;\n" + p.before + "\n" + p.raise +
        "\nret;\nREADS:\n" + p.look + "\nsetp.eq.u32 %p2, %r10, 0;\n@%p2 bra READS;\n" + p.after +
        "\nld.global.u32 %r11, [%rd0];\nst.global.u32 [%rd2], %r11;\n";
    std::string whole = kernel(text);
    KernelRun run(whole, p.one_block ? 64 : 32, p.one_block ? 1 : 2);
    run.in("x", std::vector<uint32_t>(1))
        .in("f", std::vector<uint32_t>(1))
        .in("out", std::vector<uint32_t>(1));
    return run.go();
}

TEST(EmulatorLitmus, MessagePassing) {
    for (const Passing& p : kPassing) {
        const KernelRun run = passed(p);
        EXPECT_EQ(run.incidents(Incident::Kind::race_global).empty(), p.ordered) << p.name;
        EXPECT_EQ(run.get<uint32_t>("out")[0], 7u) << p.name;
    }
}

// ---- outcomes: threads of blocks of their own, their loads to out

using Outcome = std::array<uint32_t, 4>;

struct Litmus {
    const char* name;
    std::vector<std::string> threads;  // %rd0 is x, %rd1 is y; %rd2 is out
    std::set<Outcome> forbidden;
    std::set<Outcome> shown;  // that some interleaving has
};

std::string store(const char* to) { return fmt::format("st.relaxed.gpu.global.u32 [{}], 1;\n", to); }
std::string read(const char* from, int slot) {
    return fmt::format(
        "ld.relaxed.gpu.global.u32 %r{0}, [{1}];\nst.relaxed.gpu.global.u32 [%rd2+{2}], %r{0};\n",
        20 + slot,
        from,
        4 * slot
    );
}
constexpr const char *kX = "%rd0", *kY = "%rd1";

std::set<Outcome> outcomes(const Litmus& t) {
    std::string text;
    for (size_t k = 0; k < t.threads.size(); ++k)
        text +=
            fmt::format("setp.ne.u32 %p1, %r1, {0};\n@%p1 bra NOT{0};\n{1}ret;\nNOT{0}:\n", k, t.threads[k]);
    const std::string whole = kernel(text);
    std::set<Outcome> out;
    for (uint64_t seed = 0; seed < 64; ++seed) {
        KernelRun run(whole, 1, static_cast<uint32_t>(t.threads.size()));
        run.in("x", std::vector<uint32_t>(1))
            .in("y", std::vector<uint32_t>(1))
            .in("out", std::vector<uint32_t>(4));
        run.options.schedule_seed = seed;
        run.go();
        EXPECT_TRUE(run.incidents(Incident::Kind::race_global).empty()) << t.name;
        const std::vector<uint32_t> got = run.get<uint32_t>("out");
        out.insert({got[0], got[1], got[2], got[3]});
    }
    return out;
}

TEST(EmulatorLitmus, OutcomesOfStrongAccesses) {
    const std::string sc = "fence.sc.gpu;\n", acq_rel = "fence.acq_rel.gpu;\n";
    const Litmus tests[] = {
        {"SB with fence.sc",
         {store(kX) + sc + read(kY, 0), store(kY) + sc + read(kX, 1)},
         {{0, 0}},
         {{0, 1}, {1, 0}}                                                                                                  },
        {"SB",                 {store(kX) + read(kY, 0), store(kY) + read(kX, 1)},               {},       {{0, 1}, {1, 0}}},
        {"MP with fences",
         {store(kX) + acq_rel + store(kY), read(kY, 0) + acq_rel + read(kX, 1)},
         {{1, 0}},
         {{0, 0}, {1, 1}}                                                                                                  },
        {"LB with fences",
         {read(kX, 0) + acq_rel + store(kY), read(kY, 1) + acq_rel + store(kX)},
         {{1, 1}},
         {{0, 1}, {1, 0}}                                                                                                  },
        {"CoRR",               {store(kX), read(kX, 0) + read(kX, 1)},                           {{1, 0}}, {{0, 0}, {1, 1}}},
        {"IRIW with fence.sc",
         {store(kX), store(kY), read(kX, 0) + sc + read(kY, 1), read(kY, 2) + sc + read(kX, 3)},
         {{1, 0, 1, 0}},
         {{0, 0, 0, 0}, {1, 1, 1, 1}}                                                                                      },
    };
    for (const Litmus& t : tests) {
        const std::set<Outcome> got = outcomes(t);
        for (const Outcome& o : t.forbidden) EXPECT_FALSE(got.contains(o)) << t.name;
        for (const Outcome& o : t.shown)
            EXPECT_TRUE(got.contains(o)) << fmt::format("{}: {}", t.name, fmt::join(o, " "));
    }
}

// Of the block alone between blocks: the accesses are not morally strong, and race.
TEST(EmulatorLitmus, StrongAccessesOfTheBlockBetweenBlocksRace) {
    for (const char* scope : {"cta", "gpu"}) {
        const std::string body = fmt::format(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra NOT;\nst.relaxed.{0}.global.u32 [%rd0], 1;\nret;\nNOT:\n"
            "ld.relaxed.{0}.global.u32 %r20, [%rd0];\nst.global.u32 [%rd1], %r20;\n",
            scope
        );
        KernelRun run(kernel(body), 1, 2);
        run.in("x", std::vector<uint32_t>(1)).in("out", std::vector<uint32_t>(1)).go();
        EXPECT_EQ(run.incidents(Incident::Kind::race_global).empty(), scope == std::string("gpu")) << scope;
    }
}

}  // namespace
}  // namespace wl::emulator::test
