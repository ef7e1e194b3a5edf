// Values that an expression would have to have, and what is made of them.
#include "instrumentation/diagnosis/search/angelic/form.h"
#include "instrumentation/diagnosis/search/angelic/sites.h"
#include "instrumentation/diagnosis/search/angelic/sum_form.h"
#include "tests/support/program.h"
#include "tests/support/rewrites.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

namespace wl::diagnosis {
namespace {

using nlohmann::json;

const std::vector<double> kA = {0.31, 1.7, -0.4, 2.2, 0.9}, kB = {1.1, 0.2, 0.7, -1.3, 0.5};

std::vector<std::string> made(double (*wanted)(double, double), size_t places, bool has_itself = true) {
    std::vector<AtHandValues> all = {
        {"a", kA},
        {   "b", kB  },
        { "c", std::vector<double>(kA.size(),   7)}
    };
    Wanted of;
    for (size_t p = 0; p < places; ++p) {
        const double v = wanted(kA[p], kB[p]);
        of.at.push_back(v), of.allowed.push_back(1e-6 * std::fabs(v));
    }
    for (AtHandValues& v : all) v.at.resize(places);
    return formed(all, has_itself ? 0 : all.size(), of, 6);
}

bool holds(const std::vector<std::string>& all, const char* one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(Forms, TheShortestComeFirst) {
    EXPECT_EQ(made([](double a, double b) { return a * b; }, 5).front(), "a * b");
    EXPECT_EQ(made([](double, double b) { return b; }, 5).front(), "b");
    EXPECT_EQ(made([](double a, double b) { return a - 2 * b; }, 5).front(), "a - (b * 2.0f)");
    EXPECT_EQ(made([](double a, double b) { return a / (b - a); }, 5).front(), "a / (b - a)");
    EXPECT_EQ(made([](double a, double b) { return a + b * (1 - a); }, 5).front(), "a + b - (a * b)");
    EXPECT_EQ(made([](double a, double b) { return a * std::exp(-b * 7); }, 5).front(), "a / expf(b * c)");
    EXPECT_EQ(made([](double a, double) { return std::fmin(a, 1); }, 5).front(), "fminf(a, 1.0f)");
}

TEST(Forms, ThereIsNoneOfWhatIsNotMadeOfThem) {
    EXPECT_TRUE(made([](double a, double b) { return std::sin(a) + std::cos(b); }, 5).empty());
}

// Of one value nearly everything is made by chance: only what makes something of itself, and little, counts.
TEST(Forms, OfOneValueOnlyWhatIsShortIsMade) {
    EXPECT_TRUE(holds(made([](double a, double b) { return a * b; }, 1), "a * b"));
    for (const std::string& form : made([](double a, double) { return 3.3 * a; }, 1))
        EXPECT_NE(form.find('a'), std::string::npos) << form;
    EXPECT_EQ(made([](double, double) { return 7.0 / 6; }, 1, false).front(), "c / (c - 1.0f)");
}

// `n == limit ? 0 : x`: where what stands there is right it stays.
TEST(Choices, AConditionTellsWhereAnotherValueIsNeeded) {
    constexpr size_t kPlaces = 40;
    std::vector<AtHandValues> all = {
        {"x",            {}},
        {"float(n)",     {}},
        {"float(limit)", {}},
        {"y",            {}}
    };
    Wanted zero, above, both;
    for (size_t p = 0; p < kPlaces; ++p) {
        const double x = 1.0 + 0.37 * static_cast<double>(p % 11), n = static_cast<double>(p * 7 % 9),
                     y = 0.5 * static_cast<double>(p * 5 % 13) - 2.1;
        for (const auto& [k, v] : {
                 std::pair<size_t, double>{0, x},
                  {1, n},
                  {2, 4},
                  {3, y}
        })
            all[k].at.push_back(v);
        zero.at.push_back(n == 4 ? 0 : x), above.at.push_back(n >= 4 ? y : x);
        both.at.push_back(n >= 4 && x < y ? 2 * y : x);
    }
    for (Wanted* w : {&zero, &above, &both}) w->allowed.assign(kPlaces, 1e-6);
    EXPECT_EQ(chosen(all, 0, zero, 4).front(), "n == limit ? 0.0f : x");
    EXPECT_EQ(chosen(all, 0, above, 4).front(), "n >= limit ? y : x");
    EXPECT_TRUE(holds(chosen(all, 0, both, 40), "x < y && n >= limit ? y * 2.0f : x"));
    zero.at[3] = 17;
    EXPECT_TRUE(chosen(all, 0, zero, 4).empty()) << "one place needs what is not made of these";
    above.at = all[0].at;
    EXPECT_TRUE(chosen(all, 0, above, 4).empty()) << "nobody needs another value";
}

// Groups of rows, and what each sum lacks.
struct Sum {
    Rows rows;
    SumWanted wanted;
};
Sum sum_of(double (*right)(double x, double d, double j, double i)) {
    constexpr int kGroups = 5, kRows = 17;
    Sum out{
        {{"(x * d)", "x", "d", "float(j)", "float(i)"}, {}},
        {                                             }
    };
    for (int g = 0; g < kGroups; ++g) {
        out.rows.of.emplace_back();
        double more = 0;
        for (int r = 0; r < kRows; ++r) {
            const double x = 0.7 + 0.31 * ((g * 5 + r * 3) % 11), d = 0.2 + 0.17 * ((g * 7 + r * 4) % 13);
            more += right(x, d, r, g) - x * d;
            out.rows.of.back().push_back({x * d, x, d, static_cast<double>(r), static_cast<double>(g)});
        }
        out.wanted.more.push_back(more), out.wanted.allowed.push_back(1e-5);
    }
    return out;
}
std::vector<std::string> summed_by(double (*right)(double x, double d, double j, double i)) {
    const Sum s = sum_of(right);
    return summed(s.rows, s.wanted, 6);
}

TEST(Sums, ATermsOwnExpressionFollowsFromWhatTheSumsLack) {
    using D = double;
    EXPECT_EQ(summed_by([](D x, D, D, D) { return x; }).front(), "x");
    EXPECT_EQ(summed_by([](D x, D d, D, D) { return x * d - d; }).front(), "(x * d) - d");
    EXPECT_EQ(summed_by([](D x, D d, D, D) { return x * d / (1 + d); }).front(), "(x * d) / (d + 1.0f)");
    EXPECT_EQ(summed_by([](D x, D d, D, D) { return x * x - x * d; }).front(), "x * x - (x * d)");
    EXPECT_EQ(
        summed_by([](D x, D d, D j, D i) { return j == i ? 0 : x * d; }).front(), "j != i ? (x * d) : 0.0f"
    );
    EXPECT_EQ(summed_by([](D x, D d, D, D) { return x < d ? d : x * d; }).front(), "x < d ? d : (x * d)");
    EXPECT_TRUE(summed_by([](D x, D d, D j, D) { return std::sin(x) + std::cos(d * j); }).empty());
    EXPECT_TRUE(summed_by([](D x, D d, D, D) { return x * d; }).empty()) << "it lacks nothing";
}

TEST(Sums, OfFewSumsNothingIsMade) {
    Sum s = sum_of([](double x, double, double, double) { return x; });
    s.rows.of.resize(2), s.wanted.more.resize(2), s.wanted.allowed.resize(2);
    EXPECT_TRUE(summed(s.rows, s.wanted, 6).empty());
}

constexpr const char* kText =
    "__global__ void f(const float* x, float* y, float scale, int n) {\n"
    "    const int t = threadIdx.x;\n"
    "    const float left = x[t] * scale, right = x[t + n] * scale;\n"
    "    y[t] = expf(left * scale) + right * scale;\n"
    "    if (left > right) y[t + n] = 0.5f;\n"
    "}\n";

std::vector<std::string> texts_of(const rewrite::Source& s, const std::vector<AngelicSite>& sites) {
    std::vector<std::string> out;
    for (const AngelicSite& h : sites) out.push_back(s.words(h.first, h.last));
    return out;
}

TEST(Holes, AreExpressionsOfFloatsThatSomebodyReads) {
    const rewrite::Source s = wl::test::source_of(kText);
    rewrite::SearchContext context;
    for (int k = 1; k < 7; ++k) context.suspicion.emplace(k, 0);
    const std::vector<AngelicSite> sites = angelic_sites_of(s, context, 100);
    const std::vector<std::string> texts = texts_of(s, sites);
    for (const char* read : {"x[t]", "x[t] * scale", "scale", "expf(left * scale)", "left", "0.5f"})
        EXPECT_TRUE(holds(texts, read)) << read;
    for (const char* other : {"y[t]", "t", "t + n", "x", "y", "expf", "left > right", "y[t + n]"})
        EXPECT_FALSE(holds(texts, other)) << other;
    context.suspicion = {
        {4, 0}
    };
    EXPECT_FALSE(holds(texts_of(s, angelic_sites_of(s, context, 100)), "x[t]")) << "of suspected lines alone";
}

TEST(Holes, WhatReadsAlikeIsASet) {
    const rewrite::Source s = wl::test::source_of(kText);
    rewrite::SearchContext context;
    for (int k = 1; k < 7; ++k) context.suspicion.emplace(k, 0);
    std::map<std::string, int> sets;
    for (const AngelicSite& h : angelic_sites_of(s, context, 100)) sets[s.words(h.first, h.last)] = h.set;
    EXPECT_GE(sets.at("left * scale"), 0);
    EXPECT_EQ(sets.at("left * scale"), sets.at("right * scale"));
    EXPECT_EQ(sets.at("expf(left * scale) + right * scale"), -1) << "nothing reads like it";
    EXPECT_EQ(sets.at("0.5f"), -1) << "a number alone says too little";
}

struct Lacks {
    const char *fault, *line, *rule, *title;
};
int line_of(const std::string& kernel, const Lacks& each) {
    const std::string place = wl::test::source_place("tests/kernels/search/" + kernel + ".cu", each.line);
    return std::stoi(place.substr(place.rfind(':') + 1));
}
// The first finding, which is proven, and of its rule.
json proven_of(const std::string& kernel, const Lacks& each) {
    const std::string toml = wl::test::source_path("tests/kernels/search/" + kernel + ".toml");
    const wl::test::Said said =
        wl::test::warplens({"diagnose", toml, "--fault", each.fault, "--search", "300", "--json"});
    json first = json::parse(said.out).at("findings").at(0);
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    EXPECT_EQ(first.at("rule"), each.rule) << first.dump(1);
    return first;
}

struct Needed : testing::TestWithParam<Lacks> {};

TEST_P(Needed, IsMadeOfWhatIsAtHand) {
    const Lacks& each = GetParam();
    const json first = proven_of("gates", each);
    EXPECT_EQ(first.value("title", "").rfind(each.title, 0), 0U) << first.dump(1);
    EXPECT_NEAR(first.at("where").value("line", 0), line_of("gates", each), 1);
}

INSTANTIATE_TEST_SUITE_P(
    Search,
    Needed,
    testing::Values(
        Lacks{"slope", "out.gate = d * u * s;", "partial_reduction", "`s` should be `s + silu - (s * silu)`"},
        Lacks{
            "spread",
            "spread[blockIdx.x] = var;",
            "missing_rescale",
            "`var` should be `var * (float(count) / (float(count) - 1.0f))`"},
        Lacks{
            "corners",
            "const float left = box[0] * scale, top",
            "partial_reduction",
            "`box[0] * scale` should be `box[0] * scale - 0.5f`, and at line "}
    )
);

struct NeededSum : testing::TestWithParam<Lacks> {};

// Of what loops add up, and of what is right for some.
TEST_P(NeededSum, IsMadeOfWhatIsAtHand) {
    const Lacks& each = GetParam();
    const json first = proven_of("weights", each);
    EXPECT_EQ(first.value("title", ""), each.title) << first.dump(1);
    EXPECT_EQ(first.at("where").value("line", 0), line_of("weights", each));
}

INSTANTIATE_TEST_SUITE_P(
    Search,
    NeededSum,
    testing::Values(
        Lacks{"damp", "sum += d * v;", "missing_rescale", "`d * v` should be `(d * v) / (d + 1.0f)`"},
        Lacks{"close", "all += v;", "wrong_condition", "`v` should be `v >= d ? v : 0.0f`"},
        Lacks{
            "some",
            "pick[i] = mine;",
            "wrong_condition",
            "`mine` should be `mine < rate ? mine + y[i] : mine`"},
        // beside a sum of all, which only has to come right
        Lacks{
            "spread",
            "const float spread = mine * other;",
            "partial_reduction",
            "`mine * other` should be `(mine * other) - expf(mine)`"}
    )
);

TEST(Needed, NothingIsInTheRightKernel) {
    for (const char* name : {"gates", "weights"}) {
        const std::string toml = wl::test::source_path(std::string("tests/kernels/search/") + name + ".toml");
        EXPECT_EQ(json::parse(wl::test::warplens({"diagnose", toml, "--json"}).out).at("verdict"), "ok")
            << name;
    }
}

}  // namespace
}  // namespace wl::diagnosis
