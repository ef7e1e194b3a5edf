// Which inputs an element of the reference is made of.
#include "instrumentation/diagnosis/why/reference_inputs.h"

#include <gtest/gtest.h>

namespace wl::diagnosis {
namespace {

// 8 queries and keys of 4 elements, KV tiles of 4 keys.
manifest::Problem problem(bool causal) {
    manifest::Problem p;
    p.kernel.path = "needs.toml";
    p.kernel.reference = {manifest::ReferenceRule::Kind::builtin, "attention"};
    p.params = {
        {"B",      1             },
        {"H",      1             },
        {"S",      8             },
        {"D",      4             },
        {"N",      4             },
        {"CAUSAL", causal ? 1 : 0}
    };
    for (const char* name : {"Q", "K", "V"}) {
        manifest::BoundArgument a;
        a.name = name;
        a.array = true;
        a.data.dtype = DType::f16;
        a.data.shape = {1, 1, 8, 4};
        a.data.bytes.resize(64);
        for (int k = 0; k < 32; ++k) {
            const double value = (k * 7 + name[0]) % 11 / 4.0 - 1;  // some are 0
            from_double(DType::f16, value, a.data.bytes.data() + 2 * k);
        }
        p.args.push_back(std::move(a));
    }
    return p;
}

ReferenceInputs needs(const char* tensor, std::vector<int64_t> at, bool causal = false) {
    auto n = reference_inputs_of(problem(causal), {tensor, std::move(at), 1, 1, -1, -1});
    EXPECT_TRUE(n.has_value());
    return *n;
}

constexpr size_t kQ = 0, kK = 1, kV = 2;

TEST(ReferenceInputs, AScoreIsMadeOfARowOfQAndARowOfK) {
    ReferenceInputs n = needs("scores", {0, 0, 2, 5});
    for (int64_t k = 0; k < 32; ++k) {
        EXPECT_EQ(is_made_of(n, kQ, k), k / 4 == 2) << k;
        EXPECT_EQ(is_made_of(n, kK, k), k / 4 == 5) << k;
        EXPECT_FALSE(is_made_of(n, kV, k)) << k;
    }
}

TEST(ReferenceInputs, AMaximumIsMadeOfEveryOperandAndOfNoLaterTile) {
    ReferenceInputs n = needs("m", {0, 0, 0, 3});
    for (int64_t k = 0; k < 32; ++k) EXPECT_EQ(is_made_of(n, kK, k), k / 4 < 4) << k;
}

TEST(ReferenceInputs, WhatIsMaskedIsNoPartOfAnOutput) {
    ReferenceInputs n = needs("O", {0, 0, 3, 1}, true);
    for (int64_t k = 0; k < 32; ++k) {
        EXPECT_EQ(is_made_of(n, kK, k), k / 4 <= 3) << k;
        EXPECT_EQ(is_made_of(n, kV, k), k / 4 <= 3 && k % 4 == 1) << k;
    }
}

TEST(ReferenceInputs, ForeignAndMissingElementsAreFoundAmongThoseThatWereRead) {
    ReferenceInputs n = needs("scores", {0, 0, 2, 5});
    EXPECT_EQ(
        foreign_element(
            n,
            kK,
            {
                {20, 23}
    },
            16
        ),
        std::nullopt
    );
    EXPECT_EQ(
        missing_element(
            n,
            kK,
            {
                {20, 23}
    }
        ),
        std::nullopt
    );
    EXPECT_EQ(
        foreign_element(
            n,
            kK,
            {
                {5,  5 },
                {21, 21}
    },
            16
        ),
        5
    );
    EXPECT_EQ(
        foreign_element(
            n,
            kK,
            {
                {20, 24}
    },
            16
        ),
        24
    ) << "the last is always tried";
    EXPECT_EQ(
        missing_element(
            n,
            kK,
            {
                {5,  5 },
                {20, 21},
                {23, 23}
    }
        ),
        22
    );
    EXPECT_EQ(missing_element(n, kV, {}), std::nullopt);
}

TEST(ReferenceInputs, AReferenceFromAFileOrOutsideTheTensorIsNotAsked) {
    EXPECT_FALSE(reference_inputs_of(
        problem(false),
        {
            "scores", {0, 0, 8, 0},
             1, 1, -1, -1
    }
    ));
    EXPECT_FALSE(reference_inputs_of(
        problem(false),
        {
            "nothing", {0, 0, 8, 0},
             1, 1, -1, -1
    }
    ));
    manifest::Problem p = problem(false);
    p.kernel.reference.kind = manifest::ReferenceRule::Kind::npz;
    EXPECT_FALSE(reference_inputs_of(
        p,
        {
            "scores", {0, 0, 2, 5},
             1, 1, -1, -1
    }
    ));
}

}  // namespace
}  // namespace wl::diagnosis
