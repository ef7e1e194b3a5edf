// Counterfactual runs judge what they ran: an unchanged fault is not mended, a program that never ends is not
// either.
#include "instrumentation/diagnosis/prove/trial.h"

#include "instrumentation/ptx/edit/edit.h"

#include <gtest/gtest.h>

namespace wl::diagnosis {
namespace {

Experiment experiment(const std::string& fault) {
    manifest::BindOptions b;
    b.set = {
        {"H", "1" },
        {"S", "64"}
    };
    b.faults = {fault};
    capture::Capture scratch;
    return make_experiment(manifest::bind(manifest::load(manifest::resolve("v2c_3")), b), {}, scratch);
}

TEST(Trial, AnUnchangedFaultIsNotMended) {
    const Experiment e = experiment("scale");
    Prover prover{e};
    const Trial t = try_unedited(prover, {.blocks = {0}});
    EXPECT_TRUE(t.finished);
    EXPECT_GT(t.bad, 0);
    EXPECT_GT(t.compared, t.bad);
    EXPECT_FALSE(mended(t));
}

TEST(Trial, ARaceIsNotMendedEvenWhereTheValuesComeOutRight) {
    const Experiment e = experiment("sync");
    Prover prover{e};
    const Trial t = try_unedited(prover, {.blocks = {0}});
    EXPECT_EQ(t.bad, 0);  // the marks make the warps meet
    EXPECT_FALSE(t.incidents.empty());
    EXPECT_FALSE(mended(t));
    const Trial without_marks = try_unedited(prover, {.blocks = {0}, .races = false, .marks = false});
    EXPECT_GT(without_marks.bad, 0);
}

TEST(Trial, AnEndlessLoopEndsWithItsBudgetAndMendsNothing) {
    const Experiment e = experiment("scale");
    Prover prover{e};
    ptx::Module endless = e.module;
    const ptx::Function& f = entry_of(endless, e.entry);
    ptx::Places backward;
    for (uint32_t i = 0; i < f.code.size(); ++i) {
        if (f.code[i].op == ptx::Op::bra && f.code[i].guard.reg >= 0 &&
            f.code[i].operands.front().index < static_cast<int32_t>(i))
            backward.push_back({ptx::index_of(endless, f), i});
    }
    ASSERT_TRUE(ptx::fix_guard(endless, backward, true));
    const Trial t = try_module(prover, endless, {.blocks = {0}, .budget = 200000});
    EXPECT_FALSE(t.finished);
    EXPECT_FALSE(mended(t));
}

}  // namespace
}  // namespace wl::diagnosis
