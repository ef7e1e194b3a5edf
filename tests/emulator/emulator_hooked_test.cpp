// Hooks at instructions of a copy of a program: chosen by trait, before, after and instead, one around the
// other; the program itself stays as it is.
#include "instrumentation/emulator/observe/hooked.h"
#include "instrumentation/emulator/program/load.h"
#include "instrumentation/emulator/schedule/block.h"
#include "tests/emulator/emulator_kernel.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

struct Seen {
    char who = 0;
    uint32_t site = 0, lanes = 0;
    bool operator==(const Seen&) const = default;
};
// Hooks are functions, so there is one list at a time.
std::vector<Seen> seen;

template <char who>
void note(Warp& w, const Instr* i, const Hook&) {
    seen.push_back({who, i->site, w.mask});
}
const Instr* skip(Warp& w, const Instr* i, const Hook&) {
    seen.push_back({'s', i->site, w.mask});
    return i + 1;
}

// One store by all lanes, one by the lanes below 4, nothing else that touches memory.
const std::string kStores = "mov.u32 %r10, 7;\nsetp.lt.u32 %p1, %r0, 4;\n" + store(0, "u32", 4, "%r10") +
    "@%p1 st.global.u32 [%rd61+128], %r10;\n";

struct HookedRun : KernelRun {
    Hooked hooked;
    std::vector<uint32_t> stores;  // sites

    HookedRun() : KernelRun(kernel(kStores)), hooked(hookable(*program)) {
        out<uint32_t>("d", 64);
        for (const Traits& t : hooked.traits)
            if (is_store(t)) stores.push_back(t.site);
    }
    static bool is_store(const Traits& t) {
        return std::any_of(t.memory.begin(), t.memory.end(), [](const MemorySite& s) {
            return s.space == ptx::Space::global && s.requests[0].kind == AccessKind::store;
        });
    }
    std::vector<uint32_t> execute() {
        seen.clear();
        const Loaded loaded = load(*program, memory);
        Block block;
        BlockContext context;
        run_hooked(context, hooked);
        context.launch = &launch, context.options = &options, context.memory = &memory;
        context.loaded = &loaded;
        make_ready(block, context);
        begin_block(block, 0, kPlain);
        EXPECT_EQ(run_block(block), Ended::finished);
        return get<uint32_t>("d");
    }
};

TEST(EmulatorHooked, TheLatestHookStandsOutermost) {
    HookedRun run;
    ASSERT_EQ(run.stores.size(), 2u);
    put_before<note<'a'>>(run.hooked, {}, HookedRun::is_store);
    put_after<note<'b'>>(run.hooked, {}, HookedRun::is_store);
    put_before<note<'c'>>(run.hooked, {}, HookedRun::is_store);
    const std::vector<uint32_t> d = run.execute();
    std::vector<Seen> wanted;
    for (const uint32_t site : run.stores)
        for (const char who : {'c', 'a', 'b'}) wanted.push_back({who, site, kAllLanes});
    EXPECT_TRUE(seen == wanted);
    EXPECT_EQ(std::count(d.begin(), d.end(), 7u), 32 + 4) << "the stores were made";
}

TEST(EmulatorHooked, HooksOfLanesSeeThoseWhoseGuardIsTrue) {
    HookedRun run;
    put_before<note<'l'>>(run.hooked, {At::lanes}, HookedRun::is_store);
    run.execute();
    EXPECT_TRUE(
        seen ==
        (std::vector<Seen>{
            {'l', run.stores.at(0), kAllLanes},
            {'l', run.stores.at(1), 0xf      }
    })
    );
}

// Whatever is put first, and whether the instruction has a guard or not.
TEST(EmulatorHooked, HooksOfTheSplitStandBeforeThoseOfItsLanes) {
    for (const bool split_first : {false, true}) {
        HookedRun run;
        if (split_first) put_before<note<'s'>>(run.hooked, {At::split}, HookedRun::is_store);
        put_before<note<'l'>>(run.hooked, {At::lanes}, HookedRun::is_store);
        if (!split_first) put_before<note<'s'>>(run.hooked, {At::split}, HookedRun::is_store);
        const std::vector<uint32_t> d = run.execute();
        const uint32_t one = run.stores.at(0), two = run.stores.at(1);
        EXPECT_TRUE(
            seen ==
            (std::vector<Seen>{
                {'s', one, kAllLanes},
                {'l', one, kAllLanes},
                {'s', two, kAllLanes},
                {'l', two, 0xf      }
        })
        ) << split_first;
        EXPECT_EQ(std::count(d.begin(), d.end(), 7u), 32 + 4);
    }
}

TEST(EmulatorHooked, AHookInsteadLeavesTheInstructionOut) {
    HookedRun run;
    put_before<note<'a'>>(run.hooked, {}, HookedRun::is_store);
    put_instead(run.hooked, {}, skip, [&](const Traits& t) { return t.site == run.stores[1]; });
    const std::vector<uint32_t> d = run.execute();
    EXPECT_EQ(std::count(d.begin(), d.end(), 7u), 32);
    EXPECT_TRUE(
        seen ==
        (std::vector<Seen>{
            {'a', run.stores[0], kAllLanes},
            {'s', run.stores[1], kAllLanes}
    })
    );
}

TEST(EmulatorHooked, AHookOfAnotherVariantIsNotCalled) {
    HookedRun run;
    put_before<note<'a'>>(run.hooked, in_variant(At::split, kChecked), HookedRun::is_store);
    run.execute();
    EXPECT_TRUE(seen.empty());
}

TEST(EmulatorHooked, TheProgramItselfIsNotTouched) {
    HookedRun run;
    const std::vector<Instr> before = run.program->code[kPlain];
    put_before<note<'a'>>(run.hooked, {}, [](const Traits&) { return true; });
    for (size_t k = 0; k < before.size(); ++k) {
        EXPECT_EQ(run.program->code[kPlain][k].exec, before[k].exec);
        EXPECT_NE(run.hooked.program.code[kPlain][k].exec, before[k].exec);
    }
    run.go();
    EXPECT_TRUE(run.result.incidents.empty());
}

}  // namespace
}  // namespace wl::emulator::test
