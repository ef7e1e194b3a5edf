// The entry's parameter buffer against the C++ compiler's layout of the same struct.
#include "instrumentation/manifest/params.h"

#include "instrumentation/base/error.h"
#include "tests/manifest/manifest_fixture.h"

#include <cstring>

namespace wl::manifest {
namespace {

struct Params : ManifestFolder {};

const char* const kStructs = R"text(args = [
  { name = "flag", dtype = "u8", value = 1 },
  { name = "x", dtype = "f32", shape = [4], fill = "ones" },
  { name = "p", fields = [
      { name = "tag", dtype = "u8", value = 7 },
      { name = "y", dtype = "f16", shape = [2, 2], output = true },
      { name = "inner", fields = [ { name = "a", dtype = "s16", value = -2 }, { name = "b", dtype = "s32", value = 5 } ] },
      { name = "last", dtype = "u8", value = 9 } ] },
  { name = "n", dtype = "s32", value = 11 },
]
[launch]
grid = [1]
block = [32]
)text";

// The same in C++: the compiler's layout is the reference.
struct Inner {
    int16_t a;
    int32_t b;
};
struct P {
    uint8_t tag;
    uint64_t y;
    Inner inner;
    uint8_t last;
};
struct AllParams {
    uint8_t flag;
    uint64_t x;
    P p;
    int32_t n;
};

TEST_F(Params, ParametersAreLaidOutAsCLaysThemOut) {
    const Problem problem = bind(loaded(kStructs), {});
    ASSERT_EQ(arrays(problem).size(), 2u);
    EXPECT_EQ(arrays(problem)[1]->data.name, "p.y");
    const std::vector<std::byte> buffer = param_buffer(problem, {0x1111222233334444, 0x5555666677778888});
    ASSERT_EQ(buffer.size(), offsetof(AllParams, n) + 4) << "no padding at the end";
    AllParams params{};
    std::memcpy(&params, buffer.data(), buffer.size());
    EXPECT_EQ(params.flag, 1);
    EXPECT_EQ(params.x, 0x1111222233334444u);
    EXPECT_EQ(params.p.tag, 7);
    EXPECT_EQ(params.p.y, 0x5555666677778888u);
    EXPECT_EQ(params.p.inner.a, -2);
    EXPECT_EQ(params.p.inner.b, 5);
    EXPECT_EQ(params.p.last, 9);
    EXPECT_EQ(params.n, 11);
    EXPECT_EQ(param_layout(problem)[2].bytes, sizeof(P));
    EXPECT_EQ(param_layout(problem)[2].align, alignof(P));
    EXPECT_THROW(param_buffer(problem, {1}), Error);
}

TEST_F(Params, ParametersThatDoNotFitTheEntryAreNamed) {
    const Problem problem = bind(loaded(kStructs), {});
    const auto error = [&](const std::vector<uint64_t>& sizes) {
        try {
            check_params(problem, "f", sizes);
        } catch (const Error& e) { return std::string(e.what()); }
        return std::string("no error");
    };
    EXPECT_EQ(error({1, 8, sizeof(P), 4}), "no error");
    EXPECT_EQ(
        error({1, 8, sizeof(P), 8}),
        "gemm.toml:9: args[3]: \"n\" is 4 bytes, but parameter 3 of f is 8 bytes."
    );
    EXPECT_EQ(error({1, 8, sizeof(P)}), "gemm.toml:1: args lists 4 arguments, but f has 3 parameters.");
    EXPECT_EQ(error({1, 8, sizeof(P), 4, 4}), "gemm.toml:1: args lists 4 arguments, but f has 5 parameters.");
}

}  // namespace
}  // namespace wl::manifest
