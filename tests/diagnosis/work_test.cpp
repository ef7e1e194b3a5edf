// A search's budget is work: what is tried depends neither on threads nor on clocks.
#include "instrumentation/base/work.h"

#include "instrumentation/base/os/ceiling.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/diagnosis/search/candidate_queue.h"
#include "instrumentation/diagnosis/search/search.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace wl::diagnosis {
namespace {

TEST(CountedWork, TheInnermostOneCountsOnItsOwnThread) {
    Work outer = 0, inner = 0, elsewhere = 0;
    count_work(1);
    const CountedWork a(&outer);
    count_work(10);
    {
        const CountedWork b(&inner);
        count_work(100);
        const CountedWork none(nullptr);
        count_work(1000);
    }
    std::jthread([&] {
        count_work(10000);
        const CountedWork c(&elsewhere);
        count_work(100000);
    }).join();
    EXPECT_EQ(outer, 10U);
    EXPECT_EQ(inner, 100U);
    EXPECT_EQ(elsewhere, 100000U);
    EXPECT_EQ(counted_work(), &outer);
}

struct Wrong {
    capture::Capture c;
    std::vector<execution::Incident> incidents;
    std::unique_ptr<Experiment> experiment;
    std::unique_ptr<Prover> prover;

    explicit Wrong(const std::string& kernel, const std::string& fault, int threads = 1) {
        manifest::BindOptions bind;
        bind.faults = {fault};
        Options options;
        options.threads = threads, options.diagnose = false;
        capture::Capture about;
        experiment = std::make_unique<Experiment>(make_experiment(
            manifest::bind(manifest::load(WL_SOURCE_DIR "/tests/kernels/search/" + kernel), bind),
            options,
            about
        ));
        c = run(*experiment, std::move(about), &incidents);
        prover = std::make_unique<Prover>(*experiment);
    }
    Symptoms symptoms() { return symptoms_of(*prover, c, incidents); }
};

// Numbers of which each takes ten times its own as work, until 100 are spent: 0 + 10 + 20 + 30 + 40, and the
// one that is begun at 100.
TEST(InTurn, WhichNumbersCountDependsOnTheirWorkAlone) {
    Wrong wrong("smooth.toml", "half");
    const Symptoms s = wrong.symptoms();
    for (const int threads : {1, 2, 7}) {
        Work spent = 5;
        CandidateQueue queue{.setup = {s}, .work = &spent, .limit = 105};
        std::mutex lock;
        std::set<size_t> ran;
        const size_t kept = in_turn(queue, threads, 50, [&] {
            count_work(1e6);  // what a thread needs for itself is no work of the search
            return [&](size_t k) {
                count_work(10.0 * static_cast<double>(k));
                if (k == 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // others run ahead
                const std::scoped_lock hold(lock);
                ran.insert(k);
            };
        });
        EXPECT_EQ(kept, 6U) << threads;
        EXPECT_EQ(spent, 5U + 150U) << threads;
        for (size_t k = 0; k < kept; ++k) EXPECT_TRUE(ran.contains(k)) << k;
        EXPECT_EQ(in_turn(queue, threads, 50, [] { return [](size_t) {}; }), 0U) << "nothing is left";
    }
}

TEST(InTurn, AThreadWithoutAWorkerTakesNoNumber) {
    Wrong wrong("smooth.toml", "half");
    const Symptoms s = wrong.symptoms();
    Work spent = 0;
    CandidateQueue queue{.setup = {s}, .work = &spent, .limit = 1};
    EXPECT_EQ(in_turn(queue, 3, 9, [] { return std::function<void(size_t)>(); }), 0U);
}

// The limit ends it in the middle of its changes.
TEST(SearchWork, TheSameChangesAreTriedOnAnyNumberOfThreads) {
    std::optional<SearchResult> first;
    for (const int threads : {1, 3}) {
        Wrong wrong("smooth.toml", "half", threads);
        const Symptoms s = wrong.symptoms();
        Work spent = 0;
        const CountedWork counted(&spent);
        std::shared_ptr<const compile::Quick> read;
        constexpr uint64_t kLimit = kWorkPerSecond / 2;
        const SearchResult found = search_source(s, s, {}, {spent, kLimit, kLimit}, read);
        EXPECT_GT(found.tried, 0U);
        EXPECT_LT(found.tried, found.candidates);
        if (!first) {
            first = found;
            continue;
        }
        EXPECT_EQ(found.tried, first->tried);
        EXPECT_EQ(found.refused, first->refused);
        EXPECT_EQ(found.mended.size(), first->mended.size());
        EXPECT_EQ(found.helpful.has_value(), first->helpful.has_value());
    }
}

TEST(Ceiling, WorkThatAsksEndsAndGoesOnBehindIt) {
    {
        const Ceiling ceiling(0.02);
        EXPECT_THROW(
            while (true) {
                check_stop();
                std::this_thread::yield();
            },
            Stopped
        );
        EXPECT_EQ(stop_signal(), 0) << "nobody asked for it";
        EXPECT_FALSE(go_on());
    }
    EXPECT_TRUE(go_on());
    {
        const Ceiling far(3600);
        EXPECT_TRUE(go_on());
    }
    EXPECT_TRUE(go_on());
}

// What is known by then stays, and the answer says what ended it.
TEST(Ceiling, ADiagnosisSaysThatItsTimeWasUp) {
    Wrong wrong("smooth.toml", "half");
    wrong.experiment->options.search_seconds = 1e-4;
    const std::vector<capture::Finding> all = diagnose(*wrong.experiment, wrong.c, wrong.incidents);
    ASSERT_FALSE(all.empty());
    EXPECT_NE(all.front().explanation.find("The time for the search was up"), std::string::npos)
        << all.front().explanation;
    EXPECT_TRUE(go_on());
}

// An executor asks whether to go on and ends cancelled: that is the ceiling's doing, not a user's.
TEST(Ceiling, WorkThatItCancelsIsStopped) {
    EXPECT_THROW(throw_cancelled(), Cancelled);
    {
        const Ceiling ceiling(1e-9);
        while (go_on()) std::this_thread::yield();
        EXPECT_THROW(throw_cancelled(), Stopped);
    }
    EXPECT_THROW(throw_cancelled(), Cancelled);
}

// What was seen needs no time: a race that no value shows is reported, unproven, however late it is.
TEST(Ceiling, WhatTheRunSawIsReportedWithoutTime) {
    for (const double seconds : {1e-9, 1e-3, 3600.0}) {
        Wrong wrong("../gallery/products/lora.toml", "sync");
        wrong.experiment->options.search_seconds = seconds;
        const std::vector<capture::Finding> all = diagnose(*wrong.experiment, wrong.c, wrong.incidents);
        ASSERT_FALSE(all.empty()) << seconds;
        EXPECT_EQ(all.front().rule, "race_shared");
        if (seconds > 1) {
            EXPECT_TRUE(capture::is_proven(all.front()));
        } else if (seconds < 1e-6) {
            EXPECT_EQ(all.front().evidence_kind, capture::EvidenceKind::witness);
            EXPECT_NE(all.front().explanation.find("The time for the search was up"), std::string::npos);
        }
        EXPECT_TRUE(go_on());
    }
}

}  // namespace
}  // namespace wl::diagnosis
