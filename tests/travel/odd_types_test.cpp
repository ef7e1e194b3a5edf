// Source variables of less usual types, as expressions over a debug build mean and print them.
#include "instrumentation/base/error.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/travel/instant.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace wl::travel {
namespace {

const char* const kSource = R"(#include <cuda_fp16.h>
enum Color { red = 1, green = 2, blue = 7 };
enum class Mode : unsigned char { off, on = 200 };
enum Sign { minus = -1, plus = 1 };
struct Inner { short a; double b; };
struct Outer { Inner in[2]; unsigned flags : 3; int level : 5; unsigned long long wide : 40; bool on; };
struct Base { int base; };
struct Derived : Base {
    int own;
    __device__ __noinline__ int sum(int k) const {
        return base + own + k;
    }
};
template <class T, int N> struct Vec { T data[N]; };
extern "C" __global__ void odd(const float* in, float* out) {
    __shared__ float words[64];
    int i = threadIdx.x;
    words[i] = in[i];
    Color color = i % 2 ? green : blue;
    Mode mode = Mode::on;
    Sign sign = i > 3 ? plus : minus;
    Outer outer = {};
    outer.in[1].a = (short)(-i);
    outer.in[1].b = i * 0.25;
    outer.flags = 5;
    outer.level = -3;
    outer.wide = 0x8000000001ull;
    outer.on = true;
    Derived derived;
    derived.base = i;
    derived.own = 100;
    Vec<float, 3> vec = {{1.0f, 2.0f, in[i]}};
    int4 i4 = make_int4(i, 2, 3, 4);
    uchar4 uc = make_uchar4(1, 200, 3, 255);
    __half2 h2 = __floats2half2_rn(1.5f, -2.0f);
    unsigned char byte = 200;
    signed char small = -100;
    unsigned long long big = 0xfffffffffffffff0ull;
    long long negative = -5;
    int& reference = i4.y;
    float* p = &words[2];
    Outer* pointer = &outer;
    auto lambda = [&](int k) { return k + i4.z; };
    int shadow = 1;
    {
        float shadow = 2.5f;
        out[i] = shadow;
    }
    reference = 77;
    out[i] += derived.sum(3);  // here
    out[i] += color + (int)mode + sign + outer.flags + outer.level + byte + small + (float)big + negative + p[1] +
        pointer->in[1].b + vec.data[2] + uc.y + lambda(i) + shadow + (float)h2.x;
}
)";

int line_of(const std::string& text) {
    const std::string source = kSource;
    return 1 +
        static_cast<int>(std::count(
            source.begin(), source.begin() + static_cast<std::ptrdiff_t>(source.find(text)), '\n'
        ));
}

struct OddTypes : testing::Test {
    ptx::Module module;
    Route route;

    void SetUp() override { start(true); }
    void start(bool debug) {
        const auto path =
            std::filesystem::temp_directory_path() / ("odd_" + std::to_string(getpid()) + ".cu");
        std::ofstream(path) << kSource;
        compile::CompileOptions options;
        options.source_path = path.string();
        options.display_path = "odd.cu";
        options.debug = debug;
        module = ptx::parse(compile::compile(options).ptx);
        std::filesystem::remove(path);
        emulator::ReplaySpec journey;
        journey.program = emulator::lower(module, "odd");
        journey.launch.block = {64, 1, 1};
        journey.launch.grid = {1, 1, 1};
        std::vector<std::byte> in(256);
        for (int i = 0; i < 64; ++i) {
            const auto value = static_cast<float>(i);
            std::memcpy(in.data() + static_cast<size_t>(i) * 4, &value, 4);
        }
        const uint64_t addresses[] = {
            allocate(journey.memory, "in", in), allocate(journey.memory, "out", std::vector<std::byte>(256))};
        journey.launch.params.resize(16);
        std::memcpy(journey.launch.params.data(), addresses, 16);
        route = make_route(module, std::move(journey));
        go_to_line(line_of("derived.sum(3);  // here"));
    }
    void go_to_line(int line) {
        Wanted wanted;
        wanted.line = line;
        ASSERT_TRUE(go(route, wanted).found) << line;
    }
    std::string at(int lane, const std::string& expression) {
        const watch::Environment environment = environment_here(route);
        return watch::text_of(watch::evaluate(watch::parse(expression), environment), lane, environment);
    }
    std::string refusal(const std::string& expression) {
        try {
            at(0, expression);
        } catch (const Error& error) { return error.what(); }
        return "";
    }
};

