// Bank conflicts in the window: the answer that is read, and where a request's words fall.
#include "app/worker/bank_table.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::app {
namespace {

LaneAccesses request(uint8_t bytes, uint64_t stride) {
    LaneAccesses r{AccessKind::load, bytes, ~0U, {}};
    for (uint64_t lane = 0; lane < 32; ++lane) r.at[lane] = lane * stride;
    return r;
}

int highest(const std::vector<BankWord>& words) {
    int level = 0;
    for (const BankWord& w : words) level = std::max(level, w.level + 1);
    return level;
}

TEST(WordsByBank, StandAsHighAsTheRequestHasWavefronts) {
    for (const uint64_t stride : {4U, 8U, 64U, 128U, 132U, 256U}) {
        const LaneAccesses r = request(4, stride);
        EXPECT_EQ(highest(words_by_bank(r)), bank_cost(r).wavefronts) << "stride " << stride;
    }
}

TEST(WordsByBank, AWordThatSeveralLanesReadIsOneSquareOfTheFirstLane) {
    const std::vector<BankWord> words = words_by_bank(request(4, 0));
    ASSERT_EQ(words.size(), 1U);
    EXPECT_EQ(words[0].lane, 0);
    LaneAccesses atomic = request(4, 0);
    atomic.kind = AccessKind::atomic;
    EXPECT_EQ(words_by_bank(atomic).size(), 32U) << "atomics take turns";
}

TEST(WordsByBank, SixteenBytesALaneGoInQuarterWarps) {
    const std::vector<BankWord> words = words_by_bank(request(16, 16));
    ASSERT_EQ(words.size(), 128U);
    for (const BankWord& w : words) {
        EXPECT_EQ(w.phase, w.lane / 8);
        EXPECT_EQ(w.bank / 4, w.lane % 8);
        EXPECT_EQ(w.level, 0);
    }
}

constexpr const char* kAnswer = R"({
    "shared": {"requests": 2, "wavefronts": 9, "ideal": 2, "lines": [{
        "file": "kernels/k.cu", "line": 84, "inlined_at": [184, 7], "instruction": "st.shared.f32 [%r1], %f1;",
        "instructions": 1, "requests": 1, "wavefronts": 8, "ideal": 1, "degree": 8, "array": "scores",
        "witness": {"block": 3, "warp": 2, "bank": 0, "lanes": [0], "offsets": [0], "kind": "store", "bytes": 4,
            "request": [128, null, 256, null, null, null, null, null, null, null, null, null, null, null, null, null,
                        null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, 4]}}]},
    "remedies": [{"array": "scores", "words": "pad", "before": 8, "after": 1, "same_results": true}]})";

TEST(BankTable, IsWhatTheAnswerSays) {
    const BankTable table = bank_table(kAnswer);
    EXPECT_EQ(table.wavefronts, 9U);
    ASSERT_EQ(table.lines.size(), 1U);
    const BankLine& line = table.lines[0];
    EXPECT_EQ(line.line, 84);
    EXPECT_EQ(line.inlined_at, (std::vector<int>{184, 7}));
    EXPECT_EQ(line.request.kind, AccessKind::store);
    EXPECT_EQ(line.request.mask, 1U | 1U << 2 | 1U << 31);
    EXPECT_EQ(line.request.at[2], 256U);
    ASSERT_EQ(table.remedies.size(), 1U);
    EXPECT_EQ(table.remedies[0].after, 1U);
}

TEST(BankTable, WhatIsNoSuchAnswerIsAnError) {
    for (const char* text :
         {"", "{}", "[1, 2", R"({"shared": {"wavefronts": 1, "ideal": 1, "lines": [{}]}})"})
        EXPECT_THROW(bank_table(text), Error) << text;
}

}  // namespace
}  // namespace wl::app
