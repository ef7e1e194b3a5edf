// Counterfactual runs judge what they ran: an unchanged fault is not mended, a program that never ends is not
// either.
#include "instrumentation/diagnosis/prove/trial.h"

#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/prove/draws.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/diagnosis/search/candidate_queue.h"
#include "instrumentation/diagnosis/search/source_change.h"
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

// An atomic whose result is used may be a poll: as the kernel itself waits for nobody, its block runs alone.
TEST(Trial, AChangeThatSeemsToPollRunsItsBlockAlone) {
    const std::string folder = WL_SOURCE_DIR "/tests/kernels/search/";
    capture::Capture scratch;
    const Experiment e =
        make_experiment(manifest::bind(manifest::load(folder + "smooth.toml"), {}), {}, scratch);
    std::string text = read_text_file(folder + "smooth.cu");
    const std::string begin = "__shared__ float own[kSize];";
    text.insert(text.find(begin), "if (atomicAdd(v_out, 0.0f) == 12345.0f) return; ");
    Prover prover{e};
    const Trial t = try_module(prover, changed_module(e, text), {.blocks = {0}, .races = false});
    EXPECT_EQ(t.compared, 2 + 3 * 64) << "of one of two rows";
    EXPECT_EQ(t.bad, 0);
}

Mended mended_at(int line, const char* now, bool overfits_shape) {
    Mended out;
    out.rule = "wrong_constant", out.was = "2", out.now = now;
    out.where.line = line, out.overfits_shape = overfits_shape, out.warp_instructions = 1000;
    return out;
}

// A kernel as it was run, for hunts that try nothing of it.
struct Scaled {
    const Experiment e = experiment("scale");
    Prover prover{e};
    std::vector<emulator::Incident> seen;
    const capture::Capture c = run(e, {}, &seen);
    const Symptoms symptoms = symptoms_of(prover, c, seen);
};

// Of one line what fails at a shape that was guessed yields to what does not, however early it was tried.
TEST(CandidateQueue, WhatOverfitsItsShapeYields) {
    const Scaled scaled;
    Work spent = 0;
    CandidateQueue h{.setup = {scaled.symptoms}, .work = &spent, .limit = kWorkPerSecond};
    h.proven.emplace_back(0, mended_at(3, "3", true));
    h.proven.emplace_back(5, mended_at(3, "turns", false));
    h.proven.emplace_back(7, mended_at(9, "rows", true));
    SearchResult out;
    take_proven(h, out);
    ASSERT_EQ(out.mended.size(), 2u);
    EXPECT_EQ(out.mended[0].now, "turns");
    EXPECT_EQ(out.mended[1].now, "rows");
}

Mended barrier_at(int line) {
    Mended out = mended_at(line, "__syncthreads();", true);
    out.rule = "race_shared", out.was = "";
    return out;
}

TEST(CandidateQueue, OfABarriersPlacesTheFirstOneIsToldFirst) {
    const Scaled scaled;
    Work spent = 0;
    CandidateQueue h{.setup = {scaled.symptoms}, .work = &spent, .limit = kWorkPerSecond};
    for (const auto& [change, line] : {std::pair(2, 9), std::pair(5, 4), std::pair(8, 6)})
        h.proven.emplace_back(static_cast<size_t>(change), barrier_at(line));
    h.proven.emplace_back(9, mended_at(1, "3", true));
    SearchResult out;
    take_proven(h, out);
    ASSERT_EQ(out.mended.size(), 4u);
    EXPECT_EQ(out.mended[0].where.line, 4);
    EXPECT_EQ(out.mended[1].where.line, 9);
    EXPECT_EQ(out.mended[3].where.line, 1);
}

// A change that leaves one output alone writes as much of the other as before; of a launch that leaves
// nothing to compare there are faults alone.
TEST(CandidateQueue, EachOutputIsWrittenStill) {
    const Scaled scaled;
    TrialSetup setup{scaled.symptoms};
    setup.compared = setup.outputs = 68, setup.of_output = {64, 4};
    Trial trial;
    trial.compared = trial.outputs = 128, trial.of_output = {128, 0};
    EXPECT_FALSE(mends(setup, trial));
    trial.compared = trial.outputs = 136, trial.of_output = {128, 8};
    EXPECT_TRUE(mends(setup, trial));
    trial.bad = 1;
    EXPECT_FALSE(mends(setup, trial));
    setup.blind = true, trial.bad = trial.compared = 0;
    EXPECT_TRUE(mends(setup, trial));
    trial.incidents.emplace_back().kind = execution::Incident::Kind::misaligned;
    EXPECT_FALSE(mends(setup, trial));
}

