// Watches: C's arithmetic by lane over scalars, arrays and structures in registers and memory.
#include "instrumentation/watch/watch.h"

#include "instrumentation/base/error.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace wl::watch {
namespace {

using variables::Type;

enum TypeIndex { kFloat, kInt, kFloat4, kPointer, kPair, kPairs, kHalf, kTable };

std::vector<Type> types() {
    std::vector<Type> t(8);
    t[kFloat] = {Type::Kind::real, "float", 4, -1, 0, {}};
    t[kInt] = {Type::Kind::integer, "int", 4, -1, 0, {}};
    t[kFloat4] = {Type::Kind::array, "float[4]", 16, kFloat, 4, {}};
    t[kPointer] = {Type::Kind::pointer, "float*", 8, kFloat, 0, {}};
    t[kPair] = {
        Type::Kind::structure, "Pair", 8, -1, 0, {{"low", 0, kInt}, {"high", 4, kFloat}}
    };
    t[kPairs] = {Type::Kind::array, "Pair[2]", 16, kPair, 2, {}};
    t[kHalf] = {Type::Kind::structure, "__half", 2, -1, 0, {{"__x", 0, kInt}}};
    t[kTable] = {Type::Kind::array, "float[2][4]", 32, kFloat4, 2, {}};
    return t;
}

template <class T>
Value in_registers(int type, T (*of_lane)(int)) {
    Value v;
    v.kind = Value::Kind::bytes;
    v.type = type;
    v.lanes = ~0u;
    v.bytes.resize(kLanes * sizeof(T));
    for (int lane = 0; lane < kLanes; ++lane) {
        const T object = of_lane(lane);
        std::memcpy(v.bytes.data() + static_cast<size_t>(lane) * sizeof(T), &object, sizeof(T));
    }
    return v;
}

struct Pair {
    int low;
    float high;
};
struct Pairs {
    Pair pair[2];
};

// Shared memory holds float 1000 + index at every word; 64 words.
struct Watches : testing::Test {
    std::vector<Type> all = types();
    std::map<std::string, Value> values;
    Environment environment;

