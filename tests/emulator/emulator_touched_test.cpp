// What a launch read and wrote, for who compares launches; and loads through the read-only cache.
#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

using execution::Touched;

// Bytes into the array of this name.
std::vector<Touched> touched(const KernelRun& run, const std::string& name) {
    const Allocation& a = *execution::find_named(run.memory, name);
    std::vector<Touched> out;
    for (Touched t : run.result.touched.value().touched) {
        if (t.begin < a.base || t.begin >= a.base + a.bytes.size()) continue;
        t.begin -= a.base, t.end -= a.base;
        out.push_back(t);
    }
    return out;
}

KernelRun run_of(const std::string& body, bool programmatic = false, int threads = 1) {
    KernelRun run(kernel(body), 64, 40);
    run.options.touched = true, run.options.threads = threads;
    run.launch.programmatic = programmatic;
    run.in("a", std::vector<uint32_t>(2600)).out<uint32_t>("d", 2600).go();
    return run;
}

TEST(EmulatorTouched, IsToTheByteAndByLine) {
    for (const int threads : {1, 4}) {
        const KernelRun run = run_of(load(0, "u32", 4, "%r10") + store(1, "u32", 4, "%r10"), false, threads);
        const std::vector<Touched> a = touched(run, "a"), d = touched(run, "d");
        ASSERT_EQ(a.size(), 1u);
        EXPECT_EQ(a[0].begin, 0u);
        EXPECT_EQ(a[0].end, 64u * 40 * 4);
        EXPECT_FALSE(a[0].write);
        ASSERT_EQ(d.size(), 1u);
        EXPECT_EQ(d[0].end, 64u * 40 * 4);
        EXPECT_TRUE(d[0].write);
        EXPECT_FALSE(d[0].strong);
        EXPECT_NE(a[0].site, d[0].site);
        EXPECT_FALSE(run.result.touched->lets_dependents);
    }
}

TEST(EmulatorTouched, SmallAndScatteredAccesses) {
    const KernelRun run = run_of(
        "shl.b32 %r10, %r2, 4;\ncvt.u64.u32 %rd10, %r10;\nadd.u64 %rd11, %rd1, %rd10;\n"
        "setp.lt.u32 %p1, %r2, 3;\n@%p1 st.global.u8 [%rd11+1], %r2;\n"
        "@%p1 red.global.add.u32 [%rd0], 1;\n"
    );
    const std::vector<Touched> d = touched(run, "d"), a = touched(run, "a");
    ASSERT_EQ(d.size(), 3u);
    EXPECT_EQ(d[2].begin, 33u);
    EXPECT_EQ(d[2].end, 34u);
    ASSERT_EQ(a.size(), 1u);
    EXPECT_EQ(a[0].end, 4u);
    EXPECT_TRUE(a[0].strong && a[0].write);
}

TEST(EmulatorTouched, BeforeAProgrammaticLaunchWaits) {
    const std::string body = "griddepcontrol.launch_dependents;\n" + load(0, "u32", 4, "%r10") +
        "griddepcontrol.wait;\n" + store(1, "u32", 4, "%r10");
    const KernelRun run = run_of(body, true);
    const auto early = [](const std::vector<Touched>& all) {
        uint64_t bytes = 0;
        for (const Touched& t : all)
            if (t.early) bytes += t.end - t.begin;
        return bytes;
    };
    EXPECT_EQ(early(touched(run, "a")), 64u * 40 * 4);
    EXPECT_EQ(early(touched(run, "d")), 0u);
    EXPECT_TRUE(run.result.touched->lets_dependents);
    EXPECT_EQ(early(touched(run_of(body), "a")), 0u);
}

TEST(EmulatorTouched, ReadOnlyLoadsOfWhatIsWrittenAreFound) {
    const auto found = [](const std::string& first, const std::string& second) {
        return run_of(first + second).incidents(Incident::Kind::read_only_load);
    };
    const std::string write = store(1, "u32", 4, "%r2"), read = load(1, "u32", 4, "%r10"),
                      cached = load(1, "nc.u32", 4, "%r11");
    const auto stale = found(write, cached);
    ASSERT_EQ(stale.size(), 1u);
    EXPECT_FALSE(stale[0].first.write);
    EXPECT_TRUE(stale[0].second.write);
    EXPECT_EQ(stale[0].first.memory, "global d");
    EXPECT_EQ(stale[0].first.block, 0);
    EXPECT_EQ(stale[0].count, 2u * 40);  // of each warp
    EXPECT_TRUE(found(write, read).empty());
    // What is written once more after it was read.
    const auto hidden = found(write + cached, store(1, "u32", 4, "%r0"));
    ASSERT_EQ(hidden.size(), 1u);
    EXPECT_EQ(hidden[0].first.address, hidden[0].second.address);
    EXPECT_EQ(hidden[0].second.lanes, hidden[0].first.lanes);
    EXPECT_TRUE(found(read, write).empty());
    EXPECT_TRUE(found(load(0, "nc.u32", 4, "%r11"), write).empty());
}

}  // namespace
}  // namespace wl::emulator::test