TEST_F(OddTypes, BitFieldsAreTheirBitsAlone) {
    EXPECT_EQ(at(5, "outer.flags"), "5");
    EXPECT_EQ(at(5, "outer.level"), "-3");
    EXPECT_EQ(at(5, "outer.wide"), "549755813889");
    EXPECT_EQ(at(5, "outer.level * outer.flags"), "-15");
    EXPECT_EQ(
        at(5, "outer"), "{in [{a 0, b 0}, {a -5, b 1.25}], flags 5, level -3, wide 549755813889, on true}"
    );
}

TEST_F(OddTypes, UnsignedIsUnsignedAtEveryWidth) {
    EXPECT_EQ(at(0, "byte"), "200");
    EXPECT_EQ(at(0, "uc"), "{x 1, y 200, z 3, w 255}");
    EXPECT_EQ(at(0, "small"), "-100");
    EXPECT_EQ(at(0, "big"), "18446744073709551600");
    EXPECT_EQ(at(0, "big > 5"), "1");
    EXPECT_EQ(at(0, "5 < big"), "1");
    EXPECT_EQ(at(0, "-16 >> big % 17"), "-4") << "a shift is signed as its left side";
    EXPECT_EQ(at(0, "big / 16"), "1152921504606846975");
    EXPECT_EQ(at(0, "big + 1"), "18446744073709551601");
    EXPECT_EQ(at(0, "max(big, 1)"), "18446744073709551600");
    EXPECT_EQ(at(0, "big * 1.0"), "1.84467e+19");
    EXPECT_EQ(at(0, "negative < 5"), "1");
}

TEST_F(OddTypes, EnumerationsHaveTheirNames) {
    EXPECT_EQ(at(0, "color"), "blue (7)");
    EXPECT_EQ(at(1, "color"), "green (2)");
    EXPECT_EQ(at(0, "mode"), "on (200)");
    EXPECT_EQ(at(0, "sign"), "minus (-1)");
    EXPECT_EQ(at(1, "color == green"), "1");
    EXPECT_EQ(at(0, "color == green"), "0");
    EXPECT_EQ(at(0, "mode == Mode::on"), "1");
    EXPECT_EQ(at(0, "color + 1"), "8");
}

TEST_F(OddTypes, BaseClassesAndThisAreLookedThrough) {
    EXPECT_EQ(at(9, "derived.base + derived.own"), "109");
    EXPECT_EQ(at(9, "derived"), "{Base {base 9}, own 100}");
    go_to_line(line_of("return base + own + k"));
    EXPECT_EQ(at(9, "base"), "9");
    EXPECT_EQ(at(9, "own"), "100");
    EXPECT_EQ(at(9, "this->own - k"), "97");
}

TEST_F(OddTypes, AReferenceIsWhatItRefersTo) {
    EXPECT_EQ(at(3, "reference"), "77");
    EXPECT_EQ(at(3, "reference + 1"), "78");
    EXPECT_EQ(at(3, "&reference == &i4.y"), "1");
    EXPECT_EQ(at(3, "i4"), "{x 3, y 77, z 3, w 4}");
}

TEST_F(OddTypes, AddressesArePointersOfOneSpace) {
    EXPECT_EQ(at(3, "p - &words[0]"), "2");
    EXPECT_EQ(at(3, "pointer == &outer"), "1");
    EXPECT_EQ(at(3, "*(&words[1] + 1)"), "2");
    EXPECT_EQ(at(3, "pointer->in[1].b"), "0.75");
    EXPECT_EQ(at(3, "(*pointer).flags"), "5");
}

TEST_F(OddTypes, TheInnerOfTwoNamesIsMeantInItsScope) {
    EXPECT_EQ(at(0, "shadow"), "1");
    go_to_line(line_of("out[i] = shadow"));
    EXPECT_EQ(at(0, "shadow"), "2.5");
    EXPECT_NE(refusal("k").find("nothing here is called k"), std::string::npos) << refusal("k");
}

TEST_F(OddTypes, WhatLivesNowhereIsSaidToBeOptimisedOut) {
    variables::Variable v;
    v.name = "gone";
    v.function = route.functions[0];
    v.end = INT32_MAX;
    route.variables.all.push_back(v);
    EXPECT_EQ(at(0, "gone"), "-");
    EXPECT_EQ(origin_of(route, "gone"), "source variable, optimised out: it is kept nowhere");
}

TEST_F(OddTypes, AnOptimisedBuildSaysWhatItsNamesAre) {
    EXPECT_EQ(refusal("nowhere").find("an optimised build"), std::string::npos);
    start(false);
    EXPECT_NE(refusal("color").find("an optimised build names registers"), std::string::npos)
        << refusal("color");
    EXPECT_EQ(at(3, "words[2]"), "2");
}

}  // namespace
}  // namespace wl::travel