// Where the kernel as it is comes right nothing is proven.
TEST(CandidateQueue, AnotherSeedIsOneOnWhichItShows) {
    const Scaled scaled;
    const auto wrong_at = [](uint64_t wrong) {
        return [wrong](const TrialOptions& o) {
            Trial t;
            t.compared = t.outputs = 8, t.bad = o.seed_offset == wrong ? 1 : 0;
            return t;
        };
    };
    TrialSetup setup{scaled.symptoms};
    choose_seed(setup, wrong_at(3));
    EXPECT_EQ(setup.other_seed, 3u);
    TrialSetup other{scaled.symptoms};
    choose_seed(other, wrong_at(40));
    EXPECT_EQ(other.other_seed, 1u);
}

// A bound that says nothing of an output with a seed leaves it out there.
TEST(CandidateQueue, AnotherSeedIsOneOnWhichEachOutputIsJudged) {
    const Scaled scaled;
    TrialSetup setup{scaled.symptoms};
    setup.of_output = {4, 4};
    choose_seed(setup, [](const TrialOptions& o) {
        Trial t;
        t.compared = t.outputs = 8, t.bad = 1;
        t.of_output = {o.seed_offset < 2 ? 0 : 4, 4};
        return t;
    });
    EXPECT_EQ(setup.other_seed, 2u);
}

// Places in a table of hashes, or values of few rows, are chance: what fits two draws by it does not fit all.
TEST(Proof, TakesSeveralDrawsOfTheInputs) {
    const Scaled scaled;
    const auto wrong_at = [](uint64_t seed) {
        return [seed](const TrialOptions& o) {
            Trial t;
            t.compared = t.outputs = 8, t.bad = o.seed_offset == seed ? 1 : 0;
            return t;
        };
    };
    const std::optional<Proof> all = proof_of({scaled.symptoms}, wrong_at(40));
    ASSERT_TRUE(all);
    EXPECT_EQ(all->ran.draws, 7);
    EXPECT_EQ(all->ran.schedules, 9);
    EXPECT_NE(all->text.find("0 of 48 with 6 other seeds"), std::string::npos) << all->text;
    for (const uint64_t seed : {1, 2, 3, 6})
        EXPECT_FALSE(proof_of({scaled.symptoms}, wrong_at(seed))) << seed;
}

// A draw that changes no byte of what the kernel finds is none.
TEST(Proof, DrawsThatAreTheSameDoNotCount) {
    const Scaled scaled;
    const std::vector<uint64_t> all = draws_of(scaled.symptoms.prover, 1, 1000);
    EXPECT_EQ(all, (std::vector<uint64_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_LT(draws_of(scaled.symptoms.prover, 20, 2e7).size(), 4u) << "of long trials there are fewer";
}

// Behind what overfits its shape another change is looked for, which is not.
TEST(CandidateQueue, FarAfterWhatOverfitsOnlyWhatDoesNotIsTold) {
    const Scaled scaled;
    Work spent = 0;
    CandidateQueue h{.setup = {scaled.symptoms}, .work = &spent, .limit = kWorkPerSecond, .tried_after = 48};
    h.prove.where = [](size_t change) { return mended_at(static_cast<int>(change), "2", false).where; };
    h.prove.proven = [](size_t change) {
        Mended out = mended_at(static_cast<int>(change), "2", change != 500);
        out.does_more = out.overfits_shape;
        return std::optional(out);
    };
    Trial right;
    right.compared = right.outputs = 8;
    for (const size_t change : {size_t{0}, size_t{300}, size_t{500}}) judge(h, change, right);
    EXPECT_EQ(h.proven.size(), 2u);
    EXPECT_EQ(h.first, 500u);
    EXPECT_TRUE(is_over(h, 549));
    EXPECT_FALSE(is_over(h, 540));
}

// Which of two threads is quicker says nothing.
TEST(CandidateQueue, WhatWasProvenBeforeTheFirstOneIsNotToldFarBehindIt) {
    const Scaled scaled;
    Work spent = 0;
    CandidateQueue h{.setup = {scaled.symptoms}, .work = &spent, .limit = kWorkPerSecond, .tried_after = 48};
    h.prove.where = [](size_t change) { return mended_at(static_cast<int>(change), "2", false).where; };
    h.prove.proven = [](size_t change) {
        return std::optional(mended_at(static_cast<int>(change), "2", false));
    };
    Trial right;
    right.compared = right.outputs = 8;
    for (const size_t change : {size_t{500}, size_t{60}, size_t{20}}) judge(h, change, right);
    SearchResult out;
    take_proven(h, out);
    ASSERT_EQ(out.mended.size(), 2u);
    EXPECT_EQ(out.mended[0].where.line, 20);
    EXPECT_EQ(out.mended[1].where.line, 60);
}

}  // namespace
}  // namespace wl::diagnosis
