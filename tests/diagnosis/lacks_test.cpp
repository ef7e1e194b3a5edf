// What a function's text says of what it lacks, and what is taken for no lack.
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"

#include "instrumentation/diagnosis/rewrite/missing/subscripts.h"
#include "tests/support/rewrites.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace wl::diagnosis::rewrite {
namespace {

// A kernel's body, with what it names.
constexpr const char* kLoops =
    "__global__ void f(const float* x, float* y, int w, int h) {\n"
    "    const int c = threadIdx.x;\n"
    "    float fed = 0.0f, product = 1.0f, starved = 0.0f, last = 0.0f;\n"
    "    for (int k = 0; k < h; ++k) {\n"
    "        y[k * w + c] = last + product * x[k];\n"
    "        fed += x[k];\n"
    "        product *= 1.0f - x[k];\n"
    "        last = x[k];\n"
    "    }\n"
    "    y[c] = fed + starved;\n"
    "    fed = 0.0f;\n"
    "}\n";

const Variable& named(const Source& s, const std::string& name) {
    return *std::find_if(s.variables.begin(), s.variables.end(), [&](const Variable& v) {
        return v.name == name;
    });
}

TEST(Lacks, OnlyWhatNobodyFedIsStarved) {
    const Source s = test::source_of(kLoops);
    const Facts f = facts_of(s, s.bodies.front());
    EXPECT_TRUE(is_starved(f, named(s, "starved")));
    EXPECT_FALSE(is_starved(f, named(s, "fed")));
    EXPECT_FALSE(is_starved(f, named(s, "product")))
        << "the loop asks for it first, and feeds it behind that";
    EXPECT_FALSE(is_starved(f, named(s, "last")));
}

TEST(Lacks, WhatALoopAsksForAtItsBeginIsHeardAtItsEnd) {
    const Source s = test::source_of(kLoops);
    const Facts f = facts_of(s, s.bodies.front());
    const auto at = [&](const char* text) {
        const size_t offset = s.text.find(text);
        int k = 0;
        while (s.at(k).begin < offset) ++k;
        return k;
    };
    const int loop_end = at("}\n    y[c]"), end = s.bodies.front().close;
    EXPECT_FALSE(is_unheard(f, named(s, "last"), loop_end));
    EXPECT_TRUE(is_unheard(f, named(s, "last"), at("y[c] =")));
    EXPECT_FALSE(is_unheard(f, named(s, "fed"), loop_end));
    EXPECT_TRUE(is_unheard(f, named(s, "fed"), at("fed = 0.0f;\n}"))) << "what comes next sets it anew";
    EXPECT_TRUE(is_unheard(f, named(s, "fed"), end));
}

TEST(Lacks, RowsAndColumnsAreWhatIsComparedWithAnExtent) {
    const Source s = test::source_of(
        "__global__ void f(const float* x, float* y, int w, int h) {\n"
        "    const int c = threadIdx.x, r = blockIdx.x, slice = blockIdx.y;\n"
        "    if (c >= w || r >= h) return;\n"
        "    y[0] = x[0];\n"
        "}\n"
    );
    const Writer w{s, {}};
    std::vector<std::string> all;
    for (const Subscript& each :
         subscripts_at(w, s.bodies.front(), named(s, "y"), s.bodies.front().close - 1))
        all.push_back(each.text);
    for (const char* wanted : {"[r * w + c]", "[(slice * h + r) * w + c]", "[c]"})
        EXPECT_NE(std::find(all.begin(), all.end(), wanted), all.end()) << wanted;
}

TEST(Lacks, ABarrierForTheNextTurnStandsAtTheLoopsEnd) {
    const std::string text =
        "__global__ void f(const float* x, float* y, int n) {\n"
        "    __shared__ float own[32];\n"
        "    for (int k = 0; k < n; ++k) {\n"
        "        own[threadIdx.x] = x[k * 32 + threadIdx.x];\n"
        "        __syncthreads();\n"
        "        y[k * 32 + threadIdx.x] = own[31 - threadIdx.x];\n"
        "    }\n"
        "}\n";
    const std::vector<Rewrite> all = rewrites(
        test::source_of(text),
        {
            {      },
            { {4, 0}, {6, 0}}
    }
    );
    const auto first = std::find_if(all.begin(), all.end(), [](const Rewrite& r) {
        return std::string(r.rule) == "race_shared" && r.now.find("__syncthreads") != std::string::npos;
    });
    ASSERT_NE(first, all.end());
    EXPECT_EQ(first->line, 6);
    EXPECT_TRUE(first->edits.front().text.starts_with(' ')) << "behind the line";
}

// Where all that is asked for was written no store is missing; along an axis of one block nothing moves.
TEST(Lacks, WhatTheRunShowedSaysHowEarlyAStatementComes) {
    const std::string text =
        "__global__ void f(const float* x, float* y, int n) {\n"
        "    const int i = threadIdx.x;\n"
        "    float sum = x[i];\n"
        "    sum *= 2.0f;\n"
        "}\n";
    const auto first = [&](const SearchContext& context, const char* now) {
        const std::vector<Rewrite> all = rewrites(test::source_of(text), context);
        return std::find_if(
                   all.begin(), all.end(), [&](const Rewrite& r) { return r.now.find(now) != r.now.npos; }
               ) -
            all.begin();
    };
    SearchContext written{{}, {{4, 0}}}, unwritten = written;
    unwritten.unwritten = true;
    EXPECT_LT(first(unwritten, "y[i] = sum;"), 10);
    EXPECT_GT(first(written, "y[i] = sum;"), 40);
    const std::ptrdiff_t none = static_cast<std::ptrdiff_t>(rewrites(test::source_of(text), written).size());
    EXPECT_EQ(first(written, "x += blockIdx.y * n;"), none);
    written.axes = "y";
    EXPECT_LT(first(written, "x += blockIdx.y * n;"), none);
}

TEST(Lacks, AFunctionThatNobodyCallsIsCalledWithAValue) {
    const std::string before =
                          "__device__ float gated(float v) { return v / (1.0f + v); }\n"
                          "__global__ void f(const float* x, float* y) {\n    y[threadIdx.x] = ",
                      wrong = before + "x[threadIdx.x];\n}\n", right = before + "gated(x[threadIdx.x]);\n}\n";
    const std::vector<Rewrite> all = rewrites(test::source_of(wrong), {{}, {{3, 0}}});
    const auto found = test::change_into(all, wrong, right);
    ASSERT_NE(found, all.end());
    EXPECT_LT(found - all.begin(), 20);
}

// A function of the source may write what it is handed.
TEST(Stores, OfWhatAFunctionIsHandedNoneIsMissing) {
    const Source s = test::source_of(
        "__device__ void update(float& p, float g) { p -= g; }\n"
        "__global__ void f(float* p, const float* g, float lr) {\n"
        "    const float step = lr * g[threadIdx.x];\n"
        "    update(p[threadIdx.x], g[threadIdx.x]);\n"
        "}\n"
    );
    SearchContext context;
    context.unwritten = true;
    for (int k = 1; k < 6; ++k) context.suspicion.emplace(k, 1);
    for (const Rewrite& r : rewrites(s, context))
        EXPECT_EQ(r.now.find("p[threadIdx.x] = "), std::string::npos) << r.now;
}

TEST(Calls, AnotherFunctionThatTakesAsMuch) {
    const std::string text =
        "__device__ float point(float a, float b) { return a * b + 1.0f; }\n"
        "__device__ float vec(float a, float b) { return a * b; }\n"
        "__device__ float one(float a) { return a; }\n"
        "__global__ void f(float* y, float a, float b) { y[0] = FIRST(a, b) + SECOND(b, a); }\n";
    const auto with = [&](const std::string& first, const std::string& second) {
        std::string out = text;
        out.replace(out.find("FIRST"), 5, first);
        return out.replace(out.find("SECOND"), 6, second);
    };
    SearchContext context;
    for (int k = 1; k < 5; ++k) context.suspicion.emplace(k, 1);
    const std::vector<Rewrite> all = rewrites(test::source_of(with("point", "point")), context);
    for (const auto& [first, second] : {std::pair("vec", "vec"), std::pair("point", "vec")})
        EXPECT_NE(test::change_into(all, with("point", "point"), with(first, second)), all.end());
    EXPECT_EQ(test::change_into(all, with("point", "point"), with("one", "one")), all.end());
}

}  // namespace
}  // namespace wl::diagnosis::rewrite