    void SetUp() override {
        values["x"] =
            in_registers<float>(kFloat, [](int lane) { return lane == 7 ? std::nanf("") : lane * 0.5f; });
        values["i"] = in_registers<int>(kInt, [](int lane) { return lane - 16; });
        values["pairs"] = in_registers<Pairs>(kPairs, [](int lane) {
            return Pairs{
                {{lane, 0.25f}, {-lane, lane * 10.0f}}
            };
        });
        values["h"] = in_registers<uint16_t>(kHalf, [](int) { return uint16_t{0x3e00}; });
        values["p"] = in_registers<uint64_t>(kPointer, [](int lane) { return uint64_t(lane) * 8; });
        Value table;
        table.kind = Value::Kind::place;
        table.type = kTable;
        table.space = ptx::Space::shared;
        table.lanes = 0xff;
        values["s"] = table;
        environment.types = &all;
        environment.lanes = ~0u;
        environment.names = [] {
            return std::vector<std::string>{"x", "i", "pairs", "h", "p", "s", "tid.x"};
        };
        environment.find = [this](const std::string& name) -> std::optional<Value> {
            if (name == "tid.x") return values["i"];
            const auto found = values.find(name);
            return found == values.end() ? std::nullopt : std::optional(found->second);
        };
        environment.read = [](ptx::Space, uint64_t address, int, std::vector<std::byte>& out) {
            for (size_t k = 0; k < out.size(); k += 4) {
                const float word = 1000.0f + static_cast<float>(address + k) / 4;
                if (address + k >= 256) return false;
                std::memcpy(out.data() + k, &word, 4);
            }
            return true;
        };
    }
    std::string lane(const std::string& expression, int which) {
        return text_of(evaluate(parse(expression), environment), which, environment);
    }
    std::string error(const std::string& expression) {
        try {
            evaluate(parse(expression), environment);
        } catch (const Error& e) { return e.what(); }
        return "no error";
    }
};

TEST_F(Watches, PrecedenceIsThatOfC) {
    EXPECT_EQ(lane("1 + 2 * 3", 0), "7");
    EXPECT_EQ(lane("(1 + 2) * 3", 0), "9");
    EXPECT_EQ(lane("10 - 4 - 3", 0), "3");
    EXPECT_EQ(lane("1 << 2 + 1", 0), "8");
    EXPECT_EQ(lane("6 & 3 == 3", 0), "0");
    EXPECT_EQ(lane("1 | 2 ^ 3 & 1", 0), "3");
    EXPECT_EQ(lane("-2 * -3", 0), "6");
    EXPECT_EQ(lane("!0 && 2 > 1 || 0", 0), "1");
    EXPECT_EQ(lane("0 ? 1 : 0 ? 2 : 3", 0), "3");
    EXPECT_EQ(lane("7 / 2 + 7 % 4", 0), "6");
    EXPECT_EQ(lane("7.0 / 2", 0), "3.5");
    EXPECT_EQ(lane("0x10 + .5f", 0), "16.5");
    EXPECT_EQ(lane("~5", 0), "-6");
}

TEST_F(Watches, EveryLaneHasItsOwnValue) {
    EXPECT_EQ(lane("x * 2 + i", 20), "24");
    EXPECT_EQ(lane("i >> 1", 0), "-8");
    EXPECT_EQ(lane("tid.x + 1", 31), "16");
    EXPECT_EQ(lane("i < 0 ? -i : i", 3), "13");
}

TEST_F(Watches, ArraysStructuresAndPointersAreRead) {
    EXPECT_EQ(lane("pairs[1].high - pairs[0].low", 3), "27");
    EXPECT_EQ(lane("pairs", 2), "[{low 2, high 0.25}, {low -2, high 20}]");
    EXPECT_EQ(lane("s[1][2]", 0), "1006");
    EXPECT_EQ(lane("s[i + 16][1]", 1), "1005");
    EXPECT_EQ(lane("*p", 3), "1006");
    EXPECT_EQ(lane("p[1] + *(p + 2)", 3), "2015");
    EXPECT_EQ(lane("h * 2", 0), "3");
    EXPECT_EQ(lane("s[0]", 0), "[1000, 1001, 1002, 1003]");
}

TEST_F(Watches, LanesWithoutAValueSaySo) {
    EXPECT_EQ(lane("s[0][0]", 8), "-");
    EXPECT_EQ(lane("s[i + 16][0]", 2), "-") << "a row that does not exist";
    EXPECT_EQ(lane("*(p + 62)", 1), "-") << "unmapped";
    EXPECT_EQ(lane("4 / (i + 15)", 1), "-");
    EXPECT_EQ(lane("i + 15 != 0 && 4 / (i + 15) > 0", 1), "0") << "the left side decides";
    EXPECT_EQ(lane("1 << 64", 0), "-");
}

TEST_F(Watches, WarpFunctionsLookAtAllLanes) {
    EXPECT_EQ(lane("warp.any(isnan(x))", 0), "1");
    EXPECT_EQ(lane("warp.all(isnan(x))", 0), "0");
    EXPECT_EQ(lane("warp.count(i < 0)", 31), "16");
    EXPECT_EQ(lane("warp.sum(i)", 5), "-16");
    EXPECT_EQ(lane("warp.max(pairs[1].high)", 0), "310");
    EXPECT_EQ(lane("warp.min(s[0][0])", 0), "1000") << "over the lanes that have one";
    EXPECT_EQ(lane("max(i, 3) + abs(i) + min(2.5, i)", 0), "3");
}

TEST_F(Watches, MistakesNameThePlaceAndTheNearestName) {
    EXPECT_EQ(
        error("pair[0]"), "\"pair[0]\": nothing here is called pair (did you mean pairs?) at column 1."
    );
    EXPECT_EQ(
        error("1 + isnam(x)"),
        "\"1 + isnam(x)\": there is no function isnam (did you mean isnan?) at column 5."
    );
    EXPECT_EQ(error("pairs[0].mid"), "\"pairs[0].mid\": Pair has no member mid, only low, high at column 9.");
    EXPECT_EQ(error("x & 1"), "\"x & 1\": & takes integers only at column 3.");
    EXPECT_EQ(
        error("pairs + 1"),
        "\"pairs + 1\": this is an array or a structure, and a number is needed at column 7."
    );
    EXPECT_EQ(error("(1 + 2"), "\"(1 + 2\": expected \")\" at column 7.");
    EXPECT_EQ(error("1 2"), "\"1 2\": this belongs to nothing at column 3.");
    EXPECT_EQ(error(""), "\"\": the expression ends too early at column 1.");
    EXPECT_EQ(error("*i"), "\"*i\": this is neither a pointer nor an array at column 1.");
    EXPECT_NE(error(std::string(5000, '(')).find("nested too deeply"), std::string::npos);
    EXPECT_NE(error(std::string(5000, '-') + "1").find("nested too deeply"), std::string::npos);
    EXPECT_NE(error("99999999999999999999").find("does not fit"), std::string::npos);
}

TEST(Watch, ExpressionsArePartedAtCommasOutsideParenthesesAndBrackets) {
    const std::vector<std::string> parts = {"l_add", " min(a, max(b, c))", "s[f(1, 2)][i, j]", "x"};
    EXPECT_EQ(parted("l_add, min(a, max(b, c)),s[f(1, 2)][i, j],x"), parts);
    EXPECT_EQ(parted("m"), std::vector<std::string>{"m"});
    EXPECT_EQ(parted("a),b"), (std::vector<std::string>{"a)", "b"})) << "a stray parenthesis joins nothing";
}

TEST_F(Watches, CastsBindLikeUnaryOperatorsAndWrapLikeC) {
    const auto text = [&](const char* expression) {
        return text_of(evaluate(parse(expression), environment), 3, environment);
    };
    EXPECT_EQ(text("(float)i / 2"), "-6.5") << "i is -13";
    EXPECT_EQ(text("(int)-2.75"), "-2");
    EXPECT_EQ(text("(unsigned)i"), "4294967283");
    EXPECT_EQ(text("(unsigned char)300"), "44");
    EXPECT_EQ(text("(signed char)200"), "-56");
    EXPECT_EQ(text("(int16_t)40000"), "-25536");
    EXPECT_EQ(text("(unsigned long long)i"), "18446744073709551603");
    EXPECT_EQ(text("(bool)0.5 + (bool)i"), "2");
    EXPECT_EQ(text("(float)0.1 == 0.1"), "0");
    EXPECT_EQ(text("(double)i * 0.5"), "-6.5");
    EXPECT_EQ(text("(int)1e30"), "-") << "C has no value for it";
    EXPECT_EQ(text("(i) - 1"), "-14") << "no cast";
    EXPECT_EQ(text("true + !false"), "2");
    EXPECT_EQ(text("0x7fffffffffffffff + 1 < 0"), "1");
}

}  // namespace
}  // namespace wl::watch
