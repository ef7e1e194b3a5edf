// Expressions of a manifest: values, kinds of numbers, and messages.
#include "instrumentation/base/error.h"
#include "instrumentation/manifest/manifest.h"

#include <gtest/gtest.h>

namespace wl::manifest {
namespace {

const std::map<std::string, double> kVariables = {
    {"M",         100},
    {"N",         96 },
    {"TILE",      32 },
    {"half",      0.5},
    {"block.x",   2  },
    {"iteration", 3  },
    {"zero",      0  }
};

double value(const std::string& expression) { return evaluate(expression, kVariables, "here"); }

std::string error_of(const std::string& expression) {
    try {
        value(expression);
    } catch (const Error& e) { return e.what(); }
    return "no error";
}

TEST(Expression, WholeNumbersDivideAsInC) {
    EXPECT_EQ(value("M / TILE"), 3);
    EXPECT_EQ(value("-M / TILE"), -3) << "towards zero";
    EXPECT_EQ(value("M % TILE"), 4);
    EXPECT_EQ(value("-M % TILE"), -4) << "the dividend's sign";
    EXPECT_EQ(value("M / TILE * TILE"), 96) << "from left to right";
    EXPECT_EQ(value("7 / 2 * 2.0"), 6);
}

TEST(Expression, ANumberWithAPointDividesExactly) {
    EXPECT_EQ(value("3.0 / 2"), 1.5);
    EXPECT_EQ(value("1 / 2.0"), 0.5);
    EXPECT_EQ(value("1e0 / 4"), 0.25);
    EXPECT_EQ(value("half / 2"), 0.25);
    EXPECT_EQ(value("1 / sqrt(64)"), 0.125) << "a root is real, though its value is whole";
    EXPECT_EQ(value("(1.0 + 1) / 4"), 0.5);
    EXPECT_EQ(value("5.5 % 2"), 1.5);
}

TEST(Expression, PrecedenceIsThatOfC) {
    EXPECT_EQ(value("2 + 3 * 4"), 14);
    EXPECT_EQ(value("(2 + 3) * 4"), 20);
    EXPECT_EQ(value("10 - 3 - 2"), 5);
    EXPECT_EQ(value("2 * (TILE + 1) * 4"), 264);
    EXPECT_EQ(value("1 + 1 == 2 && 3 < 2 || 1"), 1);
    EXPECT_EQ(value("0 && 1 || 0"), 0);
    EXPECT_EQ(value("!zero + !M"), 1);
    EXPECT_EQ(value("- -3"), 3);
    EXPECT_EQ(value("1 ? 2 : 3 ? 4 : 5"), 2);
    EXPECT_EQ(value("0 ? 2 : 0 ? 4 : 5"), 5);
}

TEST(Expression, ComparisonsGiveOneOrZero) {
    EXPECT_EQ(value("(1 < 2) + (2 <= 2) + (3 > 2) + (2 >= 2) + (M == 100) + (M != 100)"), 5);
    EXPECT_EQ(value("(2 < 1) + (3 <= 2) + (2 > 3) + (1 >= 2)"), 0);
    EXPECT_EQ(value("N == 96 ? 64 : 48"), 64);
    EXPECT_EQ(value("N == 64 ? 64 : 48"), 48);
}

TEST(Expression, BitsAndShiftsAreThoseOfC) {
    EXPECT_EQ(value("1 << 20"), 1 << 20);
    EXPECT_EQ(value("M >> 3"), 12);
    EXPECT_EQ(value("-5 >> 1"), -3) << "rounds down, as the shift of a signed number does";
    EXPECT_EQ(value("1 << 2 + 1"), 8) << "a sum binds tighter";
    EXPECT_EQ(value("6 & 3 | 8 ^ 1"), 2 | (8 ^ 1));
    EXPECT_EQ(value("M & 1 == 0"), 0) << "== binds tighter than &, as in C";
    EXPECT_EQ(value("(M & -32) + (~zero)"), 95);
    EXPECT_EQ(value("1 < 2 == 1"), 1);
    EXPECT_EQ(value("3 > 2 > 1"), 0);
    EXPECT_EQ(value("zero && half << 1"), 0) << "not taken";
    EXPECT_NE(error_of("half << 1").find("a shift takes whole numbers"), std::string::npos);
    EXPECT_NE(error_of("1 << 64").find("a shift takes whole numbers, and 0 to 63 bits"), std::string::npos);
    EXPECT_NE(error_of("half & 1").find("& takes whole numbers"), std::string::npos);
}

TEST(Expression, CastsCutAndDivideExactly) {
    EXPECT_EQ(value("int(7 / 2.0)"), 3);
    EXPECT_EQ(value("int(-3.5) / 2"), -1);
    EXPECT_EQ(value("ceil(float(M) / 32)"), 4);
}

TEST(Expression, FunctionsAndDottedNames) {
    EXPECT_EQ(value("ceil_div(M, TILE)"), 4);
    EXPECT_EQ(value("ceil_div(N, TILE)"), 3);
    EXPECT_EQ(value("min(M, N, 97)"), 96);
    EXPECT_EQ(value("max(M, N)"), 100);
    EXPECT_EQ(value("floor(7 / 2.0) + ceil(7 / 2.0) + abs(-1)"), 8);
    EXPECT_EQ(value("log2(TILE)"), 5);
    EXPECT_EQ(value("block.x * TILE + iteration"), 67);
}

TEST(Expression, ABranchNotTakenMayDivideByZero) {
    EXPECT_EQ(value("zero == 0 ? 7 : M / zero"), 7);
    EXPECT_EQ(value("zero != 0 && M % zero == 1"), 0);
    EXPECT_EQ(value("zero == 0 || ceil_div(M, zero) > 1"), 1);
}

TEST(Expression, MistakesAreNamedWithTheirPlace) {
    EXPECT_EQ(
        error_of("ceil_div(N, TIEL)"),
        "here: unknown name \"TIEL\" (did you mean \"TILE\"?) in \"ceil_div(N, TIEL)\"."
    );
    EXPECT_EQ(
        error_of("cel_div(N, TILE)"),
        "here: unknown name \"cel_div\" (did you mean \"ceil_div\"?) in \"cel_div(N, TILE)\"."
    );
    EXPECT_EQ(error_of("banana"), "here: unknown name \"banana\" in \"banana\".");
    EXPECT_EQ(error_of("M / zero"), "here: division by zero in \"M / zero\".");
    EXPECT_EQ(error_of("M % 0"), "here: division by zero in \"M % 0\".");
    EXPECT_EQ(error_of("(M + 1"), "here: expected \")\" at column 7 in \"(M + 1\".");
    EXPECT_EQ(error_of("M +"), "here: a value is missing at the end in \"M +\".");
    EXPECT_EQ(error_of(""), "here: a value is missing at the end in \"\".");
    EXPECT_EQ(error_of("M N"), "here: unexpected \"N\" at column 3 in \"M N\".");
    EXPECT_EQ(error_of("2M"), "here: \"2\" is followed by a letter in \"2M\".");
    EXPECT_EQ(error_of("M ** 2"), "here: expected a value at column 4 in \"M ** 2\".");
    EXPECT_EQ(
        error_of("cdiv(N, TILE)"),
        "here: unknown name \"cdiv\" (did you mean \"ceil_div\"?) in \"cdiv(N, TILE)\"."
    );
    EXPECT_EQ(
        error_of("ceil(7 / 2)"),
        "here: ceil() is of a quotient of whole numbers, which leaves no fraction; ceil_div(a, b) rounds up "
        "in "
        "\"ceil(7 / 2)\"."
    );
    EXPECT_EQ(value("ceil(8 / 2)"), 4);
    EXPECT_EQ(error_of("ceil_div(M)"), "here: ceil_div() takes 2 arguments, not 1 in \"ceil_div(M)\".");
    EXPECT_EQ(
        error_of("ceil_div(M, half)"), "here: ceil_div() takes whole numbers in \"ceil_div(M, half)\"."
    );
    EXPECT_EQ(error_of("sqrt(0 - 1)"), "here: sqrt(-1) does not exist in \"sqrt(0 - 1)\".");
    EXPECT_EQ(error_of("1e300 * 1e300"), "here: the value is not finite in \"1e300 * 1e300\".");
    EXPECT_NE(error_of(std::string(100'000, '(')).find("too many nested parentheses"), std::string::npos);
    EXPECT_NE(error_of(std::string(100'000, '-')).find("too many signs"), std::string::npos);
}

}  // namespace
}  // namespace wl::manifest
