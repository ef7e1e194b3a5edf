// What a finding says of where it is: the line that wrote what is wrong, which elements that is, and of races
// the line that is to blame with what mends it.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::test {
namespace {

using nlohmann::json;

std::string manifest(const std::string& kernel) {
    return source_path("tests/kernels/places/" + kernel + ".toml");
}

json diagnosed(const std::string& path, const std::vector<std::string>& options) {
    std::vector<std::string> words{"diagnose", path, "--json", "--quiet", "--search", "0"};
    words.insert(words.end(), options.begin(), options.end());
    return json::parse(warplens(words).out);
}

json findings(const std::string& kernel, const std::string& fault) {
    std::vector<std::string> options;
    if (!fault.empty()) options = {"--fault", fault};
    return diagnosed(manifest(kernel), options).at("findings");
}

std::string line_text(const std::string& kernel, const json& where) {
    std::istringstream text(read_file(source_path("tests/kernels/places/" + kernel + ".cu")));
    std::string line;
    for (int n = where.value("line", 0); n > 0; --n) std::getline(text, line);
    return line;
}

bool has(const json& text, const std::string& part) {
    return text.get<std::string>().find(part) != std::string::npos;
}

struct Wrong {
    const char *kernel, *pattern, *line;
};

struct Places : testing::TestWithParam<Wrong> {};

TEST_P(Places, TheLineAndThePatternOfWhatIsWrong) {
    const auto& [kernel, pattern, line] = GetParam();
    EXPECT_TRUE(findings(kernel, "").empty()) << "the clean twin";
    const json all = findings(kernel, "bad");
    const json& f = all.at(all.size() - 1);
    EXPECT_EQ(f.at("rule"), "values_differ");
    EXPECT_EQ(f.at("pattern"), pattern);
    EXPECT_TRUE(has(f.at("title"), pattern)) << f.at("title");
    EXPECT_NE(line_text(kernel, f.at("where")).find(line), std::string::npos) << f.dump(1);
    EXPECT_TRUE(
        f.at("where").contains("block") && f.at("where").contains("warp") && f.at("where").contains("lanes")
    );
    EXPECT_TRUE(has(f.at("explanation"), "wrote them last; the first was written by block ("))
        << f.at("explanation");
    const std::string text = warplens({"diagnose", manifest(kernel), "--fault", "bad", "--search", "0"}).out;
    std::string flat;
    std::istringstream words(text);
    for (std::string word; words >> word;) flat += " " + word;
    EXPECT_NE(flat.find(pattern), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    Places,
    testing::Values(
        Wrong{"transpose", "everything off the diagonal squares of 16 x 16", "out[ty * rows + tx] ="},
        Wrong{"histogram", "the first element", "atomicAdd(&bins[threadIdx.x]"},
        Wrong{"softmax", "columns 512 and up in every row", "(c < 512 ? s : 2 * s)"},
        Wrong{"layernorm", "among the last 7 rows (658 of these 672 elements)", "y[row * cols + c] ="},
        Wrong{"stencil", "columns 31, 63 and 95 of 128 in every row", "out[y * w + x] ="},
        Wrong{"scan", "elements 32 to 127 mod 128", "y[i] = v"},
        Wrong{"heads", "heads 1 and 2 of 4", "y[at] = x[at] * k"},
        Wrong{"causal", "the diagonal", "s[r * n + c] = c >= r"}
    ),
    [](const auto& param) { return std::string(param.param.kernel); }
);

TEST(Place, TheLastLineThatStoredIsToldNotTheFirst) {
    const TemporaryFolder folder;
    write_file(
        folder.path + "/twice.cu",
        "__global__ void twice(float* y) {\n    y[threadIdx.x] = 1;\n    __syncthreads();\n    if "
        "(threadIdx.x % 4 == 3) "
        "y[threadIdx.x] = 2;\n}\n"
    );
    write_file(
        folder.path + "/twice.toml",
        "args = [ { name = \"y\", dtype = \"f32\", shape = [64], output = true } ]\n"
        "launch = { grid = [1], block = [64] }\nreference = { python = \"twice.py\" }\n"
    );
    write_file(folder.path + "/twice.py", "def reference(inputs, params):\n    return {\"y\": [1.0] * 64}\n");
    const json f = diagnosed(folder.path + "/twice.toml", {}).at("findings").at(0);
    EXPECT_EQ(f.at("where").at("line"), 4) << f;
    EXPECT_EQ(f.at("pattern"), "elements 3 mod 4");
    EXPECT_TRUE(has(f.at("explanation"), "Every element that this line wrote last is wrong.")) << f;
}

TEST(Place, AxesAreCalledAsTheManifestCallsTheirExtents) {
    const TemporaryFolder folder;
    write_file(
        folder.path + "/k.cu",
        "__global__ void k(float* y) { y[blockIdx.x * 64 + threadIdx.x] = blockIdx.x % 2; }\n"
    );
    write_file(
        folder.path + "/k.py",
        "import numpy as np\ndef reference(i, p): return {\"y\": np.zeros((2, 4, 8, 8))}\n"
    );
    for (const auto& [shape, pattern] : {
             std::pair{R"("N", "C", "H", "W")",      "channels 1 and 3 of 4"      },
             {R"("B", "H", "S", "D")",      "heads 1 and 3 of 4"         },
             {R"("B", "groups", "S", "D")", "groups 1 and 3 of 4"        },
             {R"("B", "x", "S", "D")",      "x 1 and 3 of 4"             },
             {R"(2, 4, "S", "D")",          "axis-1 indices 1 and 3 of 4"}
    }) {
        std::string params;
        for (const auto& [name, value] : {
                 std::pair{"N",      2},
                 {"B",      2},
                 {"C",      4},
                 {"groups", 4},
                 {"x",      4},
                 {"W",      8},
                 {"S",      8},
                 {"D",      8}
        })
            params += name + std::string(" = ") + std::to_string(value) + "\n";
        params +=
            std::string("H = ") + (std::string(shape).find('W') == std::string::npos ? "4" : "8") + "\n";
        write_file(
            folder.path + "/k.toml",
            R"(args = [ { name = "y", dtype = "f32", shape = [)" + std::string(shape) +
                "], output = true } ]\n[params]\n" + params +
                "[launch]\ngrid = [8]\nblock = [64]\n[reference]\npython = 'k.py'\n"
        );
        EXPECT_EQ(diagnosed(folder.path + "/k.toml", {}).at("findings").at(0).at("pattern"), pattern);
    }
}

TEST(Race, AnIncrementBesideOthersShouldBeAnAtomic) {
    const json f = findings("histogram", "bad").at(0);
    EXPECT_EQ(f.at("rule"), "race_shared");
    EXPECT_TRUE(has(f.at("title"), "race on local: warp 0 and warp 1 update it at one line without an atomic")
    ) << f;
    EXPECT_TRUE(has(f.at("explanation"), "make it an atomic")) << f;
    EXPECT_FALSE(has(f.at("explanation"), "barrier between")) << f;
    EXPECT_NE(line_text("histogram", f.at("where")).find("local[0]++"), std::string::npos);
}

TEST(Race, ABarrierThatIsMissingBesideAtomicsIsProvenAndNamedWhereItBelongs) {
    const json f = findings("histogram", "early").at(0);
    EXPECT_EQ(f.at("evidence_kind"), "proven") << f;
    EXPECT_TRUE(has(f.at("proof"), "no race is left and 0 of 64 elements of all blocks")) << f;
    EXPECT_TRUE(has(f.at("explanation"), "Put a block barrier between them.")) << f;
    EXPECT_NE(line_text("histogram", f.at("where")).find("atomicAdd(&bins"), std::string::npos);
    const json again = findings("softmax", "race").at(0);
    EXPECT_NE(line_text("softmax", again.at("where")).find("part[threadIdx.x / 32] = s"), std::string::npos)
        << again;
}

TEST(Race, APlainAccessBesideAnAtomicIsToBlame) {
    const json read = findings("mean", "");
    EXPECT_EQ(read.at(0).at("rule"), "race_global");
    EXPECT_TRUE(has(read.at(0).at("title"), "reads plainly what block (1,0,0) updates by an atomic")) << read;
    EXPECT_TRUE(has(read.at(0).at("explanation"), "Read at ")) << read;
    EXPECT_NE(line_text("mean", read.at(0).at("where")).find("*sum / n"), std::string::npos) << read;
    const json write = findings("mean", "plain");
    EXPECT_TRUE(has(write.at(0).at("explanation"), "an atomic too")) << write;
    EXPECT_NE(line_text("mean", write.at(0).at("where")).find("*sum += v"), std::string::npos) << write;
}

TEST(Place, AWrongTileHasItsPatternAndItsWriter) {
    const TemporaryFolder folder;
    write_file(
        folder.path + "/t.cu",
        "#include <warplens.cuh>\n__global__ void t(const float* x, float* y) {\n    __shared__ float "
        "s[8][8];\n"
        "    const int r = threadIdx.x / 8, c = threadIdx.x % 8;\n    s[r][c] = c < 5 ? x[threadIdx.x] : "
        "x[threadIdx.x] + r;\n"
        "    __syncthreads();\n    WL_TILE(\"s\", s, 8, 8, 8);\n    y[threadIdx.x] = s[r][c];\n}\n"
    );
    write_file(
        folder.path + "/t.toml",
        "args = [\n  { name = \"x\", dtype = \"f32\", shape = [8, 8], fill = \"normal\" },\n"
        "  { name = \"y\", dtype = \"f32\", shape = [8, 8], output = true },\n]\n[launch]\ngrid = [1]\nblock "
        "= [64]\n"
        "[reference]\npython = \"t.py\"\n[tile.s]\nof = \"y\"\nat = [0, 0]\n"
    );
    write_file(folder.path + "/t.py", "def reference(i, p): return {\"y\": i[\"x\"]}\n");
    const json all = diagnosed(folder.path + "/t.toml", {}).at("findings");
    EXPECT_EQ(all.at(0).at("rule"), "values_differ");
    EXPECT_EQ(all.at(0).at("where").at("tile"), "s");
    EXPECT_EQ(all.at(0).at("pattern"), "the last 3 columns in the last 7 rows") << all.dump(1);
    EXPECT_EQ(all.at(0).at("other").at("line"), 5);
    EXPECT_EQ(all.at(1).at("where").at("tile"), "y");
    EXPECT_EQ(all.at(1).at("where").at("line"), 8);
}

// A kernel without a reference: one block of 64 threads, an output of as many ints.
json hazards_of(const std::string& body) {
    const TemporaryFolder folder;
    write_file(
        folder.path + "/h.cu", "__global__ void h(int* y) {\n    const int i = threadIdx.x;\n" + body + "}\n"
    );
    write_file(
        folder.path + "/h.toml",
        "args = [ { name = \"y\", dtype = \"int\", shape = [64], output = true } ]\n"
        "launch = { grid = [1], block = [64] }\n[output.y]\ncompare = false\n"
    );
    return json::parse(warplens({"hazards", folder.path + "/h.toml", "--json", "--quiet"}).out)
        .at("findings");
}

TEST(Uninitialised, IsPaddingOnlyWhereTheAddressesShowRows) {
    const json gaps =
        hazards_of("    __shared__ int a[128];\n    a[2 * i] = i;\n    __syncthreads();\n    y[i] = a[i];\n")
            .at(0);
    EXPECT_EQ(gaps.at("rule"), "uninitialised");
    EXPECT_FALSE(has(gaps.at("explanation"), "padding")) << gaps;
    const json rows = hazards_of(
                          "    __shared__ int a[4][18];\n    a[i / 16][i % 16] = i;\n    __syncthreads();\n"
                          "    y[i] = a[0][i / 16 * 18 + i % 16 + 1];\n"
    )
                          .at(0);
    EXPECT_TRUE(has(rows.at("explanation"), "It is padding after row 0")) << rows;
}

TEST(Race, AShiftInPlaceIsNoUpdate) {
    const json f = hazards_of(
                       "    __shared__ int a[128];\n    a[i] = i, a[i + 64] = 0;\n    __syncthreads();\n"
                       "    a[i] = a[i + 1] + 1;\n    __syncthreads();\n    y[i] = a[i];\n"
    )
                       .at(0);
    EXPECT_EQ(f.at("where").at("line"), f.at("other").at("line")) << f;
    EXPECT_FALSE(has(f.at("title"), "atomic")) << f;
    EXPECT_TRUE(has(f.at("explanation"), "Put a block barrier between them.")) << f;
}

TEST(Race, OfTwoVariablesAreTwoThoughOneBarrierMendsThem) {
    const json all = hazards_of(
        "    __shared__ int a[64], b[64];\n    a[i] = i, b[i] = i;\n    int t = a[63 - i];\n"
        "    t += b[63 - i] * 3;\n    y[i] = t;\n"
    );
    ASSERT_EQ(all.size(), 2U) << all.dump(1);
    EXPECT_TRUE(has(all.at(0).at("title"), "race on a")) << all.dump(1);
    EXPECT_TRUE(has(all.at(1).at("title"), "race on b")) << all.dump(1);
    EXPECT_EQ(all.at(1).at("caused_by"), 0);
}

TEST(Race, OfOneVariableReadAtSeveralLinesIsToldOnce) {
    const json all = hazards_of(
        "    __shared__ int a[64];\n    a[i] = i;\n    int t = a[63 - i];\n    t += a[(i + 32) % 64] * 3;\n"
        "    t ^= a[(i + 40) % 64];\n    y[i] = t;\n"
    );
    ASSERT_EQ(all.size(), 1U) << all.dump(1);
    EXPECT_EQ(all.at(0).at("evidence").at("similar"), 2);
    EXPECT_EQ(all.at(0).at("evidence_kind"), "proven");
}

TEST(Race, SimilarOnesAreToldOnce) {
    const json all = findings("mean", "plain");
    ASSERT_EQ(all.size(), 3U) << all;
    EXPECT_EQ(all.at(0).at("rule"), "race_global");
    EXPECT_EQ(all.at(0).at("evidence").at("similar"), 2);
    EXPECT_TRUE(
        has(all.at(0).at("explanation"), "2 further pairs of lines race on global sum in the same way")
    ) << all;
    EXPECT_EQ(all.at(2).at("rule"), "values_differ");
    EXPECT_EQ(all.at(2).at("caused_by"), 0);
}

TEST(Race, TheGridsBarrierAsksForACooperativeLaunch) {
    const json f = findings("turn", "").at(0);
    EXPECT_EQ(f.at("rule"), "trap");
    EXPECT_TRUE(has(f.at("title"), "the grid synchronises in a launch that is not cooperative")) << f;
    EXPECT_TRUE(has(f.at("explanation"), "`cooperative = true` under [launch]")) << f;
    const TemporaryFolder folder;
    for (const char* end : {".cu", ".py"})
        write_file(
            folder.path + "/turn" + end,
            read_file(source_path(std::string("tests/kernels/places/turn") + end))
        );
    std::string text = read_file(manifest("turn"));
    text.replace(text.find("[launch]"), 8, "[launch]\ncooperative = true");
    write_file(folder.path + "/turn.toml", text);
    EXPECT_EQ(diagnosed(folder.path + "/turn.toml", {}).at("verdict"), "ok");
}

}  // namespace
}  // namespace wl::test
