// Another kernel as the reference: reference.kernel of a manifest.
#include "tests/support/program.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// gemm.toml beside its source, with another kernel for its Python reference. `changed`: of that kernel.
struct Compared {
    TemporaryFolder folder;
    std::string manifest = folder.path + "/gemm.toml", capture = folder.path + "/run.wlcap";

    void add(const std::string& name, const std::string& text) { write_file(folder.path + "/" + name, text); }
    void add(const std::string& name) { add(name, read_file(source_path("tests/kernels/" + name))); }
    explicit Compared(const std::string& with) {
        for (const char* name : {"gemm.cu", "gemm_naive.cu", "gemm_naive.toml", "gemm_naive.py"}) add(name);
        const std::string text = read_file(source_path("tests/kernels/gemm.toml"));
        add("gemm.toml", replaced(text, "python = \"gemm.py\"", "kernel = \"" + with + "\""));
    }
    json ran(const std::vector<std::string>& options) {
        std::vector<std::string> words = {"run", manifest, "-o", capture, "--json", "--search", "0"};
        words.insert(words.end(), options.begin(), options.end());
        const Said said = warplens(words);
        EXPECT_NE(said.status, 2) << said.err;
        return json::parse(said.out);
    }
    // Why there was no reference.
    std::string refused(const std::vector<std::string>& options) {
        std::vector<std::string> words = {"run", manifest, "-o", capture, "--search", "0"};
        words.insert(words.end(), options.begin(), options.end());
        const Said said = warplens(words);
        EXPECT_EQ(said.status, 2) << "asked for, and not had";
        return said.err;
    }
    // The verdicts that the capture's tiles of this name have.
    std::string verdict_of(const std::string& tile) {
        const json tiles = json::parse(warplens({"tiles", capture, "--json"}).out).at("tiles");
        for (const json& t : tiles)
            if (t.at("tile") == tile) return t.at("verdict");
        return "none";
    }
};

TEST(KernelReference, AnotherKernelsOutputIsTheTruth) {
    Compared c("gemm_naive.toml");
    const std::vector<std::string> defaults, ragged{"--preset", "ragged"},
        seeded{"--seed", "5", "--set", "K=96"};
    for (const std::vector<std::string>& options : {defaults, ragged, seeded}) {
        const json clean = c.ran(options);
        EXPECT_TRUE(clean.at("outputs").at(0).at("ok")) << clean;
        EXPECT_EQ(c.verdict_of("C"), "ok");
        const double bound = clean.at("outputs").at(0).at("bound");
        EXPECT_GT(bound, 0);
        EXPECT_LT(bound, 0.1) << "of elements around " << 13;
    }
    const json bad = c.ran({"--fault", "last"});
    EXPECT_FALSE(bad.at("outputs").at(0).at("ok")) << bad;
    EXPECT_EQ(c.verdict_of("C"), "wrong");
}

TEST(KernelReference, AnotherKernelsTilesAreTheTruthOfWhatItsManifestSaysTheyAre) {
    Compared c("slow.toml");
    const std::string own = read_file(source_path("tests/kernels/gemm.toml"));
    c.add("slow.toml", replaced(own, "[reference]\npython = \"gemm.py\"\n", ""));
    for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
             {        },
             { "--preset", "ragged"}
    }) {
        EXPECT_EQ(c.ran(options).at("verdict"), "ok");
        for (const char* tile : {"A", "B", "stripe", "sums", "C"})
            EXPECT_EQ(c.verdict_of(tile), "ok") << tile;
    }
    EXPECT_EQ(c.ran({"--fault", "stride"}).at("verdict"), "findings");
    for (const char* tile : {"A", "B"}) EXPECT_EQ(c.verdict_of(tile), "ok") << tile;
    for (const char* tile : {"stripe", "sums", "C"}) EXPECT_EQ(c.verdict_of(tile), "wrong") << tile;
}

TEST(KernelReference, AKernelThatLeavesHolesOrCannotRunIsNone) {
    const std::string naive = read_file(source_path("tests/kernels/gemm_naive.cu"));
    const auto said = [&](const std::string& kernel, const std::vector<std::string>& options) {
        Compared c("gemm_naive.toml");
        c.add("gemm_naive.cu", kernel);
        std::string text = c.refused(options);
        EXPECT_NE(text.find("no reference: the reference kernel "), std::string::npos) << text;
        EXPECT_EQ(c.verdict_of("C"), "not compared") << text;
        return text;
    };
    const std::string holes = said("#define WL_FAULT_HOLE\n" + naive, {});
    EXPECT_NE(holes.find("gemm_naive.toml never writes 1 elements of C"), std::string::npos) << holes;
    const std::string outside =
        said(replaced(naive, "row >= m || column >= n", "row > m || column >= n"), {"--set", "M=75"});
    EXPECT_NE(outside.find("comes to grief"), std::string::npos) << outside;
    const std::string unknown = said(
        replaced(
            naive,
            "float sum = 0.0f;",
            "float sum = 0.0f; asm volatile(\"multimem.red.relaxed.sys.global.add.u32 [%0], 1;\" :: "
            "\"l\"(0ull));"
        ),
        {}
    );
    EXPECT_NE(unknown.find("unsupported: multimem.red"), std::string::npos) << unknown;
}

TEST(KernelReference, AManifestThatIsNotThereIsAnError) {
    Compared c("none.toml");
    const Said said = warplens({"run", c.manifest, "-o", c.capture});
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("none.toml"), std::string::npos) << said.err;
}

}  // namespace
}  // namespace wl::test
