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

const char* const kAddresses = R"text(args = [
  { name = "x", dtype = "f32", shape = [8], fill = "ones" },
  { name = "middle", view = "x", at = 12 },
  { name = "flag", dtype = "u8", value = 1 },
  { name = "blob", bytes = "0102030405060708ff", align = 8 },
  { name = "p", fields = [{ name = "n", bytes = "2a000000", align = 4 }, { name = "end", view = "x", at = "8 * 4" }] },
  { name = "table", pointers = ["x", "null", "middle"] },
]
[launch]
grid = [1]
block = [32]
)text";

struct Blob {
    alignas(8) std::byte bytes[9];
};
struct Ending {
    int32_t n;
    uint64_t end;
};
struct AllAddresses {
    uint64_t x, middle;
    uint8_t flag;
    Blob blob;
    Ending p;
    uint64_t table;
};

TEST_F(Params, ViewsBytesAndNullsAreLaidOutAsCLaysThemOut) {
    const Problem problem = bind(loaded(kAddresses), {});
    ASSERT_EQ(arrays(problem).size(), 2u) << "a view has no memory of its own";
    EXPECT_EQ(
        problem.args[5].pointers,
        (std::vector<std::pair<std::string, uint64_t>>{
            {"x", 0 },
            {"",  0 },
            {"x", 12}
    })
    );
    const std::vector<std::byte> buffer = param_buffer(problem, {0x1000, 0x2000});
    ASSERT_EQ(buffer.size(), sizeof(AllAddresses));
    AllAddresses params{};
    std::memcpy(&params, buffer.data(), buffer.size());
    EXPECT_EQ(params.x, 0x1000u);
    EXPECT_EQ(params.middle, 0x100cu);
    EXPECT_EQ(params.flag, 1);
    EXPECT_EQ(params.blob.bytes[0], std::byte{1});
    EXPECT_EQ(params.blob.bytes[8], std::byte{0xff});
    EXPECT_EQ(params.p.n, 42);
    EXPECT_EQ(params.p.end, 0x1020u);
    EXPECT_EQ(params.table, 0x2000u);
}

TEST_F(Params, ATableOfAddressesMayBeAField) {
    const std::string table = R"(args = [{ name = "p", fields = [
  { name = "factor", dtype = "f32", value = 2 },
  { name = "t", pointers = [{ name = "own", dtype = "f32", shape = [4], fill = "ones" }, "in"] },
  { name = "rows", rows_of = { name = "m", dtype = "f32", shape = [2, 3], fill = "ones" } },
] }, { name = "in", dtype = "f32", shape = [2], fill = "ones" }]
[launch]
grid = [1]
block = [32]
)";
    const Problem problem = bind(loaded(table), {});
    const std::vector<BoundArgument>& fields = problem.args[0].fields;
    using Pointers = std::vector<std::pair<std::string, uint64_t>>;
    EXPECT_EQ(
        fields[1].pointers,
        (Pointers{
            {"p.t.own", 0},
            {"in",      0}
    })
    );
    EXPECT_EQ(
        fields[2].pointers,
        (Pointers{
            {"p.rows.m", 0 },
            {"p.rows.m", 12}
    })
    );
    try {
        bind(loaded(std::string(table).replace(table.find("\"in\"]"), 4, "\"no\"")), {});
        FAIL() << "a table in a field points to what there is not";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("there is no array \"no\" to point to"), std::string::npos)
            << e.what();
    }
}

TEST_F(Params, AddressesThatLeadNowhereAreNamed) {
    const auto error = [&](const std::string& from, const std::string& to) {
        std::string text = kAddresses;
        text.replace(text.find(from), from.size(), to);
        try {
            bind(loaded(text), {});
        } catch (const Error& e) { return std::string(e.what()); }
        return std::string("no error");
    };
    EXPECT_EQ(
        error("at = 12", "at = 33"),
        "gemm.toml:3: args[1]: the view \"middle\" begins at byte 33, and \"x\" has 32 bytes."
    );
    EXPECT_EQ(
        error("view = \"x\", at = 12", "view = \"y\", at = 12"),
        "gemm.toml:3: args[1]: there is no array \"y\" to point to; there are table, x."
    );
    EXPECT_EQ(
        error("\"null\"", "\"nul\""),
        "gemm.toml:7: args[5]: there is no array \"nul\" to point to; there are table, x."
    );
    EXPECT_EQ(
        error("0102030405060708ff", "0102030405060708f"),
        "gemm.toml:5: args[3].bytes must be hexadecimal digits, two a byte, the first byte first."
    );
    EXPECT_EQ(
        error("align = 8", "align = 3"), "gemm.toml:5: args[3].align must be a power of two up to 128."
    );
    EXPECT_EQ(
        error("value = 1 }", "value = 1, at = 3 }"),
        "gemm.toml:4: args[2].at is not for this argument: at is of a view, align of bytes."
    );
    EXPECT_EQ(
        error("at = 12 }", "at = 12, dtype = \"f32\" }"),
        "gemm.toml:3: args[1].dtype is not for a view of an array."
    );
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
