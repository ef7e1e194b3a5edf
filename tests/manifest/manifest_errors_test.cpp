// One clear error for each thing that can be wrong with a manifest or with the options beside it.
#include "instrumentation/base/error.h"
#include "instrumentation/manifest/manifest.h"
#include "tests/manifest/manifest_fixture.h"

namespace wl::manifest {
namespace {

struct ManifestErrors : ManifestFolder {};

// ---- what can be wrong: keys, types, absences

TEST_F(ManifestErrors, AMisspeltKeyFindsItsNeighbour) {
    EXPECT_EQ(
        load_error("title =", "titel ="), "gemm.toml:1: unknown key \"titel\"; did you mean \"title\"?"
    );
    EXPECT_EQ(
        load_error("shape = [\"M\", \"K\"]", "shpae = [\"M\", \"K\"]"),
        "gemm.toml:3: unknown key \"shpae\" in args[0]; did you mean \"shape\"?"
    );
    EXPECT_EQ(
        load_error("shared =", "sharde ="),
        "gemm.toml:21: unknown key \"sharde\" in launch; did you mean \"shared\"?"
    );
    EXPECT_EQ(
        load_error("[presets.large]\nM", "[presets.large]\nm"),
        "gemm.toml:13: unknown parameter in presets.large \"m\"; did you mean \"M\"?"
    );
    EXPECT_EQ(
        load_error("terms = \"K\"", "banana = 1"),
        "gemm.toml:23: unknown key \"banana\" in output.C; known keys are of, terms, tolerance, rtol, "
        "compare, partial."
    );
    EXPECT_EQ(
        load_error("[output.C]", "[output.c]"), "gemm.toml:22: unknown output \"c\"; did you mean \"C\"?"
    );
    EXPECT_EQ(
        load_error("\"f16\"", "\"f166\""), "gemm.toml:3: unknown dtype \"f166\"; did you mean \"f16\"?"
    );
    EXPECT_EQ(
        load_error("\"normal\"", "\"nromal\""),
        "gemm.toml:3: args[0].fill: unknown fill \"nromal\"; did you mean \"normal\"?"
    );
    EXPECT_EQ(
        load_error("of = \"scores\"", "row = \"lane\""),
        "gemm.toml:25: tile.S.row needs its other half: row and col say which element a lane holds."
    );
    EXPECT_EQ(
        load_error("[output.C]", "[reference]\nbuiltin = \"atention\"\n[output.C]"),
        "gemm.toml:23: unknown builtin reference \"atention\"; did you mean \"attention\"?"
    );
}

TEST_F(ManifestErrors, AWrongTypeIsNamed) {
    EXPECT_EQ(load_error("\"Tiled GEMM\"", "3"), "gemm.toml:1: title must be a string, not a whole number.");
    EXPECT_EQ(
        load_error("shape = [\"M\", \"K\"]", "shape = \"M\""),
        "gemm.toml:3: args[0].shape must be an array of expressions (strings or numbers), not a string."
    );
    EXPECT_EQ(
        load_error("\"TILE\", 8]", "\"TILE\", true]"),
        "gemm.toml:20: launch.block[1] must be an expression (a string or a number), not true or false."
    );
    EXPECT_EQ(
        load_error("output = true", "output = \"yes\""),
        "gemm.toml:4: args[1].output must be true or false, not a string."
    );
    EXPECT_EQ(
        load_error("M = 100", "M = [100]"),
        "gemm.toml:8: params.M must be an expression (a string or a number), not an array."
    );
    EXPECT_EQ(
        load_error("terms = \"K\"", "tolerance = \"1e-3\""),
        "gemm.toml:23: output.C.tolerance must be a number, not a string."
    );
    EXPECT_EQ(
        load_error("[fault.no-sync]\nabout = \"no barrier\"", "[fault]\nno-sync = 1"),
        "gemm.toml:30: fault.no-sync must be a table, not a whole number."
    );
    EXPECT_EQ(load_error("M = 100", "M = inf"), "gemm.toml:8: params.M must be finite.");
}

TEST_F(ManifestErrors, AnAbsenceIsNamedWithWhatItIs) {
    EXPECT_EQ(
        load_error("grid =", "# grid ="),
        "gemm.toml:18: launch.grid is missing: one to three extents, x first."
    );
    EXPECT_EQ(
        load_error("name = \"A\", ", ""), "gemm.toml:3: args[0].name is missing: every argument has one."
    );
    EXPECT_EQ(
        load_error(", fill = \"normal\"", ""),
        "gemm.toml:3: args[0].fill is missing: an array has a fill, such as \"normal\", or output = true, or "
        "both."
    );
    EXPECT_EQ(
        load_error(", value = 1.5", ""),
        "gemm.toml:5: args[2].value is missing: a scalar has a value, an array a shape."
    );
    EXPECT_EQ(
        load_error("at = [", "# at = ["),
        "gemm.toml:24: tile.S.at is missing: the coordinates of element (0,0) in the reference tensor."
    );
    EXPECT_EQ(
        load_error("about = \"no barrier\"", ""),
        "gemm.toml:29: fault.no-sync.about is missing: one sentence on what the fault does."
    );
    EXPECT_EQ(
        load_error("title = \"Tiled GEMM\"", "source = \"none.cu\""),
        "gemm.toml:1: source: there is no file none.cu."
    );
    EXPECT_EQ(
        load_error("[output.C]", "[reference]\npython = \"gemm.py\"\n[output.C]"),
        "gemm.toml:23: reference.python: there is no file gemm.py."
    );
    EXPECT_EQ(
        load_error("title = \"Tiled GEMM\"", "include = [\"../none\"]"),
        "gemm.toml:1: include: there is no folder ../none."
    );
}

TEST_F(ManifestErrors, AContradictionIsNamed) {
    EXPECT_EQ(
        load_error("\"f16\", shape", "\"f16\", value = 1, shape"),
        "gemm.toml:3: args[0].value is not for an array."
    );
    EXPECT_EQ(
        load_error("value = 1.5", "value = 1.5, fill = \"ones\""),
        "gemm.toml:5: args[2].fill is not for a scalar; an array has a shape."
    );
    EXPECT_EQ(
        load_error("name = \"C\"", "name = \"A\""), "gemm.toml:4: args[1] is the second argument named \"A\"."
    );
    EXPECT_EQ(
        load_error("name = \"A\"", "name = \"A B\""),
        "gemm.toml:3: \"A B\" is no name: letters, digits and _ make one."
    );
    EXPECT_EQ(
        load_error("[\"TILE\", 8]", "[1, 1, 1, 1]"),
        "gemm.toml:20: launch.block has 4 extents; one to three are possible."
    );
    EXPECT_EQ(
        load_error("K = 64", "warp = 64"),
        "gemm.toml:10: params.warp: this name has a meaning of its own in expressions; choose another."
    );
    EXPECT_EQ(
        load_error("of = \"scores\"", "row_axis = 4"),
        "gemm.toml:25: tile.S.row_axis is 4, but \"at\" has 4 dimensions, counted from 0."
    );
    EXPECT_EQ(
        load_error("[output.C]", "[reference]\nbuiltin = \"attention\"\nnpz = \"a.npz\"\n[output.C]"),
        "gemm.toml:22: [reference] holds exactly one of builtin, python, npz, kernel."
    );
    EXPECT_EQ(
        load_error("[output.C]", "[reference]\nkernel = \"gemm.toml\"\n[output.C]"),
        "gemm.toml:23: reference.kernel is this manifest itself, which proves nothing; name that of another "
        "kernel."
    );
    EXPECT_EQ(
        load_error("\"normal\"", "\"ones(2)\""),
        "gemm.toml:3: args[0].fill: \"ones(2)\" is no fill; ones takes no parameters."
    );
    EXPECT_EQ(
        load_error("\"normal\"", "\"normal(2)\""),
        "gemm.toml:3: args[0].fill: \"normal(2)\" is no fill; write normal(mean, deviation)."
    );
    EXPECT_EQ(
        load_error("\"normal\"", "\"full\""),
        "gemm.toml:3: args[0].fill: \"full\" is no fill; write full(value)."
    );
}

TEST_F(ManifestErrors, AMistakeInTheTomlItselfHasItsLine) {
    EXPECT_TRUE(load_error("M = 100", "M = ").starts_with("gemm.toml:8: ")) << load_error("M = 100", "M = ");
    EXPECT_TRUE(load_error("M = 100", "M = 1\nM = 2").starts_with("gemm.toml:9: "))
        << load_error("M = 100", "M = 1\nM = 2");
}

// ---- what can be wrong: numbers

TEST_F(ManifestErrors, AnUnknownNameInAnExpressionHasItsPlace) {
    EXPECT_EQ(
        bind_error("ceil_div(N, TILE)", "ceil_div(N, TIEL)"),
        "gemm.toml:19: launch.grid[0]: unknown name \"TIEL\" (did you mean \"TILE\"?) in \"ceil_div(N, "
        "TIEL)\"."
    );
    EXPECT_EQ(
        bind_error("N = \"M - 4\"", "N = \"K - 4\""),
        "gemm.toml:9: params.N: unknown name \"K\" (did you mean \"M\"?) in \"K - 4\"."
    ) << "K comes later";
    EXPECT_EQ(
        bind_error("iteration * N", "iterations * N"),
        "gemm.toml:26: tile.S.at[3]: unknown name \"iterations\" (did you mean \"iteration\"?) in "
        "\"iterations * N\"."
    );
    EXPECT_EQ(
        bind_error("terms = \"K\"", "terms = \"Q + block.x\"").substr(0, 47),
        "gemm.toml:23: output.C.terms: unknown name \"Q\" "
    );
}

TEST_F(ManifestErrors, AnImpossibleShapeIsRefused) {
    EXPECT_EQ(
        option_error({{{"M", "0"}}, {}, {}, {}, 0}),
        "gemm.toml:19: launch.grid[0] is 0 (from \"ceil_div(N, TILE)\"); it must be a whole number of at "
        "least 1."
    );
    EXPECT_EQ(
        bind_error("shape = [\"M\", \"K\"]", "shape = [\"M\", \"K - 64\"]"),
        "gemm.toml:3: args[0].shape[1] is 0 (from \"K - 64\"); it must be a whole number of at least 1."
    );
    EXPECT_EQ(
        bind_error("shape = [\"M\", \"K\"]", "shape = [\"M\", 2.5]"),
        "gemm.toml:3: args[0].shape[1] is 2.5; it must be a whole number of at least 1."
    );
    const std::string huge =
        bind_error(R"(shape = ["M", "K"])", "shape = [4000000000, 4000000000, 4000000000]");
    EXPECT_TRUE(
        huge.starts_with("gemm.toml:3: args[0].shape: with the shape (4000000000, 4000000000, 4000000000) "
                         "the arrays do not fit into this machine's ")
    ) << huge;
}

TEST_F(ManifestErrors, ALaunchOutsideCudasLimitsIsRefusedWithTheFigures) {
    EXPECT_EQ(
        bind_error("[\"TILE\", 8]", "[\"TILE\", 64]"),
        "gemm.toml:20: launch.block is 2,048 threads (32 x 64 x 1), the limit is 1,024 a block."
    );
    EXPECT_EQ(
        bind_error("[\"TILE\", 8]", "[1, 1, 128]"), "gemm.toml:20: launch.block[2] is 128, the limit is 64."
    );
    EXPECT_EQ(
        bind_error("\"ceil_div(M, TILE)\"", "70000"),
        "gemm.toml:19: launch.grid[1] is 70,000, the limit is 65,535."
    );
    EXPECT_EQ(
        bind_error("shared = \"2 *", "shared = \"80 *"),
        "gemm.toml:21: launch.shared asks for 337,920 bytes of dynamic shared memory, the limit is 232,448 "
        "(227 KB a block, sm_90)."
    );
    EXPECT_EQ(
        bind_error("shared = \"2 * TILE * (TILE + 1) * 4\"", "stack = 524289"),
        "gemm.toml:21: launch.stack asks for 524,289 bytes of stack, the limit is 524,288 (512 KB of local "
        "memory "
        "a thread)."
    );
    EXPECT_EQ(bind_error("shared = \"2 * TILE * (TILE + 1) * 4\"", "shared = 232448"), "no error")
        << "the limit itself is possible";
    EXPECT_EQ(
        bind_error("shared = \"2 * TILE * (TILE + 1) * 4\"", "shared = 232449"),
        "gemm.toml:21: launch.shared asks for 232,449 bytes of dynamic shared memory, the limit is 232,448 "
        "(227 KB a block, sm_90)."
    );
}

TEST_F(ManifestErrors, AScalarMustFitItsType) {
    EXPECT_EQ(
        bind_error("\"f32\", value = 1.5", "\"s32\", value = 1.5"),
        "gemm.toml:5: args[2].value is 1.5, which the argument \"alpha\" of type s32 cannot hold."
    );
    EXPECT_EQ(
        bind_error("\"f32\", value = 1.5", "\"u8\", value = 256"),
        "gemm.toml:5: args[2].value is 256, which the argument \"alpha\" of type u8 cannot hold."
    );
    EXPECT_EQ(
        bind_error("\"f32\", value = 1.5", "\"f16\", value = 1e6"),
        "gemm.toml:5: args[2].value is 1000000, which the argument \"alpha\" of type f16 cannot hold."
    );
    EXPECT_EQ(bind_error("\"f32\", value = 1.5", "\"f16\", value = 0.1"), "no error")
        << "rounding is what a format does";
}

TEST_F(ManifestErrors, UnknownOptionsFindTheirNeighbours) {
    EXPECT_EQ(option_error({{}, "", {"32y"}, "", 0}), "gemm has no fault \"32y\"; did you mean \"32x\"?");
    EXPECT_EQ(
        option_error({{}, "", {"banana"}, "", 0}), "gemm has no fault \"banana\"; it has 32x, no-sync."
    );
    EXPECT_EQ(
        option_error({{}, "lareg", {}, "", 0}), "gemm has no preset \"lareg\"; did you mean \"large\"?"
    );
    EXPECT_EQ(
        option_error({{{"TILES", "1"}}, "", {}, "", 0}),
        "gemm has no parameter \"TILES\"; did you mean \"TILE\"?"
    );
    EXPECT_EQ(
        option_error({{{"N", "M -"}}, "", {}, "", 0}),
        "--set N=M -: a value is missing at the end in \"M -\"."
    );
    EXPECT_EQ(
        option_error({{}, "", {}, "nromal", 0}), "--inputs: unknown fill \"nromal\"; did you mean \"normal\"?"
    );
    EXPECT_EQ(
        option_error({{}, "", {}, "nan-pading", 0}),
        "--inputs: unknown fill \"nan-pading\"; did you mean \"nan-padding\"?"
    );
}

}  // namespace
}  // namespace wl::manifest
