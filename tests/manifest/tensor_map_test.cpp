// A tensor map in a manifest: the bytes that the kernel gets, and maps that are refused.
#include "instrumentation/base/tensor_map.h"

#include "instrumentation/manifest/params.h"
#include "tests/manifest/manifest_fixture.h"

namespace wl::manifest {
namespace {

struct TensorMaps : ManifestFolder {
    Problem problem_of(const std::string& map) {
        return bind(
            loaded(
                "args = [\n{ name = \"A\", dtype = \"f16\", shape = [\"R\", 48], fill = \"ones\" },\n"
                "{ name = \"n\", dtype = \"u32\", value = 5 },\n{ name = \"tiles\", tensor_map = { " +
                map +
                " } },\n]\n[params]\nR = 10\n[launch]\ngrid = [1]\nblock = [32]\nargs = [\"n\", \"tiles\"]\n"
            ),
            {}
        );
    }
    std::string error_of(const std::string& map) {
        try {
            problem_of(map);
        } catch (const Error& e) { return e.what(); }
        return "no error";
    }
};

TEST_F(TensorMaps, TheKernelGetsTheMapByValue) {
    const Problem problem =
        problem_of(R"(of = "A", box = [8, 32], swizzle = 64, fill = "nan", at = 96, extents = ["R - 1", 40])"
        );
    const std::vector<std::byte> buffer = param_buffer(problem, {0x10000});
    ASSERT_EQ(buffer.size(), 64 + kTensorMapBytes);
    const auto map = decoded(std::span(buffer).subspan(64));
    ASSERT_TRUE(map);
    TensorMap wanted;
    wanted.type = *tensor_type_named("f16"), wanted.rank = 2, wanted.swizzle = 2, wanted.nan_fill = true;
    wanted.address = 0x10000 + 96;
    wanted.extents = {40, 9}, wanted.strides = {2, 80}, wanted.box = {32, 8};
    EXPECT_EQ(*map, wanted);
    EXPECT_EQ(encoded(wanted), encoded(*map));
}

TEST_F(TensorMaps, StridesAndStepsAreThoseGiven) {
    const std::vector<std::byte> buffer =
        param_buffer(problem_of(R"(of = "A", box = [8, 32], strides = [96], steps = [2, 1])"), {0});
    const auto map = decoded(std::span(buffer).subspan(64));
    ASSERT_TRUE(map);
    EXPECT_EQ(map->strides[1], 96u);
    EXPECT_EQ(map->steps[1], 2u);
    EXPECT_EQ(box_bytes(*map), 4u * 32 * 2);
}

TEST_F(TensorMaps, WhatIsWrongIsSaid) {
    EXPECT_NE(error_of(R"(of = "B", box = [8, 32])").find('B'), std::string::npos);
    EXPECT_NE(error_of(R"(of = "A")").find("tensor_map.box is missing"), std::string::npos);
    EXPECT_NE(error_of(R"(of = "A", box = [8])").find("has 2 numbers for 1 dimensions"), std::string::npos);
    EXPECT_NE(
        error_of(R"(of = "A", box = [8, 32], swizzle = 48)").find("0, 32, 64 or 128"), std::string::npos
    );
    EXPECT_NE(error_of(R"(of = "A", box = [8, 32], fill = "one")").find("zero"), std::string::npos);
    EXPECT_NE(error_of(R"(of = "A", boxes = [8, 32])").find("boxes"), std::string::npos);
}

TEST(TensorMapBytes, WhatCudaRefusesIsNone) {
    TensorMap map;
    map.type = *tensor_type_named("u16"), map.rank = 2, map.address = 0x100;
    map.extents = {64, 4}, map.strides = {2, 128}, map.box = {32, 4};
    EXPECT_TRUE(decoded(encoded(map)));
    for (const auto& change : std::vector<void (*)(TensorMap&)>{
             [](TensorMap& m) { m.address = 8; },
             [](TensorMap& m) { m.strides[1] = 120; },
             [](TensorMap& m) { m.box[0] = 300; },
             [](TensorMap& m) { m.box[0] = 12; },
             [](TensorMap& m) { m.swizzle = 1; },
             [](TensorMap& m) { m.steps[1] = 9; },
             [](TensorMap& m) { m.type = 99; }}) {
        TensorMap other = map;
        change(other);
        EXPECT_FALSE(fault_of(other).empty());
        EXPECT_FALSE(decoded(encoded(other)));
    }
    auto bytes = encoded(map);
    bytes[0] ^= std::byte{1};
    EXPECT_FALSE(decoded(bytes));
}

}  // namespace
}  // namespace wl::manifest
